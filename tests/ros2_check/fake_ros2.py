# ruff: noqa: T201 - it is a program that prints
"""Stands in for `ros2` where no ROS is: prints what that prints, of what is really on the topics.

``FAKE_FAULTS`` names commands that go wrong: ``silent:echo /burger/scan`` hangs, ``fail:bag`` ends
with an error, ``nothing:pub`` does nothing and ends well, ``garbage:echo /clock`` prints none.
"""

from __future__ import annotations

import json
import os
import sys
import time

import yaml

from horus_sim.hub import QoS, connect
from horus_sim.hub.json_form import to_text
from horus_sim.hub.ros.binding import ros_message

WORDS = sys.argv[1:]
LINE = " ".join(WORDS)


def option(*names: str, default: str = "") -> str:
    """The value behind an option; it is taken out."""
    for name in names:
        if name in WORDS:
            at = WORDS.index(name)
            value = WORDS[at + 1]
            del WORDS[at : at + 2]
            return value
    return default


def flag(name: str) -> bool:
    """Whether an option is there; it is taken out."""
    found = name in WORDS
    if found:
        WORDS.remove(name)
    return found


def misbehave() -> None:
    """Goes wrong, if this command is to."""
    for fault in filter(None, os.environ.get("FAKE_FAULTS", "").split(",")):
        kind, _, text = fault.partition(":")
        if text not in LINE:
            continue
        if kind == "fail":
            sys.exit(f"it broke: {text}")
        while kind == "silent":
            time.sleep(1)
        print("no such luck" if kind == "garbage" else "")
        sys.exit(0)


def listed(hub, look, wanted) -> None:
    """Prints what is found once something wanted is among it, or when the time is over."""
    end = time.monotonic() + float(option("--spin-time", default="5")) * 4
    while wanted not in (found := look(hub)) and time.monotonic() < end:
        time.sleep(0.05)
    print("\n".join(sorted(found)))


def topics(hub) -> list[str]:
    kinds = {(info.name, kind) for info in hub.topics() for kind in (*info.kinds, *info.wanted)}
    return [f"/{name} [{kind}]" for name, kind in kinds]


def services(hub) -> list[str]:
    return [f"/{info.name} [{', '.join(info.kinds)}]" for info in hub.services() if info.servers]


def main() -> None:
    if LINE == "pkg xml -t version rmw_zenoh_cpp":
        if "fail:pkg" in os.environ.get("FAKE_FAULTS", ""):
            sys.exit("Package 'rmw_zenoh_cpp' not found")
        print("0.2.7")
        return
    if os.environ.get("RMW_IMPLEMENTATION") != "rmw_zenoh_cpp":
        sys.exit("the fake knows rmw_zenoh_cpp alone")
    misbehave()
    if WORDS[:2] in (["interface", "show"], ["bag", "record"]) and WORDS[-1] != "/burger/odom":
        return
    with connect("zenoh://", "default", name="fake_ros2", remap={}) as hub:
        flag("--no-daemon")
        command, rest = WORDS[:2], WORDS[2:]
        if command == ["topic", "list"]:
            listed(hub, topics, "/burger/cmd_vel [geometry_msgs/msg/Twist]")
        elif command == ["node", "list"]:
            listed(hub, lambda hub: hub.nodes(), "/ros2_check")
        elif command == ["service", "list"]:
            wanted = "/step_simulation [simulation_interfaces/srv/StepSimulation]"
            listed(hub, services, wanted)
        elif command == ["topic", "info"]:
            while not (ends := [e for e in hub.ends() if e.name == "tf_static"]):
                time.sleep(0.05)
            durability = "TRANSIENT_LOCAL" if ends[0].qos.latched else "VOLATILE"
            print(f"Type: {ends[0].ros_type}\n  Reliability: RELIABLE\n  Durability: {durability}")
        elif command == ["topic", "echo"]:
            latched = option("--qos-durability") == "transient_local"
            option("--qos-reliability")
            kind = ros_message(WORDS[-1])
            message = hub.subscribe(WORDS[-2], kind, QoS(latched=latched)).wait(60)
            print("WARNING: a line before it")
            print(yaml.safe_dump(json.loads(to_text(message))) + "---")
        elif command == ["topic", "hz"]:
            messages = hub.subscribe(WORDS[-1], ros_message("rosgraph_msgs/msg/Clock"))
            begin = time.monotonic()
            try:
                while True:
                    messages.wait(1)
                    rate = messages.received / (time.monotonic() - begin)
                    print(f"average rate: {rate:.3f}", flush=True)
            except KeyboardInterrupt:
                return
        elif command == ["topic", "pub"]:
            rate, times = float(option("-r")), int(option("-t"))
            kind = ros_message(WORDS[-2])
            given = yaml.safe_load(WORDS[-1])
            zero = dict.fromkeys("xyz", 0.0)
            message = kind(**{name: zero | given.get(name, {}) for name in ("linear", "angular")})
            publisher = hub.publisher(WORDS[-3], kind)
            while not any(i.name == "burger/cmd_vel" and i.subscriptions for i in hub.topics()):
                time.sleep(0.05)
            for _ in range(times):
                publisher.send(message)
                time.sleep(1 / rate)
        elif command == ["service", "call"]:
            with hub.client(rest[0], rest[1]) as client:
                print("response:", client.call(yaml.safe_load(rest[2]), timeout=60))
        elif command == ["bag", "record"]:
            from horus_sim.running.recording import BagRecorder
            from horus_sim.running.recording.bag.session_recorder import SessionRecorder

            with (
                BagRecorder(option("-o")) as recorder,
                SessionRecorder(hub, recorder, ["clock", "burger/odom"]) as session,
            ):
                try:
                    while True:
                        session.look()
                        session.write()
                        time.sleep(0.05)
                except KeyboardInterrupt:
                    return
        else:
            sys.exit(f"the fake does not know '{LINE}'")


main()
