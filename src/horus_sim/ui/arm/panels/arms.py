"""Which arm: a shipped one, or the YAML or URDF file of another."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from nicegui import events, ui

from horus_sim.errors import HorusError
from horus_sim.ui.arm.model.arm_files import SUFFIXES
from horus_sim.ui.arm.panels.workplace import Changed
from horus_sim.ui.kit.fields import TextField
from horus_sim.ui.kit.messages import message_label
from horus_sim.ui.shell.uploads import LARGEST_FILE

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from horus_sim.arm import Arm
    from horus_sim.ui.arm.model.bench import BenchState
    from horus_sim.ui.arm.panels.workplace import Workplace


class ArmChoice:
    """The list of arms.

    Args:
        place: The page.
    """

    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._chosen: str | None = None
        self.select = ui.select(
            place.desk.shelf.names,
            value=place.arm_name,
            on_change=lambda event: self._choose(event.value),
        )
        self.select.props('dense outlined options-dense aria-label="Arm"')
        self.select.style("min-width:9.5em")
        place.listen(lambda _: self._follow())

    def _choose(self, name: str | None) -> Awaitable[None] | None:
        # Decided at once: a moment later the list may follow the bench again.
        if name is None or name == (self._chosen or self._place.arm_name):
            return None
        self._chosen = name
        return self._put(name)

    async def _put(self, name: str) -> None:
        try:
            await put(self._place, name)
        finally:
            if self._chosen == name:
                self._chosen = None

    def _follow(self) -> None:
        # What was chosen stays while it is loaded: a list that went back for a moment would not
        # hear of a choice of what it shows.
        names, name = self._place.desk.shelf.names, self._chosen or self._place.arm_name
        if names != self.select.options or self.select.value != name:
            self.select.set_options(names, value=name)


async def put(place: Workplace, name: str, message: ui.label | None = None) -> None:
    """Puts an arm of the shelf onto the bench."""
    try:
        arm = await asyncio.to_thread(place.desk.shelf.get, name)
    except HorusError as error:
        place.page.log.add(str(error), "error")
        if message is not None:
            message.text = str(error)
        return
    place.arm_name = name
    await place.order(lambda bench: bench.put(arm), message)
    place.page.log.add(f"arm '{arm.name}' is on the bench")


def build_upload(place: Workplace) -> None:
    """The upload, and what is wrong with a file."""
    wrong = message_label("Upload message")
    kept: dict[str, bytes] = {}

    async def take(event: events.UploadEventArguments) -> None:
        kept.clear()
        kept[event.file.name] = await event.file.read()
        await load()
        upload.reset()

    async def load() -> None:
        for name, data in kept.items():
            links = (base.value or "").strip(), (tip.value or "").strip()
            try:
                found = await asyncio.to_thread(place.desk.shelf.upload, name, data, *links)
            except HorusError as error:
                wrong.text = str(error)
                chain.visible = name.lower().endswith(".urdf")
                place.page.log.add(str(error), "error")
                return
            chain.visible = False
            base.value = tip.value = ""
            await put(place, found, wrong)

    ui.label("A YAML or URDF file of your own; or drop it onto the view:").classes(
        "text-caption text-grey"
    )
    upload = ui.upload(
        auto_upload=True,
        max_file_size=LARGEST_FILE,
        on_upload=take,
        on_rejected=lambda: wrong.set_text(
            f"choose a file of at most {LARGEST_FILE // 1_000_000} MB that ends in "
            f"{', '.join(SUFFIXES)}"
        ),
    )
    upload.props(f'flat bordered dense accept="{",".join(SUFFIXES)}" aria-label="Arm file"')
    # A button looks better than the list of files that this would show.
    upload.classes("hidden")
    ui.button(
        "Choose a file", icon="upload_file", on_click=lambda: upload.run_method("pickFiles")
    ).props('no-caps outline dense aria-label="Choose a file"').classes("full-width")
    wrong.move(target_index=-1)
    with ui.column().classes("full-width gap-1") as chain:
        ui.label("Which chain of the URDF?").classes("text-caption")
        with ui.row().classes("no-wrap full-width gap-2"):
            base = TextField("Base link").props('dense aria-label="Base link"').classes("col")
            tip = TextField("Tip link").props('dense aria-label="Tip link"').classes("col")
        ui.button("Load", on_click=load).props('no-caps flat dense aria-label="Load"')
    chain.visible = False
    place.view.set_uploader(upload)


def build_facts(place: Workplace) -> None:
    """What the arm is made of, and its exports."""
    title = ui.label().classes("text-body2")
    source = ui.label().classes("text-caption text-grey")
    table = ui.table(rows=[], columns=[]).props('flat dense aria-label="DH parameters"')
    table.classes("full-width horus-arm-table")
    changed = Changed()

    def download(kind: str) -> None:
        from horus_sim.arm import to_mjcf, to_urdf

        arm = place.state.arm
        text, suffix = (to_urdf(arm), "urdf") if kind == "urdf" else (to_mjcf(arm), "xml")
        ui.download.content(text, f"{arm.name}.{suffix}")

    with ui.row().classes("gap-2"):
        ui.button("URDF", icon="download", on_click=lambda: download("urdf")).props(
            'no-caps flat dense aria-label="Export URDF"'
        )
        ui.button("MJCF", icon="download", on_click=lambda: download("mjcf")).props(
            'no-caps flat dense aria-label="Export MJCF"'
        )

    def refresh(state: BenchState) -> None:
        if not changed(state.revision):
            return
        description = state.arm.description
        kind = f"{description.convention.value} DH" if description.convention else "URDF"
        title.text = (
            f"{state.arm.name}: {state.arm.dof} joints, {kind}, reach below {state.arm.reach:.3f} m"
        )
        source.text = description.source
        columns, rows = facts(state.arm)
        table.columns = [
            {"name": name, "label": name, "field": name, "align": "right"} for name in columns
        ]
        table.rows = rows
        table.visible = bool(rows)

    place.listen(refresh)


def facts(arm: Arm) -> tuple[tuple[str, ...], list[dict[str, str]]]:
    """The DH parameters: names of columns, and rows; none for an arm of a URDF."""
    from math import degrees

    from horus_sim.arm import ScrewX

    rows = []
    for joint in arm.description.joints:
        screw = joint.after if isinstance(joint.after, ScrewX) else joint.before
        if not isinstance(screw, ScrewX):
            return (), []
        rows.append(
            {
                "joint": joint.name,
                "a [m]": f"{screw.a:g}",
                "d [m]": f"{joint.d:g}",
                "alpha": f"{degrees(screw.alpha):.4g}°",
                "offset": f"{degrees(joint.theta_offset):.4g}°",
            }
        )
    return ("joint", "a [m]", "d [m]", "alpha", "offset"), rows
