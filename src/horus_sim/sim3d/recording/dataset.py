"""Datasets: pictures with depth, labels and poses, in files that every tool reads."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from PIL import Image
from pydantic import Field

from horus_sim.errors import RecordingError, SceneError
from horus_sim.files.whole_file import replacing
from horus_sim.sim3d.recording.viewpoint import camera_names, view_of
from horus_sim.sim3d.rendering.gl import choose_backend
from horus_sim.sim3d.rendering.render_worker import View, worker
from horus_sim.sim3d.scene.base import Config, Finite
from horus_sim.sim3d.sensors.cameras.segmentation import label_table
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.sim3d.world.world import World


class DatasetConfig(Config):
    """What is exported.

    Attributes:
        camera: Name of a camera of the scene or of a camera sensor; the first unless given.
        width: Width of the pictures [pixels]; a camera sensor has its own size.
        height: Height of the pictures [pixels].
        frames: Number of pictures.
        every: Simulated time between them [s].
    """

    camera: str | None = None
    width: Annotated[int, Field(ge=16, le=4096)] = 640
    height: Annotated[int, Field(ge=16, le=4096)] = 480
    frames: Annotated[int, Field(ge=1)] = 100
    every: Annotated[Finite, Field(gt=0)] = 0.1


def export_dataset(
    world: World,
    folder: Path | str,
    config: DatasetConfig | None = None,
    advance: Callable[[int], object] | None = None,
    step: Callable[[int], object] | None = None,
) -> int:
    """Runs a world and writes pictures of it.

    The folder holds ``rgb/000000.png`` (8 bit), ``depth/000000.npy`` (float32 [m] along the optical
    axis, infinite where nothing is), ``labels/000000.png`` (16 bit, 0 is the background),
    ``labels.json`` (what the labels stand for), ``camera.json`` (size and K) and ``frames.jsonl``
    (one line a picture: stamp, ``T_world_optical`` and the pose of every robot and object, each
    as translation and rotation x, y, z, w).

    Args:
        world: The world.
        folder: Is made; must be empty if it exists.
        config: Camera, size, number and distance of the pictures.
        advance: Called with 1 after every picture.
        step: Moves the world by that many steps; `World.step` unless given.

    Returns:
        How many pictures were written.

    Raises:
        RenderError: There is no OpenGL; the text says what to install.
        RecordingError: The folder is not empty or cannot be written.
        SceneError: There is no such camera.
    """
    config = config or DatasetConfig()
    choose_backend()
    camera = config.camera or _first_camera(world)
    view_of(world, camera, config.width, config.height)
    folder = Path(folder)
    steps = max(1, round(config.every / world.timestep))
    written = 0
    try:
        if folder.exists() and any(folder.iterdir()):
            raise RecordingError(f"'{folder}' is not empty; choose another folder or empty it")
        for name in ("rgb", "depth", "labels"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        names: tuple[str, ...] = ()
        with (folder / "frames.jsonl").open("w") as frames:
            for number in range(config.frames):
                if number:
                    (step or world.step)(steps)
                view = view_of(world, camera, config.width, config.height)
                if number == 0:
                    _write_json(folder / "camera.json", _camera(camera, view))
                labels = _write_pictures(world, folder, number, view)
                if labels != names:
                    names = labels
                    _write_json(folder / "labels.json", dict(enumerate(names)))
                frames.write(json.dumps(_frame(world, number, view)) + "\n")
                frames.flush()
                written += 1
                if advance is not None:
                    advance(1)
    except OSError as error:
        cause = error.strerror or error
        raise RecordingError(
            f"the dataset '{folder}' cannot be written: {cause}; {written} of {config.frames} "
            "pictures are whole; free some space or choose another folder"
        ) from error
    return config.frames


def _first_camera(world: World) -> str:
    found = camera_names(world)
    if not found:
        raise SceneError(
            "the world has no camera; add one to the scene: "
            "cameras: [{name: overview, position: [3, -3, 2]}]"
        )
    return found[0]


def _write_pictures(world: World, folder: Path, number: int, view: View) -> tuple[str, ...]:
    model, data = world.model, world.data
    colours = worker.draw(model, "nice", lambda canvas: canvas.colours(data, view))
    depth = worker.draw(model, "fast", lambda canvas: canvas.depths(data, view))
    geoms = worker.draw(model, "fast", lambda canvas: canvas.geoms(data, view))
    names, table = label_table(world, "thing")
    Image.fromarray(colours).save(folder / "rgb" / f"{number:06d}.png")
    # By a buffer: numpy's own error does not say that a disk is full.
    buffer = io.BytesIO()
    np.save(buffer, depth)
    (folder / "depth" / f"{number:06d}.npy").write_bytes(buffer.getvalue())
    labels = table[geoms].astype(np.uint16)
    Image.fromarray(labels).save(folder / "labels" / f"{number:06d}.png")
    return names


def _camera(name: str, view: View) -> dict[str, Any]:
    intrinsics = view.intrinsics
    return {
        "name": name,
        "width": intrinsics.width,
        "height": intrinsics.height,
        "K": intrinsics.K.tolist(),
    }


def _frame(world: World, number: int, view: View) -> dict[str, Any]:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = view.R_world_optical, view.position
    things = {**world.robots, **world.objects}
    return {
        "frame": number,
        "stamp_ns": world.stamp_ns,
        "T_world_optical": _pose(Transform.from_matrix(matrix)),
        "poses": {name: _pose(thing.pose) for name, thing in things.items()},
    }


def _pose(T: Transform) -> dict[str, list[float]]:
    return {"translation": T.translation.tolist(), "rotation": T.rotation.tolist()}


def _write_json(path: Path, value: Any) -> None:  # noqa: ANN401 - plain data
    with replacing(path) as file:
        file.write(f"{json.dumps(value, indent=1)}\n".encode())
