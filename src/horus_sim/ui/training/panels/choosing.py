"""What is shown: task, policy, how many environments, and from which seed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.errors import HorusError
from horus_sim.installation import command
from horus_sim.rl.task_files.definitions import task_names
from horus_sim.ui.kit.fields import TextField
from horus_sim.ui.kit.orders import complain
from horus_sim.ui.kit.panel import hint
from horus_sim.ui.training.model.policies import RANDOM
from horus_sim.ui.training.model.show import LARGEST_SEED, MOST_ENVS
from horus_sim.ui.training.panels.stand import wrong_whole

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from nicegui.elements.mixins.validation_element import ValidationElement
    from nicegui.events import ValueChangeEventArguments

    from horus_sim.ui.training.panels.stand import Stand

_REFRESH_S = 3.0


def build_choosing(stand: Stand) -> None:
    """Fields and a button."""
    log = stand.page.log

    async def show(field: ValidationElement, **changes: object) -> None:
        try:
            await stand.show(**changes)
        except HorusError as error:
            complain(log, str(error), field)
            refresh()
        else:
            field.error = None

    # What to do is decided at once: a moment later the lists may follow something else.
    def choose_task(event: ValueChangeEventArguments) -> Awaitable[None] | None:
        if event.value in ("", None, stand.choice.task):
            return None
        return show(task, task=event.value)

    def choose_policy(event: ValueChangeEventArguments) -> Awaitable[None] | None:
        if event.value in ("", None, stand.choice.policy):
            return None
        stand.follows_run = False
        return show(policy, policy=event.value)

    async def choose_file() -> None:
        name = str(other.value or "").strip()
        if not name:
            other.error = "give a policy.npz, or the folder of a training"
            return
        stand.follows_run = False
        await show(other, policy=name)

    async def begin() -> None:
        if envs.validate() and seed.validate():
            await show(seed, envs=int(envs.value or 0), seed=int(seed.value or 0))

    task = ui.select(list(task_names()), label="Task", value=stand.choice.task)
    task.props('outlined dense options-dense aria-label="Task"').classes("full-width")
    policy = ui.select({stand.choice.policy: stand.choice.policy}, label="Policy")
    policy.props('outlined dense options-dense aria-label="Policy"').classes("full-width")
    note = hint().props('aria-label="About the policy"')
    with ui.row().classes("full-width no-wrap items-start gap-1"):
        other = TextField("Another policy").on("keydown.enter", choose_file)
        other.props('outlined dense placeholder="runs/mine" aria-label="Another policy"')
        other.classes("col").style("min-width:0")
        ui.button(icon="play_circle", on_click=choose_file).props(
            'flat round dense aria-label="Show this policy"'
        ).tooltip("A policy.npz, or the folder of a training")
    with ui.row().classes("full-width no-wrap items-start gap-2"):
        envs = _whole("Environments", 1, MOST_ENVS).on("keydown.enter", begin)
        seed = _whole("Seed", 0, LARGEST_SEED).on("keydown.enter", begin)
    start = ui.button("Start with these", icon="replay", on_click=begin)
    start.props('outline dense no-caps aria-label="Start with these"').classes("full-width")

    async def find_policies() -> None:
        options = await asyncio.to_thread(stand.shelf.options, stand.choice.task)
        options.setdefault(stand.choice.policy, stand.choice.policy)
        if options != policy.options or policy.value != stand.choice.policy:
            policy.set_options(options, value=stand.choice.policy)

    def refresh() -> None:
        choice = stand.choice
        task.value = choice.task
        options = dict(policy.options) if isinstance(policy.options, dict) else {}
        options.setdefault(choice.policy, choice.policy)
        policy.set_options(options, value=choice.policy)
        note.text = about(stand)
        note.set_visibility(bool(note.text))

    def adopt() -> None:
        envs.value, seed.value = str(stand.choice.envs), str(stand.choice.seed)
        task.error = policy.error = other.error = None
        refresh()

    adopt()
    task.on_value_change(choose_task)
    policy.on_value_change(choose_policy)
    stand.on_show += [adopt, find_policies]
    stand.page.every(_REFRESH_S, find_policies)


def about(stand: Stand) -> str:
    """A word about the policy: what it learned, or what to do where there is none."""
    choice, chosen = stand.choice, stand.chosen
    if chosen is None:
        return ""
    if choice.policy == RANDOM:
        if stand.shelf.default(choice.task) != RANDOM:
            return "Random actions know nothing: this is what a training begins with."
        return (
            f"No policy is shipped for {choice.task}; these are random actions. Train one: "
            + command(f"rl train {choice.task}")
        )
    if chosen.learned != choice.task:
        return f"It learned {chosen.learned}, and acts in {choice.task} here."
    return ""


def _whole(label: str, low: int, high: int) -> TextField:
    field = TextField(label, validation=lambda text: wrong_whole(text, low, high))
    field.props(f'outlined dense aria-label="{label}"').classes("col horus-number")
    return field.style("min-width:0")
