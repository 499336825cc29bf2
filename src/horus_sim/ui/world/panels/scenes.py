"""Scenes: open a shipped or saved one, save, and drop files onto the page."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nicegui import events, ui

from horus_sim.errors import HorusError
from horus_sim.sim3d import World, scene_names
from horus_sim.tf import Transform
from horus_sim.ui.kit.controls import select, set_options, text_button
from horus_sim.ui.kit.fields import TextField
from horus_sim.ui.kit.messages import complaining
from horus_sim.ui.kit.panel import hint
from horus_sim.ui.kit.uploader import uploader
from horus_sim.ui.shell.uploads import kind_of
from horus_sim.ui.world.model.scene_files import check_name, is_saved, save_scene, saved_scenes

if TYPE_CHECKING:
    from horus_sim.ui.world.model.world_model import WorldModel


def build_scenes(model: WorldModel) -> None:
    """Opening, saving and dropping."""
    page, site = model.page, model.page.site
    known = _choices(site.folder)
    present = model.session.simulation.status.scene
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
        await open_scene(model, known[choice.value], choice)

    warned = ""

    async def save() -> None:
        nonlocal warned
        try:
            wanted = check_name(name.value or "")
            if wanted != warned and is_saved(wanted, site.folder):
                warned = wanted
                name.error = f"'{wanted}' exists; press Save again to replace it"
                return
            warned = ""
            scene = await page.obey(model.session.editor.scene, field=name)
            if scene is None:
                return
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
        with complaining(page):
            path = site.uploads.keep(event.file.name, await event.file.read())
            if kind_of(path.name) == "scene":
                await open_scene(model, str(path))
                return
            place = Transform((0.0, 1.0, 0.1))
            add = partial(model.session.editor.add_robot, path, place)
            await page.obey(add, "'{}' was added", in_thread=True)

    opener.on_click(load)
    saver.on_click(save)
    hint("Drop URDF, SDF or scene files onto the view, or choose them here.")
    model.view.set_uploader(uploader("Choose files", take, page.complain))


def _choices(folder: Path) -> dict[str, str]:
    """What can be opened: label -> name of a shipped scene, or file."""
    found = {name: name for name in scene_names()}
    for name in saved_scenes(folder):
        found[f"{name} (saved)"] = str(folder / f"{name}.yaml")
    return found


async def open_scene(model: WorldModel, scene: str, field: ui.select | None = None) -> None:
    """Loads a scene and puts it in place of the present one; errors change nothing."""
    replace, done = model.session.simulation.replace, f"scene '{Path(scene).stem}' is loaded"
    await model.page.obey(lambda: replace(World.load(scene)), done, field, in_thread=True)
