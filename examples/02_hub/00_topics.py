"""Publishers and subscriptions: queues, the newest message, late subscribers, messages too old.

Everything here happens inside one process. The same calls work between processes: see
`03_two_processes.py`.
"""

from __future__ import annotations

import numpy as np

from horus_sim.errors import HorusError
from horus_sim.hub import Hub, QoS, connect
from horus_sim.hub.messages import CmdVel, LaserScan, String


def queues(hub: Hub) -> None:
    """A subscription keeps messages until they are taken; a full one drops the oldest."""
    commands = hub.subscribe("robot1/cmd_vel", CmdVel, QoS(depth=3))
    with hub.publisher("robot1/cmd_vel", CmdVel) as publisher:
        for i in range(5):
            publisher.send(CmdVel(linear=0.1 * i, angular=0.5))
    print(f"oldest kept: {commands.take()}")
    print(f"newest:      {commands.latest()}")
    print(f"received {commands.received}, dropped {commands.dropped}, next: {commands.take()}")


def latched(hub: Hub) -> None:
    """A late subscriber gets the last messages, as many as the publisher's depth."""
    publisher = hub.publisher("maps", String, QoS(depth=2, latched=True))
    publisher.send(String("ground floor, draft"))
    publisher.send(String("ground floor"))
    publisher.send(String("first floor"))
    late = hub.subscribe("maps", String, QoS(latched=True))
    while (message := late.take()) is not None:
        print(f"late subscriber: {message}")


def max_age(hub: Hub) -> None:
    """A command that lay around for too long must not move the robot any more."""
    time_ns = 0
    hub.use_clock(lambda: time_ns)
    commands = hub.subscribe("robot2/cmd_vel", CmdVel, QoS(max_age=0.5))
    publisher = hub.publisher("robot2/cmd_vel", CmdVel)
    publisher.send(CmdVel(1.0))
    time_ns = 400_000_000
    publisher.send(CmdVel(2.0))
    time_ns = 700_000_000
    print(f"at 0.7 s: {commands.take()}, {commands.expired} expired")


def callbacks(hub: Hub) -> None:
    """With a callback nothing is kept: it runs in the thread that brings the message."""
    nearest: list[float] = []
    hub.subscribe("scan", LaserScan, callback=lambda scan: nearest.append(float(scan.ranges.min())))
    publisher = hub.publisher("scan", LaserScan)
    for distance in (2.0, 1.5, 0.8):
        ranges = np.array([5.0, distance, 5.0], dtype=np.float32)
        publisher.send(LaserScan(0, "lidar", 0.0, 0.1, 0.1, 20.0, ranges))
    print(f"nearest obstacle of each scan: {', '.join(f'{d:.1f} m' for d in nearest)}")


def main() -> None:
    """Each of them, then what there was, and a mistake."""
    with connect(session="topics-example") as hub:
        queues(hub)
        latched(hub)
        max_age(hub)
        callbacks(hub)
        for info in hub.topics():
            ends = f"publishers: {info.publishers}, subscriptions: {info.subscriptions}"
            print(f"topic {info.name}: {', '.join(info.kinds) or 'nobody sends'}; {ends}")
        try:
            hub.publisher("scan", LaserScan).send(CmdVel(1.0))  # type: ignore[arg-type]
        except HorusError as error:
            print(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
