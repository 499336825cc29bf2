"""Scenes: open a shipped or saved one, save, and drop files onto the page."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from nicegui import events, ui

from horus_sim.errors import HorusError
from horus_sim.sim3d import World, scene_names
from horus_sim.tf import Transform
from horus_sim.ui.panels.fields import TextField
from horus_sim.ui.panels.frame import hint
from horus_sim.ui.panels.orders import complain, obey
from horus_sim.ui.scene_files import (
    LARGEST_FILE,
    check_name,
    is_saved,
    kind_of,
    save_scene,
    saved_scenes,
)

if TYPE_CHECKING:
    from horus_sim.ui.session import Session
    from horus_sim.ui.shell import Page
    from horus_sim.ui.view3d import View3d


def build_scenes(page: Page, view: View3d) -> None:
    """Opening, saving and dropping."""
    session = page.session
    known = _choices(session)
    present = session.simulation.status.scene
    with ui.row().classes("no-wrap full-width gap-2 items-start"):
        choice = ui.select(list(known), label="Scene", value=present if present in known else None)
        choice.props('outlined dense aria-label="Scene"').classes("col")
        opener = ui.button("Open").props('unelevated no-caps aria-label="Open"')
        opener.style("height:40px")
    with ui.row().classes("no-wrap full-width gap-2 items-start"):
        name = TextField("Save as", value="my_scene").props('outlined dense aria-label="Save as"')
        name.classes("col")
        saver = ui.button("Save").props('outline no-caps aria-label="Save"').style("height:40px")

    async def load() -> None:
        if not choice.value:
            choice.error = "choose a scene first"
            return
        await open_scene(session, known[choice.value], choice)

    warned = ""

    async def save() -> None:
        nonlocal warned
        try:
            wanted = check_name(name.value or "")
        except HorusError as error:
            complain(session.log, str(error), name)
            return
        if wanted != warned and is_saved(wanted, session.folder):
            warned = wanted
            name.error = f"'{wanted}' exists; press Save again to replace it"
            return
        warned = ""
        scene = await obey(session.log, session.editor.scene, field=name)
        if scene is None:
            return
        try:
            path = await asyncio.to_thread(
                save_scene, scene, name.value or "", session.folder, session.dropped.path
            )
        except (HorusError, OSError) as error:
            complain(session.log, str(error), name)
            return
        session.log.add(f"saved to {path}")
        ui.notify(f"Saved to {path}", type="positive")
        known.update(_choices(session))
        choice.set_options(list(known), value=choice.value)

    opener.on_click(load)
    saver.on_click(save)
    _uploader(session, view)


def _choices(session: Session) -> dict[str, str]:
    """What can be opened: label -> name of a shipped scene, or file."""
    found = {name: name for name in scene_names()}
    for name in saved_scenes(session.folder):
        found[f"{name} (saved)"] = str(session.folder / f"{name}.yaml")
    return found


def _uploader(session: Session, view: View3d) -> None:
    async def take(event: events.UploadEventArguments) -> None:
        try:
            path = session.dropped.keep(event.file.name, await event.file.read())
        except HorusError as error:
            complain(session.log, str(error))
            return
        if kind_of(path.name) == "robot":
            await _add_robot(session, path)
        else:
            await open_scene(session, str(path))

    hint("Drop URDF, SDF or scene files onto the view, or choose them here.")
    upload = ui.upload(
        multiple=True,
        auto_upload=True,
        max_file_size=LARGEST_FILE,
        on_upload=take,
        on_rejected=lambda: complain(
            session.log, f"a file is larger than {LARGEST_FILE // 1_000_000} MB"
        ),
    ).classes("hidden")
    upload.props('aria-label="Files"')
    ui.button(
        "Choose files", icon="upload_file", on_click=lambda: upload.run_method("pickFiles")
    ).props('outline no-caps aria-label="Choose files"').classes("full-width")
    view.set_uploader(upload)


async def _add_robot(session: Session, path: Path) -> None:
    try:
        order = await asyncio.to_thread(session.editor.add_robot, path, Transform((0.0, 1.0, 0.1)))
    except HorusError as error:
        complain(session.log, str(error))
        return
    await obey(session.log, lambda: order, "'{}' was added")


async def open_scene(session: Session, scene: str, field: ui.select | None = None) -> None:
    """Loads a scene and puts it in place of the present one; errors change nothing."""
    try:
        world = await asyncio.to_thread(World.load, scene)
    except HorusError as error:
        complain(session.log, str(error), field)
        return
    await obey(
        session.log,
        lambda: session.simulation.replace(world),
        f"scene '{world.scene.name}' is loaded",
        field,
    )
