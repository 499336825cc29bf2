"""The side of Horus Sim: a world in a process of its own, and a connection that looks at it."""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Self, cast

from horus_sim.errors import ConnectionFailedError
from horus_sim.hub import Hub, QoS, SimulationClient, connect
from horus_sim.hub.connect import NAME_VARIABLE, SESSION_VARIABLE
from horus_sim.hub.messages import Odometry
from horus_sim.hub.zenoh.transport import PLAIN_SESSION
from horus_sim.launch import Launch, LaunchWorld
from horus_sim.launch.guarding import Guard
from horus_sim.launch.program import programs, world_name
from horus_sim.launch.world_watch import WorldWatch

SCENE = "warehouse"
ROBOT = "burger"
_KEPT_LINES = 50


class OurSide:
    """A headless world on plain topics, and what it says of itself.

    Args:
        timeout: Longest wait [s] for it.

    Raises:
        ConnectionFailedError: It did not come up.
        HubError: Another program runs a world on these topics.
    """

    def __init__(self, timeout: float) -> None:
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        with ExitStack() as stack:
            watch = stack.enter_context(WorldWatch(world_name(), PLAIN_SESSION, None))
            guard = stack.enter_context(Guard())
            launch = Launch(session=PLAIN_SESSION, world=LaunchWorld(scene=SCENE, page=None))
            (program,) = programs(launch)
            environment = program.environment() | {
                SESSION_VARIABLE: PLAIN_SESSION,
                NAME_VARIABLE: world_name(),
            }
            self._process = guard.start(program.words, environment, Path.cwd())
            stack.callback(self._end)
            stream = cast(IO[bytes], self._process.stdout)
            threading.Thread(target=self._read, args=(stream,), daemon=True).start()
            end = time.monotonic() + timeout
            while not watch.is_up():
                if self._process.poll() is not None or time.monotonic() > end:
                    told = "\n".join(self._lines)
                    raise ConnectionFailedError(
                        f"the world did not come onto its topics within {timeout:g} s:\n{told}"
                    )
                time.sleep(0.05)
            self.hub: Hub = stack.enter_context(
                connect("zenoh://", PLAIN_SESSION, name="ros2_check", remap={})
            )
            self.simulation = stack.enter_context(SimulationClient(self.hub, timeout))
            self._odometry = self.hub.subscribe(f"{ROBOT}/odom", Odometry, QoS(depth=1))
            self._closing = stack.pop_all()

    def status(self) -> dict[str, Any]:
        """What the world says of itself: whether it is paused, and its time."""
        return self.simulation.ask("ask")

    def position(self, timeout: float) -> tuple[float, float]:
        """Where the robot is [m] by its odometry.

        Raises:
            ConnectionFailedError: It tells nothing.
        """
        self._odometry.clear()
        message = self._odometry.wait(timeout)
        if message is None:
            raise ConnectionFailedError(f"the world sends no odometry within {timeout:g} s")
        x, y, _ = message.pose.translation
        return float(x), float(y)

    def close(self) -> None:
        """Ends the world."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, stream: IO[bytes]) -> None:
        with stream:
            for line in stream:
                self._lines.append(line.decode("utf-8", "replace").rstrip())

    def _end(self) -> None:
        self._process.terminate()
        self._process.wait()
