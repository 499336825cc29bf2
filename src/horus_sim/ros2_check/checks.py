"""The checks: a command of ROS 2 each, and what its answer must be."""

from __future__ import annotations

import math
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import yaml

from horus_sim.errors import HorusError
from horus_sim.ros2_check.commands import Answer, ros2
from horus_sim.ros2_check.our_side import ROBOT, OurSide
from horus_sim.ros2_check.report import Result

TOPICS = {
    "/clock": "rosgraph_msgs/msg/Clock",
    "/tf": "tf2_msgs/msg/TFMessage",
    "/tf_static": "tf2_msgs/msg/TFMessage",
    f"/{ROBOT}/odom": "nav_msgs/msg/Odometry",
    f"/{ROBOT}/scan": "sensor_msgs/msg/LaserScan",
    f"/{ROBOT}/cmd_vel": "geometry_msgs/msg/Twist",
}
_SERVICE = "simulation_interfaces/srv"
# Directly, and not by the daemon, which may run with another implementation.
_LOOK = ("--no-daemon", "--spin-time", "5")
_STEPS = 240
_RECORDED_S = 8.0


class NotRunError(Exception):
    """Something that a check needs is not installed; the text says what."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        name: What is checked.
        run: Does it, with our side and the longest time [s] of a command; gives a line about what
            was seen.
    """

    name: str
    run: Callable[[Side], str]


@dataclass(slots=True)
class Side:
    """What a check works with, and the commands that it ran.

    Attributes:
        ours: The world.
        timeout: Longest time [s] of a command.
        answers: What its commands answered.
    """

    ours: OurSide
    timeout: float
    answers: list[Answer]

    def ros2(self, *words: str) -> Answer:
        """Runs a command that must end well."""
        answer = self.ask(*words)
        _require(answer.is_good, "the command failed" if answer.code else "no answer in time")
        return answer

    def ask(self, *words: str, is_enough: Callable[[str], bool] | None = None) -> Answer:
        """Runs a command that may fail; one without an end is ended when it printed enough."""
        answer = ros2(*words, timeout=self.timeout, is_enough=is_enough)
        self.answers.append(answer)
        return answer


class _FailedError(Exception):
    pass


def _require(holds: object, text: str) -> None:
    if not holds:
        raise _FailedError(text)


def done(check: Check, ours: OurSide, timeout: float) -> Result:
    """Does a check.

    Args:
        check: The check.
        ours: The world.
        timeout: Longest time [s] of a command.
    """
    side = Side(ours, timeout, [])
    try:
        return Result(check.name, "passed", check.run(side))
    except NotRunError as error:
        return Result(check.name, "not run", str(error))
    except (_FailedError, HorusError) as error:
        text = str(error)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        text = f"the answer is not understood ({error!r})"
    details = "\n\n".join(answer.told() for answer in side.answers)
    return Result(check.name, "failed", text, details)


def _topic_list(side: Side) -> str:
    shown = side.ros2("topic", "list", "-t", *_LOOK).output.splitlines()
    for topic, kind in TOPICS.items():
        _require(f"{topic} [{kind}]" in shown, f"there is no '{topic} [{kind}]' in the list")
    return f"{len(TOPICS)} topics with their types"


def _node_list(side: Side) -> str:
    nodes = side.ros2("node", "list", *_LOOK).output.split()
    _require(side.ours.hub.node in nodes, f"'{side.ours.hub.node}' is not in the list")
    return f"{len(nodes)} nodes"


def _echo(side: Side, topic: str, *options: str) -> dict:
    answer = side.ros2("topic", "echo", "--once", *options, topic, TOPICS[topic])
    message = answer.message()
    _require(message, f"no message of '{topic}' was printed")
    return message


def _clock(side: Side) -> str:
    stamp = _echo(side, "/clock").get("clock") or {}
    time_ns = int(stamp.get("sec", 0)) * 1_000_000_000 + int(stamp.get("nanosec", 0))
    now_ns = int(side.ours.status()["stamp_ns"])
    _require(0 < time_ns <= now_ns, f"the time is {time_ns} ns, and the world's {now_ns} ns")
    return f"{time_ns / 1e9:.3f} s"


def _scan(side: Side) -> str:
    scan = _echo(side, f"/{ROBOT}/scan", "--full-length")
    frame, ranges = (scan.get("header") or {}).get("frame_id"), scan.get("ranges") or []
    _require(frame == f"{ROBOT}/scan", f"the frame is '{frame}', not '{ROBOT}/scan'")
    turn = (float(scan.get("angle_max", 0)) - float(scan.get("angle_min", 0))) or math.nan
    count = round(turn / float(scan.get("angle_increment", math.nan) or math.nan)) + 1
    _require(abs(len(ranges) - count) <= 1, f"there are {len(ranges)} ranges, not {count}")
    return f"{len(ranges)} ranges in '{frame}'"


def _odom(side: Side) -> str:
    odom = _echo(side, f"/{ROBOT}/odom")
    frame = (odom.get("header") or {}).get("frame_id")
    _require(frame == f"{ROBOT}/odom", f"the frame is '{frame}', not '{ROBOT}/odom'")
    turned = odom.get("pose", {}).get("pose", {}).get("orientation", {})
    length = math.sqrt(sum(float(turned.get(axis, 0)) ** 2 for axis in "xyzw"))
    _require(abs(length - 1) < 1e-3, f"the orientation has the length {length:.3f}")
    return f"'{odom.get('child_frame_id')}' in '{frame}'"


