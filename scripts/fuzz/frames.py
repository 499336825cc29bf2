"""Damaged and odd messages, thrown at a running world over zenoh.

Every one travels through a real subscription into the running of a world that steps. Afterwards
the world must step, answer a request and obey a command, and nothing may have left a traceback.

    python scripts/fuzz/frames.py 100000 1
"""

from __future__ import annotations

import json
import logging
import math
import random
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from horus_sim.hub import QoS, TFListener, connect
from horus_sim.hub.messages import CmdVel, JointCommand, Odometry, String, Twist
from horus_sim.hub.ros.binding import binding_of
from horus_sim.hub.zenoh.attachment import halves, packed
from horus_sim.hub.zenoh.keys import data_key, gid_of
from horus_sim.hub.zenoh.meeting import config, router_port
from horus_sim.hub.zenoh.transport import ZenohHub
from horus_sim.running import RunningWorld
from horus_sim.sim3d import World
from horus_sim.tf import TFMessage, Transform, TransformStamped

BATCH = 20
LONG_S = 60.0
EXTREME_FLOATS = (math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, 0.0, -0.0, 1.0)
EXTREME_INTS = (0, 1, -1, 2**31, 2**63 - 1, -(2**63), 2**64 - 1)
EXTREME_U64 = (0, 1, 2**31, 2**63, 2**64 - 2, 2**64 - 1)
REQUESTS = ("pause", "step", "reset", "spawn", "remove")
FIELDS = ("id", "paused", "steps", "seed", "robot", "object", "name", "what")


