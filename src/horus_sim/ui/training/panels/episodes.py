"""How episodes end and what they are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.rl.training.report import wilson_interval
from horus_sim.ui.kit.controls import select
from horus_sim.ui.kit.panel import facts, hint

if TYPE_CHECKING:
    from horus_sim.ui.training.model.tally import Summary
    from horus_sim.ui.training.model.training_model import TrainingModel

_REFRESH_S = 0.25
_NAMES = (
    "Episodes",
    "Success rate",
    "95 % interval",
    "Return",
    "Length",
    "Ended by",
)
_EPISODE = ("Return so far", "Steps so far", "Time so far")


def build_episodes(model: TrainingModel) -> None:
    """Figures of the episodes that are over."""
    labels = facts(_NAMES)
    labels["Ended by"].style("white-space:pre")
    empty = hint("Figures come with the first episode that ends.")

    def refresh() -> None:
        status = model.status
        for name, text in describe(status.summary, status.dt).items():
            labels[name].text = text
        empty.set_visibility(status.summary.counted == 0)

    refresh()
    model.page.every(_REFRESH_S, refresh)


def describe(summary: Summary, dt: float) -> dict[str, str]:
    """The figures as text, by name."""
    found: dict[str, str] = dict.fromkeys(_NAMES, "-")
    found["Episodes"] = str(summary.episodes)
    if summary.counted == 0:
        return found
    if summary.successes is not None:
        low, high = wilson_interval(summary.successes, summary.counted)
        found["Success rate"] = f"{summary.successes / summary.counted:.1%}"
        found["95 % interval"] = f"{low:.1%} to {high:.1%}"
    found["Return"] = f"{summary.mean_return:.2f} \u00b1 {summary.std_return:.2f}"
    found["Length"] = f"{summary.mean_steps:.1f} steps, {summary.mean_steps * dt:.2f} s"
    found["Ended by"] = "\n".join(f"{cause} {count}" for cause, count in summary.causes.items())
    return found


def build_rewards(model: TrainingModel) -> None:
    """What each reward term adds to an episode, with bars."""
    place = ui.column().classes("full-width gap-1")
    empty = hint("Means over episodes come with the first that ends.")
    shown: dict[str, tuple[ui.label, ui.element]] = {}

    def refresh() -> None:
        rewards = model.status.summary.rewards
        empty.set_visibility(not rewards)
        if list(rewards) != list(shown):
            place.clear()
            shown.clear()
            with place:
                for name in rewards:
                    shown[name] = _term(name)
        largest = max((abs(value) for value in rewards.values()), default=0.0) or 1.0
        for name, value in rewards.items():
            label, bar = shown[name]
            text = f"{value:+.3f}"
            if label.text != text:
                label.text = text
                color = "var(--q-positive)" if value >= 0 else "var(--q-negative)"
                bar.style(f"width:{100 * abs(value) / largest:.1f}%;background:{color}")

    refresh()
    model.page.every(_REFRESH_S, refresh)


def _term(name: str) -> tuple[ui.label, ui.element]:
    with ui.element("div").classes("full-width"):
        with ui.row().classes("full-width no-wrap justify-between gap-0").style("font-size:12.5px"):
            ui.label(name).style("color:var(--faint)")
            label = ui.label().classes("horus-number").props(f'aria-label="Reward {name}"')
        with ui.element("div").style("height:4px;border-radius:2px;background:var(--soft)"):
            bar = ui.element("div").style("height:4px;border-radius:2px;transition:width .3s")
    return label, bar


def build_environment(model: TrainingModel) -> None:
    """The running episode of the environment that is looked at."""

    def choose() -> None:
        model.select(int(number.value or 0))

    number = select("Environment", {0: "none"}, 0, choose).props("options-dense")
    hint("Or click its ground in the view. The camera 'Follow' goes along with it.")
    labels = facts(_EPISODE)

    def options() -> None:
        numbers = {0: "none"} | {n: str(n) for n in range(1, model.choice.envs + 1)}
        number.set_options(numbers, value=model.selected if model.selected in numbers else 0)

    def refresh() -> None:
        status, index = model.status, model.selected - 1
        texts = dict.fromkeys(_EPISODE, "-")
        if 0 <= index < len(status.returns):
            texts["Return so far"] = f"{status.returns[index]:.3f}"
            texts["Steps so far"] = str(status.lengths[index])
            texts["Time so far"] = f"{status.lengths[index] * status.dt:.2f} s"
        for name, text in texts.items():
            labels[name].text = text

    options()
    refresh()
    model.on_show.append(options)
    model.on_select.append(options)
    model.page.every(_REFRESH_S, refresh)
