"""What is shown: task, policy, how many environments, and from which seed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.installation import command
from horus_sim.rl.task_files.definitions import task_names
from horus_sim.ui.kit.controls import select, text_button
from horus_sim.ui.kit.fields import TextField
from horus_sim.ui.kit.messages import complaining
from horus_sim.ui.kit.panel import hint
from horus_sim.ui.training.model.policies import RANDOM
from horus_sim.ui.training.model.rollout import LARGEST_SEED, MOST_ENVS
from horus_sim.ui.training.model.training_model import wrong_whole
from horus_sim.ui.training.panels.path_field import path_field

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from nicegui.elements.mixins.validation_element import ValidationElement
    from nicegui.events import ValueChangeEventArguments

    from horus_sim.ui.training.model.training_model import TrainingModel

_REFRESH_S = 3.0


def build_choice(model: TrainingModel) -> None:
    """Fields and a button."""

    async def show(field: ValidationElement, **changes: object) -> None:
        with complaining(model.page, field):
            await model.show(**changes)
        refresh()

    # What to do is decided at once: a moment later the lists may follow something else.
    def choose_task(event: ValueChangeEventArguments) -> Awaitable[None] | None:
        if event.value in ("", None, model.choice.task):
            return None
        return show(task, task=event.value)

    def choose_policy(event: ValueChangeEventArguments) -> Awaitable[None] | None:
        if event.value in ("", None, model.choice.policy):
            return None
        model.follows_run = False
        return show(policy, policy=event.value)

    async def choose_file(path: str, field: TextField) -> None:
        model.follows_run = False
        await show(field, policy=path)

    async def begin() -> None:
        if envs.validate() and seed.validate():
            await show(seed, envs=int(envs.value or 0), seed=int(seed.value or 0))

    task = select("Task", task_names(), model.choice.task).props("options-dense")
    policy = select("Policy", {model.choice.policy: model.choice.policy}).props("options-dense")
    note = hint().props('aria-label="About the policy"')
    wanted = "a policy.npz, or the folder of a training"
    other = path_field("Another policy", "play_circle", "Show this policy", choose_file, wanted)
    with ui.row().classes("full-width no-wrap items-start gap-2"):
        envs = _whole("Environments", 1, MOST_ENVS).on("keydown.enter", begin)
        seed = _whole("Seed", 0, LARGEST_SEED).on("keydown.enter", begin)
    start = text_button("Start with these", begin, "replay", look="outline dense")
    start.classes("full-width")

    async def find_policies() -> None:
        options = await asyncio.to_thread(model.library.options, model.choice.task)
        options.setdefault(model.choice.policy, model.choice.policy)
        if options != policy.options or policy.value != model.choice.policy:
            policy.set_options(options, value=model.choice.policy)

    def refresh() -> None:
        choice = model.choice
        task.value = choice.task
        options = dict(policy.options) if isinstance(policy.options, dict) else {}
        options.setdefault(choice.policy, choice.policy)
        policy.set_options(options, value=choice.policy)
        note.text = about(model)
        note.set_visibility(bool(note.text))

    def adopt() -> None:
        envs.value, seed.value = str(model.choice.envs), str(model.choice.seed)
        task.error = policy.error = other.error = None
        refresh()

    adopt()
    task.on_value_change(choose_task)
    policy.on_value_change(choose_policy)
    model.on_show += [adopt, find_policies]
    model.page.every(_REFRESH_S, find_policies)


def about(model: TrainingModel) -> str:
    """A word about the policy: what it learned, or what to do where there is none."""
    choice, found = model.choice, model.found
    if found is None:
        return ""
    if choice.policy == RANDOM:
        if model.library.default(choice.task) != RANDOM:
            return "Random actions know nothing: this is what a training begins with."
        return (
            f"No policy is shipped for {choice.task}; these are random actions. Train one: "
            + command(f"rl train {choice.task}")
        )
    if found.learned != choice.task:
        return f"It learned {found.learned}, and acts in {choice.task} here."
    return ""


def _whole(label: str, low: int, high: int) -> TextField:
    field = TextField(label, validation=lambda text: wrong_whole(text, low, high))
    field.props(f'outlined dense aria-label="{label}"').classes("col horus-number")
    return field.style("min-width:0")
