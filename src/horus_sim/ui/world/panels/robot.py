"""A robot: where it is, how fast, and its joints, which sliders move."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from nicegui import ui

from horus_sim.hub.messages import JointCommand
from horus_sim.ui.kit.controls import select, set_options, slider
from horus_sim.ui.kit.fields import fixed
from horus_sim.ui.kit.panel import facts, hint

if TYPE_CHECKING:
    from horus_sim.sim3d import World
    from horus_sim.ui.shell.units import Units
    from horus_sim.ui.world.model.world_model import WorldModel

_REFRESH_S = 0.25
_MOST_JOINTS = 40


@dataclass(frozen=True, slots=True)
class JointState:
    """A joint at one moment.

    Attributes:
        position: Position [m] or [rad].
        low: Least position that a slider offers.
        high: Greatest position that a slider offers.
        is_movable: Whether it can be commanded.
    """

    position: float
    low: float
    high: float
    is_movable: bool


def read_robot(
    world: World, name: str, units: Units
) -> tuple[dict[str, str], dict[str, JointState]] | None:
    """How a robot is, in words, and its joints by name; None if there is none of that name."""
    robot = world.robots.get(name)
    if robot is None:
        return None
    linear, angular = robot.velocity
    movable = set(robot.control.joints.names) if robot.has_control else set()
    kind = robot.control.kind if robot.has_control else "free joints"
    angles = ", ".join(fixed(math.degrees(angle), 1) for angle in robot.pose.to_euler())
    texts = {
        "Drive": kind.replace("_", " "),
        "Position": units.text(robot.pose.translation),
        "Roll, pitch, yaw": f"{angles} deg",
        "Speed": f"{fixed(math.hypot(*linear))} m/s",
        "Turning": f"{fixed(angular[2])} rad/s",
    }
    positions = robot.joint_positions()
    # A joint without limits can be turned to any angle.
    lower, upper = (
        np.where(np.isfinite(limit), limit, usual)
        for limit, usual in ((robot.lower, -math.pi), (robot.upper, math.pi))
    )
    joints = {
        joint: JointState(float(position), float(low), float(high), joint in movable)
        for joint, position, low, high in zip(
            robot.joint_names[:_MOST_JOINTS], positions, lower, upper, strict=False
        )
    }
    return texts, joints


def build_robot(model: WorldModel) -> None:
    """Choice of the robot, its state and its joints."""
    page, simulation = model.page, model.session.simulation
    shown: dict[str, ui.label] = {}
    empty = hint("There is no robot in this scene.")
    with ui.column().classes("full-width").style("gap:10px") as content:
        chosen = select("Show robot")
        values = facts(("Drive", "Position", "Roll, pitch, yaw", "Speed", "Turning"))
        joints = ui.column().classes("full-width gap-0")
    content.set_visibility(False)

    async def send(joint: str, value: float) -> None:
        command = JointCommand((joint,), np.array([value]))
        if (name := chosen.value) is not None:
            await page.obey(
                lambda: simulation.call(lambda _: simulation.running.command(name, command))
            )

    def rebuild(found: dict[str, JointState]) -> None:
        joints.clear()
        shown.clear()
        with joints:
            if found:
                ui.label("Joints").classes("text-weight-medium q-mb-xs")
            for name, joint in found.items():
                with ui.row().classes("items-center no-wrap full-width gap-2"):
                    label = ui.label(name).classes("horus-hint ellipsis")
                    label.style("flex:1 1 40%").tooltip(name)
                    if joint.is_movable:
                        at = min(max(joint.position, joint.low), joint.high)
                        step, move = (joint.high - joint.low) / 500, partial(send, name)
                        moved = slider(f"Joint {name}", joint.low, joint.high, step, at, move)
                        moved.style("flex:1 1 45%")
                    shown[name] = ui.label().classes("horus-fact")
                    shown[name].style("min-width:3.6em;text-align:right")

    async def refresh() -> None:
        names = await model.ask(lambda world: list(world.robots))
        set_options(chosen, names, next(iter(names), None))
        found = await model.ask(lambda world: read_robot(world, chosen.value or "", page.units))
        empty.set_visibility(found is None)
        content.set_visibility(found is not None)
        texts, present = found or ({}, {})
        for name, text in texts.items():
            values[name].text = text
        if list(shown) != list(present):
            rebuild(present)
        for name, joint in present.items():
            shown[name].text = fixed(joint.position)

    page.every(_REFRESH_S, refresh)