def _tf_static(side: Side) -> str:
    options = ("--qos-durability", "transient_local", "--qos-reliability", "reliable")
    transforms = _echo(side, "/tf_static", *options).get("transforms") or []
    frames = {each.get("child_frame_id") for each in transforms if isinstance(each, dict)}
    _require(f"{ROBOT}/odom" in frames, f"the frame '{ROBOT}/odom' is not among {len(frames)}")
    return f"{len(frames)} frames, sent before"


def _qos(side: Side) -> str:
    told = side.ros2("topic", "info", "-v", "/tf_static", *_LOOK).output
    for text in ("Reliability: RELIABLE", "Durability: TRANSIENT_LOCAL", TOPICS["/tf_static"]):
        _require(text in told, f"'{text}' is not shown")
    return "RELIABLE, TRANSIENT_LOCAL"


def _rate(side: Side) -> str:
    def rates(output: str) -> list[float]:
        return [float(text) for text in re.findall(r"average rate: ([0-9.]+)\n", output)]

    told = side.ask("topic", "hz", "/clock", is_enough=lambda output: len(rates(output)) > 1)
    found = rates(told.output)
    _require(found and found[-1] > 0, "no rate was measured")
    return f"{found[-1]:.0f} Hz"


def _drive(side: Side) -> str:
    before = side.ours.position(side.timeout)
    speed = "{linear: {x: 0.2}}"
    topic = f"/{ROBOT}/cmd_vel"
    side.ros2("topic", "pub", "-r", "10", "-t", "30", topic, TOPICS[topic], speed)
    distance = math.dist(before, side.ours.position(side.timeout))
    _require(distance > 0.1, f"the robot moved {distance:.3f} m")
    return f"the robot moved {distance:.2f} m"


def _service_list(side: Side) -> str:
    shown = side.ros2("service", "list", "-t", *_LOOK).output.splitlines()
    wanted = f"/step_simulation [{_SERVICE}/StepSimulation]"
    _require(wanted in shown, f"there is no '{wanted}' in the list")
    return f"{len(shown)} services"


def _service_call(side: Side) -> str:
    if not side.ask("interface", "show", f"{_SERVICE}/StepSimulation").is_good:
        raise NotRunError(
            "the package simulation_interfaces is not installed: "
            "apt install ros-$ROS_DISTRO-simulation-interfaces"
        )

    def set_state(number: int) -> None:
        state = f"{{state: {{state: {number}}}}}"
        kind = f"{_SERVICE}/SetSimulationState"
        side.ros2("service", "call", "/set_simulation_state", kind, state)

    set_state(2)
    before = side.ours.status()
    _require(before["paused"], "the world is not paused")
    steps = f"{{steps: {_STEPS}}}"
    side.ros2("service", "call", "/step_simulation", f"{_SERVICE}/StepSimulation", steps)
    passed_s = (side.ours.status()["stamp_ns"] - before["stamp_ns"]) / 1e9
    wanted_s = _STEPS * before["timestep"]
    _require(abs(passed_s - wanted_s) < 1e-6, f"{passed_s:.6f} s passed, not {wanted_s:.6f} s")
    set_state(1)
    _require(not side.ours.status()["paused"], "the world is still paused")
    return f"paused, {_STEPS} steps made, went on"


def _bag(side: Side) -> str:
    if not side.ask("bag", "record", "--help").is_good:
        raise NotRunError("rosbag2 is not installed: apt install ros-$ROS_DISTRO-ros2bag")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bag")
        words = ("bag", "record", "-o", str(path), "/clock", f"/{ROBOT}/odom")
        began: list[float] = []

        def has_recorded(_: str) -> bool:
            if path.is_dir() and not began:
                began.append(time.monotonic())
            return bool(began) and time.monotonic() - began[0] > _RECORDED_S

        side.ask(*words, is_enough=has_recorded)
        file = path / "metadata.yaml"
        _require(file.is_file(), "no metadata.yaml was written")
        counts = {}
        for each in yaml.safe_load(file.read_text())["rosbag2_bagfile_information"][
            "topics_with_message_count"
        ]:
            counts[each["topic_metadata"]["name"]] = each["message_count"]
    for topic in ("/clock", f"/{ROBOT}/odom"):
        _require(counts.get(topic, 0) > 0, f"the bag holds no message of '{topic}'")
    return f"{sum(counts.values())} messages"


CHECKS = (
    Check("topic list", _topic_list),
    Check("node list", _node_list),
    Check("topic echo /clock", _clock),
    Check(f"topic echo /{ROBOT}/scan", _scan),
    Check(f"topic echo /{ROBOT}/odom", _odom),
    Check("topic echo /tf_static, late", _tf_static),
    Check("topic info -v: quality of service", _qos),
    Check("topic hz /clock", _rate),
    Check(f"topic pub /{ROBOT}/cmd_vel", _drive),
    Check("service list", _service_list),
    Check("service call: pause, step", _service_call),
    Check("bag record", _bag),
)
