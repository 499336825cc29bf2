"""Ranges and round numbers along the axes of plots, in a real browser."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import TYPE_CHECKING

import horus_sim.ui.views.view

if TYPE_CHECKING:
    from playwright.sync_api import Page

NEEDS_WEBGL = False
SCRIPT = Path(horus_sim.ui.views.view.__file__).parent / "js" / "axis.js"
MOST = 5
ASK = """async ([script, all, most]) => {
    const { rangeOf, ticks } = await import("data:text/javascript," + encodeURIComponent(script));
    return all.map((values) => {
        const [low, high] = rangeOf(values);
        return [low, high, ticks(low, high, most)];
    });
}"""


def axes_of(page: Page, samples: list[list[float]]) -> list[tuple[float, float, list[float]]]:
    return page.evaluate(ASK, [SCRIPT.read_text(), samples, MOST])


def test_noise_of_floats_around_a_number_is_a_flat_line(page: Page):
    for value in (9.81, -9.81, 1e9, 3e-12):
        nearly = math.nextafter(value, math.inf)
        ((low, high, ticks),) = axes_of(page, [[value, nearly, value]])
        assert low < value < high
        assert high - low > 1e-6 * abs(value)
        assert 1 <= len(ticks) <= MOST + 1


def test_values_are_inside_and_ticks_are_round_few_and_even(page: Page):
    chance = random.Random(1)  # noqa: S311
    samples = [
        [
            chance.uniform(-1, 1) * 10.0 ** chance.randint(-30, 30)
            for _ in range(chance.randint(1, 9))
        ]
        for _ in range(500)
    ]
    for values, (low, high, ticks) in zip(samples, axes_of(page, samples), strict=True):
        assert low < min(values) <= max(values) < high
        assert 1 <= len(ticks) <= MOST + 1
        assert low <= ticks[0] <= ticks[-1] <= high
        if len(ticks) > 1:
            step = ticks[1] - ticks[0]
            power = 10.0 ** math.floor(math.log10(step) + 1e-6)
            assert min(abs(step / power - size) for size in (1, 2, 5, 10)) < 1e-3


def test_nothing_finite_has_an_axis_too(page: Page):
    assert [axes[:2] for axes in axes_of(page, [[], [math.inf, math.nan], [0.0]])] == [
        [-0.5, 0.5]
    ] * 3
