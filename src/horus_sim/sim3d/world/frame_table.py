"""Which bodies are frames of the transform tree, and below which others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.errors import SceneError
from horus_sim.robots.frame_name import frame_name
from horus_sim.sim3d.world.frames import WORLD_FRAME, BodyFrame
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.robots.engine import mujoco
    from horus_sim.sim3d.compile.compile_spec import Assembly, WorldSpec


def body_frames(model: mujoco.MjModel, assembly: Assembly) -> tuple[BodyFrame, ...]:
    """The frames of a model, parents before children.

    A root link called 'world' that has no prefix is the world itself and no frame of its own.

    Raises:
        SceneError: Two bodies would have the same frame.
    """
    names: dict[int, str] = {0: WORLD_FRAME}
    moved: set[int] = set()
    for part in assembly.spec.robots:
        for link, body in assembly.robots[part.name].bodies.items():
            names[int(model.body(body).id)] = frame_name(f"{part.frame_prefix}{link}")
    for item in assembly.spec.objects:
        body_id = int(model.body(item.name).id)
        names[body_id] = frame_name(item.name)
        if item.config.motion is not None:
            moved.add(body_id)
    owners: dict[str, int] = {WORLD_FRAME: 0}
    frames: list[BodyFrame] = []
    for body in range(1, model.nbody):
        name = names.get(body)
        parent = int(model.body_parentid[body])
        if name is None or (name == WORLD_FRAME and parent == 0):
            continue
        if name in owners:
            raise SceneError(
                f"two frames are called '{name}'; give one of the robots a frame_prefix or the "
                "object another name"
            )
        owners[name] = body
        # Bodies without a frame are passed over; the world's own body is above all.
        while parent and (parent not in names or names[parent] == WORLD_FRAME):
            parent = int(model.body_parentid[parent])
        is_static = int(model.body_dofnum[body]) == 0 and body not in moved
        frames.append(BodyFrame(body, name, parent, names[parent], is_static))
    return tuple(frames)


def extra_frames(spec: WorldSpec) -> dict[str, tuple[str, Transform]]:
    """Frames of descriptions that are no links: name -> (frame above, T_above_frame)."""
    return {
        frame_name(f"{part.frame_prefix}{name}"): (
            frame_name(f"{part.frame_prefix}{link}"),
            T_link_frame,
        )
        for part in spec.robots
        for name, (link, T_link_frame) in part.description.extra_frames.items()
    }
