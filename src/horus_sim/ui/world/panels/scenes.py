"""Scenes: open a shipped or saved one, save, and drop files onto the page."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from nicegui import events, ui

from horus_sim.errors import HorusError
from horus_sim.sim3d import World, scene_names
from horus_sim.tf import Transform
from horus_sim.ui.kit.controls import select, set_options, text_button
from horus_sim.ui.kit.fields import TextField
from horus_sim.ui.kit.panel import hint
from horus_sim.ui.kit.uploader import uploader
from horus_sim.ui.shell.uploads import kind_of
from horus_sim.ui.world.model.scene_files import check_name, is_saved, save_scene, saved_scenes

if TYPE_CHECKING:
    from pathlib import Path

    from horus_sim.ui.world.page_state import WorldPageState


def build_scenes(state: WorldPageState) -> None:
    """Opening, saving and dropping."""
    page, site = state.page, state.page.site
    known = _choices(site.folder)
    present = state.session.simulation.status.scene
    with ui.row().classes("no-wrap full-width gap-2 items-start"):
        choice = select("Scene", known, present if present in known else None)
        opener = text_button("Open").style("height:40px")
    with ui.row().classes("no-wrap full-width gap-2 items-start"):
        name = TextField("Save as", value="my_scene").props('outlined dense aria-label="Save as"')
        name.classes("col")
        saver = text_button("Save", look="outline").style("height:40px")

    async def load() -> None:
        if not choice.value:
            choice.error = "choose a scene first"
            return
        await open_scene(state, known[choice.value], choice)

    warned = ""

    async def save() -> None:
        nonlocal warned
        try:
            wanted = check_name(name.value or "")
        except HorusError as error:
            page.complain(str(error), name)
            return
        if wanted != warned and is_saved(wanted, site.folder):
            warned = wanted
            name.error = f"'{wanted}' exists; press Save again to replace it"
            return
        warned = ""
        scene = await page.obey(state.session.editor.scene, field=name)
        if scene is None:
            return
        try:
            path = await asyncio.to_thread(
                save_scene, scene, wanted, site.folder, site.uploads.path
            )
        except (HorusError, OSError) as error:
            page.complain(str(error), name)
            return
        page.log.add(f"saved to {path}")
        ui.notify(f"Saved to {path}", type="positive")
        known.update(_choices(site.folder))
        set_options(choice, list(known), choice.value)

    async def take(event: events.UploadEventArguments) -> None:
        try:
            path = site.uploads.keep(event.file.name, await event.file.read())
        except HorusError as error:
            page.complain(str(error))
            return
        if kind_of(path.name) == "robot":
            place = Transform((0.0, 1.0, 0.1))
            await page.obey(
                lambda: state.session.editor.add_robot(path, place),
                "'{}' was added",
                in_thread=True,
            )
        else:
            await open_scene(state, str(path))

    opener.on_click(load)
    saver.on_click(save)
    hint("Drop URDF, SDF or scene files onto the view, or choose them here.")
    state.view.set_uploader(uploader("Choose files", take, page.complain))


def _choices(folder: Path) -> dict[str, str]:
    """What can be opened: label -> name of a shipped scene, or file."""
    found = {name: name for name in scene_names()}
    for name in saved_scenes(folder):
        found[f"{name} (saved)"] = str(folder / f"{name}.yaml")
    return found


async def open_scene(state: WorldPageState, scene: str, field: ui.select | None = None) -> None:
    """Loads a scene and puts it in place of the present one; errors change nothing."""
    try:
        world = await asyncio.to_thread(World.load, scene)
    except HorusError as error:
        state.page.complain(str(error), field)
        return
    await state.page.obey(
        lambda: state.session.simulation.replace(world),
        f"scene '{world.scene.name}' is loaded",
        field,
    )
