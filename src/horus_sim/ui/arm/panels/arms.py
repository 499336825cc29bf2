"""Which arm: a shipped one, or the YAML or URDF file of another."""

from __future__ import annotations

import asyncio
from functools import partial
from math import degrees
from typing import TYPE_CHECKING

from nicegui import events, ui

from horus_sim.arm import ScrewX, to_mjcf, to_urdf
from horus_sim.ui.arm.model.arm_library import SUFFIXES
from horus_sim.ui.arm.model.arm_model import Changed
from horus_sim.ui.kit.controls import select, text_button
from horus_sim.ui.kit.fields import TextField
from horus_sim.ui.kit.messages import message_label
from horus_sim.ui.kit.panel import hint
from horus_sim.ui.kit.uploader import uploader

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from horus_sim.arm import Arm
    from horus_sim.ui.arm.model.arm_model import ArmModel
    from horus_sim.ui.arm.model.moving_arm import ArmState


def build_arm_choice(model: ArmModel) -> None:
    """The list of arms."""
    chosen = ""

    def choose() -> Awaitable[None] | None:
        nonlocal chosen
        # Decided at once: a moment later the list may follow the arm again.
        name = arms.value
        if name is None or name == (chosen or model.arm_name):
            return None
        chosen = name
        return load(name)

    async def load(name: str) -> None:
        nonlocal chosen
        with model.complaining():
            await put(model, name)
        chosen = "" if chosen == name else chosen

    def follow(_: ArmState) -> None:
        # What was chosen stays while it is loaded: a list that went back for a moment would not
        # hear of a choice of what it shows.
        names, name = model.library.names, chosen or model.arm_name
        if names != arms.options or arms.value != name:
            arms.set_options(names, value=name)

    arms = select("", model.library.names, model.arm_name, choose).style("min-width:9.5em")
    arms.props('options-dense aria-label="Arm"').classes(remove="col full-width")
    model.listen(follow)


async def put(model: ArmModel, name: str) -> None:
    """Moves another arm of the library from now on.

    Raises:
        HorusError: It cannot be loaded.
    """
    arm = await asyncio.to_thread(model.library.get, name)
    model.arm_name = name
    await asyncio.wrap_future(model.thread.call(lambda moving: moving.put(arm)))
    model.refresh()
    model.page.log.add(f"arm '{arm.name}' is loaded")


def build_upload(model: ArmModel) -> None:
    """The upload, and what is wrong with a file."""
    kept: dict[str, bytes] = {}

    async def take(event: events.UploadEventArguments) -> None:
        kept.clear()
        kept[event.file.name] = await event.file.read()
        await load()
        upload.reset()

    async def load() -> None:
        for name, data in kept.items():
            links = (base.value or "").strip(), (tip.value or "").strip()
            chain.visible = name.lower().endswith(".urdf")
            with model.complaining(wrong):
                found = await asyncio.to_thread(model.library.upload, name, data, *links)
                chain.visible = False
                base.value = tip.value = ""
                await put(model, found)

    hint("A YAML or URDF file of your own; or drop it onto the view:")
    wrong = message_label("Upload message")
    upload = uploader(
        "Choose a file", take, wrong.set_text, name="Arm file", suffixes=SUFFIXES, multiple=False
    )
    wrong.move(target_index=-1)
    with ui.column().classes("full-width gap-1") as chain:
        ui.label("Which chain of the URDF?").classes("text-caption")
        with ui.row().classes("no-wrap full-width gap-2"):
            base = TextField("Base link").props('dense aria-label="Base link"').classes("col")
            tip = TextField("Tip link").props('dense aria-label="Tip link"').classes("col")
        text_button("Load", load, look="flat dense")
    chain.visible = False
    model.view.set_uploader(upload)


def build_facts(model: ArmModel) -> None:
    """What the arm is made of, and its exports."""
    title = ui.label().classes("text-body2")
    source = ui.label().classes("text-caption text-grey")
    table = ui.table(rows=[], columns=[]).props('flat dense aria-label="DH parameters"')
    table.classes("full-width horus-arm-table")
    changed = Changed()

    def download(write: Callable[[Arm], str], suffix: str) -> None:
        arm = model.state.arm
        ui.download.content(write(arm), f"{arm.name}.{suffix}")

    with ui.row().classes("gap-2"):
        for name, write, suffix in (("URDF", to_urdf, "urdf"), ("MJCF", to_mjcf, "xml")):
            button = text_button(
                name, partial(download, write, suffix), "download", look="flat dense"
            )
            button.props(f'aria-label="Export {name}"')

    def refresh(state: ArmState) -> None:
        if not changed(state.revision):
            return
        description = state.arm.description
        kind = f"{description.convention.value} DH" if description.convention else "URDF"
        title.text = (
            f"{state.arm.name}: {state.arm.dof} joints, {kind}, reach below {state.arm.reach:.3f} m"
        )
        source.text = description.source
        table.rows = dh_rows(state.arm)
        names = table.rows[0] if table.rows else ()
        table.columns = [
            {"name": name, "label": name, "field": name, "align": "right"} for name in names
        ]
        table.visible = bool(table.rows)

    model.listen(refresh)


def dh_rows(arm: Arm) -> list[dict[str, str]]:
    """The DH parameters of each joint, by name of the column; none for an arm of a URDF."""
    rows = []
    for joint in arm.description.joints:
        screw = joint.after if isinstance(joint.after, ScrewX) else joint.before
        if not isinstance(screw, ScrewX):
            return []
        rows.append(
            {
                "joint": joint.name,
                "a [m]": f"{screw.a:g}",
                "d [m]": f"{joint.d:g}",
                "alpha": f"{degrees(screw.alpha):.4g}°",
                "offset": f"{degrees(joint.theta_offset):.4g}°",
            }
        )
    return rows
