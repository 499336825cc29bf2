"""A robot: where it is, how fast, and its joints, which sliders move."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from nicegui import ui

from horus_sim.hub.messages import JointCommand
from horus_sim.ui.kit.controls import select, set_options
from horus_sim.ui.kit.fields import fixed
from horus_sim.ui.kit.panel import facts, hint

if TYPE_CHECKING:
    from horus_sim.sim3d import World
    from horus_sim.ui.world.page_state import WorldPageState

_REFRESH_S = 0.25
_FULL_TURN = math.pi
_MOST_JOINTS = 40


@dataclass(frozen=True, slots=True)
class RobotState:
    """A robot at one moment; positions [m] and [rad], speeds [m/s] and [rad/s]."""

    name: str
    kind: str
    xyz: tuple[float, float, float]
    rpy: tuple[float, float, float]
    speed: float
    turning: float
    joints: tuple[tuple[str, float, float, float, bool], ...]


def read_robot(world: World, name: str) -> RobotState | None:
    """How a robot is; None if there is none of that name."""
    robot = world.robots.get(name)
    if robot is None:
        return None
    linear, angular = robot.velocity
    movable = set(robot.control.joints.names) if robot.has_control else set()
    joints = tuple(
        (joint, float(position), float(low), float(high), joint in movable)
        for joint, position, low, high in zip(
            robot.joint_names, robot.joint_positions(), robot.lower, robot.upper, strict=True
        )
    )
    x, y, z = (float(value) for value in robot.pose.translation)
    roll, pitch, yaw = (float(value) for value in robot.pose.to_euler())
    kind = robot.control.kind if robot.has_control else "free joints"
    speed, turning = math.hypot(*linear), float(angular[2])
    return RobotState(name, kind, (x, y, z), (roll, pitch, yaw), speed, turning, joints)


def build_robot(state: WorldPageState) -> None:
    """Choice of the robot, its state and its joints."""
    simulation = state.session.simulation
    shown: dict[str, tuple[ui.slider | None, ui.label]] = {}
    empty = hint("There is no robot in this scene.")
    with ui.column().classes("full-width").style("gap:10px") as content:
        chosen = select("Show robot")
        values = facts(("Drive", "Position", "Roll, pitch, yaw", "Speed", "Turning"))
        joints = ui.column().classes("full-width gap-0")
    content.set_visibility(False)

    async def send(joint: str, value: float | None) -> None:
        name = chosen.value
        if name is None or value is None:
            return
        command = JointCommand((joint,), np.array([value]))
        await state.page.obey(
            lambda: simulation.call(lambda _: simulation.running.command(name, command))
        )

    def rebuild(found: RobotState) -> None:
        joints.clear()
        shown.clear()
        with joints:
            if found.joints:
                ui.label("Joints").classes("text-weight-medium q-mb-xs")
            for joint, position, low, high, movable in found.joints[:_MOST_JOINTS]:
                _add_joint(joint, position, low, high, movable=movable)

    def _add_joint(joint: str, position: float, low: float, high: float, *, movable: bool) -> None:
        low = low if math.isfinite(low) else -_FULL_TURN
        high = high if math.isfinite(high) else _FULL_TURN
        with ui.row().classes("items-center no-wrap full-width gap-2"):
            ui.label(joint).classes("horus-hint ellipsis").style("flex:1 1 40%").tooltip(joint)
            slider = None
            if movable:
                at, step = min(max(position, low), high), (high - low) / 500
                slider = ui.slider(min=low, max=high, step=step, value=at).style("flex:1 1 45%")
                slider.props(f'dense aria-label="Joint {joint}"')
                slider.on_value_change(lambda event, joint=joint: send(joint, event.value))
            label = ui.label().classes("horus-fact")
            label.style("min-width:3.6em;text-align:right")
        shown[joint] = (slider, label)

    async def refresh() -> None:
        names = await state.ask(lambda world: list(world.robots))
        set_options(chosen, names, next(iter(names), None))
        found = await state.ask(lambda world: read_robot(world, chosen.value or ""))
        empty.set_visibility(found is None)
        content.set_visibility(found is not None)
        if found is None:
            joints.clear()
            shown.clear()
            return
        angles = ", ".join(fixed(math.degrees(angle), 1) for angle in found.rpy)
        texts = {
            "Drive": found.kind.replace("_", " "),
            "Position": state.page.units.text(found.xyz),
            "Roll, pitch, yaw": f"{angles} deg",
            "Speed": f"{fixed(found.speed)} m/s",
            "Turning": f"{fixed(found.turning)} rad/s",
        }
        for name, text in texts.items():
            values[name].text = text
        if list(shown) != [joint[0] for joint in found.joints[:_MOST_JOINTS]]:
            rebuild(found)
        for joint, position, *_ in found.joints[:_MOST_JOINTS]:
            shown[joint][1].text = fixed(position)

    state.page.every(_REFRESH_S, refresh)