class Findings(logging.Handler):
    """What went wrong: tracebacks in the log and in threads, and failed checks."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        """Takes a record of the log; only tracebacks count."""
        if record.exc_info and record.exc_info[1] is not None:
            self.add(f"logged: {record.exc_info[1]!r:.200}")

    def add(self, text: str) -> None:
        """Adds one."""
        self.texts[text] += 1

    def watch_threads(self) -> None:
        """Counts exceptions that end a thread or that nobody could catch."""
        threading.excepthook = lambda args: self.add(f"thread: {args.exc_value!r:.200}")
        sys.unraisablehook = lambda args: self.add(f"unraisable: {args.exc_value!r:.200}")
        # zenoh prints by it what a callback raises.
        sys.excepthook = lambda _, error, __: self.add(f"callback: {error!r:.200}")


class Frames:
    """Makes frames.

    Args:
        seed: Seed of the random numbers.
        robot: Name of a robot in the world.
        joints: Its joints.
        sender: The GID of a publisher that the world knows.
    """

    def __init__(self, seed: int, robot: str, joints: tuple[str, ...], sender: bytes) -> None:
        self._random = random.Random(seed)  # noqa: S311 - no secret
        self._joints = joints
        self._sender, self._rest = halves(sender)
        self._makers: dict[str, Callable[[], Any]] = {
            f"{robot}/cmd_vel": lambda: CmdVel(self._float(), self._float()),
            f"{robot}/cmd_twist": lambda: Twist(self._vector(), self._vector()),
            f"{robot}/joint_command": self._joint_command,
            **{f"sim/{verb}": self._request for verb in REQUESTS},
            "tf": lambda: TFMessage([self._transform() for _ in range(self._random.randrange(4))]),
            "tf_static": lambda: TFMessage([self._transform()]),
        }

    def make(self) -> tuple[str, bytes, bytes]:
        """A key, the bytes for it, and what goes beside them."""
        pick = self._random
        topic = pick.choice(tuple(self._makers))
        binding = binding_of(type(self._makers[topic]()))
        key = data_key(0, topic, binding.name, binding.type_hash)
        # Sometimes the message of another topic.
        source = topic if pick.random() < 0.9 else pick.choice(tuple(self._makers))
        message = self._makers[source]()
        data = binding_of(type(message)).encode(message)
        way = pick.random()
        if way < 0.3:
            data = self._mutated(bytearray(data))
        elif way < 0.5 and binding.kind is dict:
            text = json.dumps(self._plain())
            data = binding_of(String).encode(String(text))
        elif way < 0.6:
            data = pick.randbytes(pick.randrange(200))
        return key, data, self._attachment()

    def _attachment(self) -> bytes:
        pick = self._random
        if pick.random() < 0.1:
            return pick.randbytes(pick.choice((0, 1, 32, 33, 34, 200)))
        sent_ns = pick.choice((time.time_ns(), *EXTREME_INTS[:-1]))
        sequence = pick.choice(EXTREME_INTS[:-1])
        sender = self._sender if pick.random() < 0.7 else pick.randbytes(8)
        return packed(sequence, sent_ns, sender, self._rest ^ self._epoch())

    def _mutated(self, data: bytearray) -> bytes:
        pick = self._random
        for _ in range(pick.randint(1, 6)):
            data[pick.randrange(len(data))] = pick.randrange(256)
        if pick.random() < 0.3:
            del data[pick.randrange(len(data)) :]
        if pick.random() < 0.1:
            data += pick.randbytes(pick.randrange(64))
        return bytes(data)

    def _plain(self, depth: int = 0) -> Any:  # noqa: ANN401 - any plain value
        pick = self._random
        way = pick.randrange(5 if depth < 3 else 3)
        if way == 0:
            return self._float()
        if way == 1:
            return pick.choice(EXTREME_INTS)
        if way == 2:
            return pick.choice((None, True, False, "", "base", "x" * 300))
        if way == 3:
            return [self._plain(depth + 1) for _ in range(pick.randrange(4))]
        return {pick.choice(FIELDS): self._plain(depth + 1) for _ in range(pick.randrange(4))}

    def _request(self) -> dict[str, Any]:
        pick = self._random
        thing = {
            "name": self._name(),
            "model": pick.choice(("nothing", "\x00", "../x", "x" * 5000)),
        }
        values = (True, False, 1, 3, 0, -1, 2**40, 0.5, math.nan, "box_1", "", thing, [thing], None)
        return {key: pick.choice(values) for key in pick.sample(FIELDS, pick.randrange(1, 4))}

    def _joint_command(self) -> JointCommand:
        pick = self._random
        names = tuple(pick.choice((*self._joints, "nothing")) for _ in range(pick.randrange(4)))
        mode = pick.choice(("position", "velocity", "effort"))
        stamp_ns = self._random.choice((0, 1, -1, 2**31, 2**60))
        return JointCommand(names, np.array([self._float() for _ in names]), mode, stamp_ns)

    def _transform(self) -> TransformStamped:
        stamp_ns = abs(self._stamp()) % 2**60
        return TransformStamped("a", self._name(), stamp_ns, Transform())

    def _vector(self) -> tuple[float, float, float]:
        return (self._float(), self._float(), self._float())

    def _float(self) -> float:
        pick = self._random
        return pick.choice(EXTREME_FLOATS) if pick.random() < 0.3 else pick.uniform(-3, 3)

    def _stamp(self) -> int:
        return self._random.choice(EXTREME_INTS[:-1])

    def _name(self) -> str:
        return self._random.choice(("base", "wheel", "\x1b[2J", "ß" * 9, "a/b", "x" * 60))

    def _epoch(self) -> int:
        pick = self._random
        return pick.choice(EXTREME_U64) if pick.random() < 0.3 else 0


class Target:
    """A running world, with a listener of transforms, on a session of its own."""

    def __init__(self, session: str) -> None:
        self.hub: ZenohHub = connect("zenoh://", session=session, name="world")  # type: ignore
        self.running = RunningWorld(World.load("empty_world", seed=1), self.hub)
        self.listener = TFListener(self.hub)
        self.robot = self.running.spawn("turtlebot3_burger")
        self.running.start()

    def check(self, findings: Findings) -> None:
        """Whether the world is reset on request, and obeys afterwards."""
        with connect("zenoh://", session=self.hub.session, name="checker") as hub:
            replies = hub.subscribe("sim/reply", dict, QoS(depth=1000))
            odometry = hub.subscribe(f"{self.robot}/odom", Odometry, QoS(depth=1, reliable=False))
            ask = hub.publisher("sim/reset", dict)
            drive = hub.publisher(f"{self.robot}/cmd_vel", CmdVel)
            resume = hub.publisher("sim/pause", dict)
            if not self._until(lambda: _has_reply(replies, "check"), lambda: _ask(ask, resume)):
                findings.add("no reply to a reset after the frames")
            if not self._until(lambda: _moves(odometry), lambda: drive.send(CmdVel(0.2))):
                findings.add("the robot does not obey after the frames")

    def _until(self, condition: Callable[[], bool], act: Callable[[], object]) -> bool:
        end = time.monotonic() + LONG_S
        while time.monotonic() < end:
            act()
            self.running.poll()
            self.running.step(10)
            if condition():
                return True
            time.sleep(0.02)
        return False

    def close(self) -> None:
        """Ends it."""
        self.listener.close()
        self.running.close()
        self.hub.close()


def _ask(reset: Any, resume: Any) -> None:  # noqa: ANN401 - publishers
    reset.send({"id": "check"})
    resume.send({"paused": False})


def _has_reply(replies: Any, identity: str) -> bool:  # noqa: ANN401 - a subscription
    while (reply := replies.take()) is not None:
        if reply["id"] == identity and reply["ok"]:
            return True
    return False


def _moves(odometry: Any) -> bool:  # noqa: ANN401 - a subscription
    newest = odometry.latest()
    return newest is not None and newest.linear[0] > 0.05


def main(count: int, seed: int) -> dict[str, int]:
    """Throws frames at a world.

    Args:
        count: Number of frames.
        seed: Seed of the random numbers.

    Returns:
        What was found, and how often.
    """
    findings = Findings()
    logger = logging.getLogger("horus_sim")
    logger.addHandler(findings)
    logger.propagate = False
    hooks = threading.excepthook, sys.unraisablehook, sys.excepthook
    findings.watch_threads()
    target = Target(f"fuzz-{uuid.uuid4().hex[:12]}")
    joints = target.running.world.robots[target.robot].joint_names
    known = target.hub.publisher("tf", TFMessage)
    frames = Frames(seed, target.robot, joints, gid_of(known._token))  # type: ignore[attr-defined]
    arrived = _Arrivals(target.hub)
    session = target.hub.zenoh.open(_peer_of(target.hub))
    try:
        arrived.await_link(session)
        sent = 0
        while sent < count:
            target.running.resume()
            for _ in range(min(BATCH, count - sent)):
                key, data, attachment = frames.make()
                block = _block(target.hub)
                session.put(key, data, attachment=attachment, congestion_control=block)
                sent += 1
            arrived.await_mark(session)
            try:
                target.running.poll()
                target.running.step(3)
            except Exception as error:  # noqa: BLE001 - any is a finding
                findings.add(f"the world ended: {error!r:.200}")
                break
        else:
            target.check(findings)
    finally:
        session.close()
        target.close()
        logger.removeHandler(findings)
        logger.propagate = True
        threading.excepthook, sys.unraisablehook, sys.excepthook = hooks
    return dict(findings.texts)


class _Arrivals:
    """Tells when all that was sent before has arrived: messages of one link keep their order."""

    def __init__(self, hub: ZenohHub) -> None:
        self._hub = hub
        self._key = "mark"
        self._marks: set[bytes] = set()
        self._mark = hub.zenoh_session.declare_subscriber(
            self._key, lambda sample: self._marks.add(sample.payload.to_bytes())
        )

    def await_link(self, session: Any) -> None:  # noqa: ANN401 - a zenoh session
        """Waits until the sender knows the way."""
        self.await_mark(session)

    def await_mark(self, session: Any) -> None:  # noqa: ANN401 - a zenoh session
        """Sends a mark again and again until one arrives."""
        mark = uuid.uuid4().bytes
        end = time.monotonic() + LONG_S
        while mark not in self._marks:
            if time.monotonic() > end:
                raise TimeoutError("frames do not arrive")
            session.put(self._key, mark, congestion_control=_block(self._hub))
            time.sleep(0.002)
        self._marks.clear()


def _block(hub: ZenohHub) -> Any:  # noqa: ANN401 - of zenoh
    return hub.zenoh.CongestionControl.BLOCK


def _peer_of(hub: ZenohHub) -> Any:  # noqa: ANN401 - of zenoh
    address = f"tcp/127.0.0.1:{router_port()}"
    return config(hub.zenoh, "peer", ["tcp/127.0.0.1:0"], [address], hub.session)


if __name__ == "__main__":
    COUNT, SEED = (int(text) for text in (*sys.argv[1:], "10000", "0")[:2])
    BEGIN = time.monotonic()
    FOUND = main(COUNT, SEED)
    print(json.dumps(FOUND, indent=2))
    print(f"{COUNT} frames, seed {SEED}: {len(FOUND)} findings in {time.monotonic() - BEGIN:.0f} s")
    sys.exit(1 if FOUND else 0)
