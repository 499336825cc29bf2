"""All checks, one after the other, with the versions of what takes part."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
from collections.abc import Callable

from horus_sim import __version__
from horus_sim.errors import HubError
from horus_sim.ros2_check.checks import CHECKS, done
from horus_sim.ros2_check.commands import RMW, ros2
from horus_sim.ros2_check.our_side import OurSide
from horus_sim.ros2_check.report import Report, Result


def run_ros2_check(
    timeout: float = 30.0, show: Callable[[Result], object] = lambda _: None
) -> Report:
    """Starts a world on plain topics, and lets the commands of ROS 2 look at it and drive it.

    Args:
        timeout: Longest time [s] of each command.
        show: Called with each result as it comes.

    Raises:
        HubError: ROS 2 or rmw_zenoh_cpp is not installed, or the world does not come up.
    """
    if shutil.which("ros2") is None:
        raise HubError(
            "there is no 'ros2' on PATH; install ROS 2 (Jazzy, Kilted or later) with "
            "'apt install ros-jazzy-ros-base ros-jazzy-rmw-zenoh-cpp', and run "
            "'source /opt/ros/jazzy/setup.bash' in this terminal"
        )
    distribution = os.environ.get("ROS_DISTRO", "")
    found = ros2("pkg", "xml", "-t", "version", RMW, timeout=timeout)
    if not found.is_good:
        raise HubError(
            f"'{RMW}' is not there; install it with 'apt install ros-{distribution or 'jazzy'}"
            f"-rmw-zenoh-cpp', and source the setup of ROS again\n{found.told()}"
        )
    report = Report(
        {
            "ROS_DISTRO": distribution or "(not set)",
            RMW: found.output.strip().splitlines()[-1],
            "horus-sim": __version__,
            "eclipse-zenoh": importlib.metadata.version("eclipse-zenoh"),
            "Python": platform.python_version(),
            "system": platform.platform(),
            "ROS_DOMAIN_ID": os.environ.get("ROS_DOMAIN_ID", "(not set)"),
            "ZENOH_CONFIG_OVERRIDE": os.environ.get("ZENOH_CONFIG_OVERRIDE", "(not set)"),
        }
    )
    with OurSide(timeout * 2) as ours:
        for check in CHECKS:
            report.results.append(done(check, ours, timeout))
            show(report.results[-1])
    return report
