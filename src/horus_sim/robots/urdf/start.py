"""Where joints start: the initial values of ``<ros2_control>``."""

from __future__ import annotations

from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import parse_floats


def read_start_positions(robot: Element) -> dict[str, float]:
    """Positions [rad] or [m] at which joints start, by name of the joint.

    Raises:
        DescriptionError: A value is not a finite number.
    """
    found: dict[str, float] = {}
    for system in robot.find_all("ros2_control"):
        found |= starts_of_system(system)
    return found


def starts_of_system(system: Element) -> dict[str, float]:
    """The same of one ``<ros2_control>``; all that it holds besides is of no use here."""
    found: dict[str, float] = {}
    for joint in system.find_all("joint"):
        name = (joint.get("name") or "").strip()
        for state in joint.find_all("state_interface"):
            if state.get("name") != "position":
                continue
            for param in state.find_all("param"):
                if param.get("name") == "initial_value":
                    culprit = f"<ros2_control> of joint '{name}'"
                    (found[name],) = parse_floats(
                        param.text, 1, element=param, what="initial_value", culprit=culprit
                    )
    return found
