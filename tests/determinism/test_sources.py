"""Functions whose bits differ between libraries of systems stay out of the compiled core."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

NATIVE = Path(__file__).parents[2] / "native"
# What IEEE 754 rounds exactly (sqrt), or what needs no rounding (floor, remainder), may stay.
INEXACT = re.compile(
    r"std::(a?(sin|cos|tan)h?|atan2|exp2?|expm1|log(2|10|1p)?|pow|hypot|cbrt|[lt]gamma|erfc?)\("
)
RANDOM = re.compile(r"std::\w+_distribution")


@pytest.mark.parametrize("pattern", [INEXACT, RANDOM], ids=["functions", "distributions"])
def test_the_core_uses_no_function_that_differs_between_libraries(pattern):
    files = [f for f in NATIVE.rglob("*.[ch]pp") if "tests" not in f.relative_to(NATIVE).parts]
    assert len(files) > 100
    found = [
        f"{file.name}:{number}: {line.strip()}"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert found == [], "native/math has functions with the same bits everywhere"


def test_the_pattern_finds_them():
    for line in (
        "x = std::sin(y);",
        "std::atan2(a, b)",
        "std::exp(x)",
        "std::log1p(x)",
        "std::pow(",
    ):
        assert INEXACT.search(line)
    assert not INEXACT.search("math::sine(x) + std::sqrt(x) + std::floor(x) + std::remainder(x, y)")
