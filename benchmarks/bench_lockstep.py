"""Lockstep over zenoh: how much faster than real time another program steps a world.

The world is a process of its own: the warehouse with a TurtleBot3, its lidar, IMU, odometry and
transforms. This program pauses it, calls the service StepSimulation over and over, and hears every
message. All rows must hear the same bits. Beside them the same world stepped in this process,
without topics, in the same run. Run it on an idle machine with at least two cores:

    pip install 'horus-sim[zenoh]'
    python benchmarks/bench_lockstep.py

Prints a table and writes benchmarks/results/bench_lockstep.json.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
import uuid
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from horus_sim.hub import Hub, QoS, Subscription, connect
from horus_sim.hub.messages import Clock, Imu, JointState, LaserScan, Odometry
from horus_sim.sim3d import World
from horus_sim.tf import TFMessage

SCENE = "warehouse"
STEPS_A_SECOND = 240
TOTAL_STEPS = 4_800
PER_CALL = (1, 12, 48, 240)
REACH = 5.0
TOPICS = {
    "clock": Clock,
    "tf": TFMessage,
    "burger/scan": LaserScan,
    "burger/imu": Imu,
    "burger/odom": Odometry,
    "burger/joint_states": JointState,
}
PAUSED, QUITTING, ALL = 2, 3, 255


@dataclass
class Row:
    """One row.

    Steps a call, times real time by the clock on the wall and by the CPU time of the world's
    process, wall time of a call, messages heard and their digest.
    """

    steps: int
    factor: float
    cpu_factor: float
    call_ms: float
    messages: int
    digest: str


def require(fact: object, text: object) -> None:
    """Ends the program where something is not as it must be."""
    if not fact:
        raise SystemExit(f"error: {text}")


def ask(hub: Hub, kind: str, /, **fields: object) -> None:
    """Calls a service of the simulation; it must say that all is well."""
    name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in kind)[1:]
    with hub.client(name, f"simulation_interfaces/srv/{kind}") as client:
        result = client.call(fields, timeout=60)["result"]
        require(result["result"] == 1, result)


def cpu_s(pid: int) -> float:
    """CPU time [s] of a process so far, in all of its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(hub: Hub, steps: int, pid: int) -> Row:
    """One row, from the beginning of a run."""
    ask(hub, "ResetSimulation", scope=ALL)
    with ExitStack() as stack:
        heard = {
            topic: hub.subscribe(topic, kind, QoS(depth=TOTAL_STEPS))
            for topic, kind in TOPICS.items()
        }
        for subscription in heard.values():
            stack.callback(subscription.close)
        kind = "simulation_interfaces/srv/StepSimulation"
        client = stack.enter_context(hub.client("step_simulation", kind))
        # Subscriptions in other processes are found within some milliseconds.
        time.sleep(1.0)
        began, cpu_began = time.perf_counter(), cpu_s(pid)
        for _ in range(TOTAL_STEPS // steps):
            result = client.call(steps=steps)["result"]
            require(result["result"] == 1, result)
        wall, cpu = time.perf_counter() - began, cpu_s(pid) - cpu_began
        count, digest = drained(heard, TOTAL_STEPS / STEPS_A_SECOND)
    calls = TOTAL_STEPS // steps
    simulated = TOTAL_STEPS / STEPS_A_SECOND
    return Row(steps, simulated / wall, simulated / cpu, 1000.0 * wall / calls, count, digest)


def drained(heard: dict[str, Subscription], until: float) -> tuple[int, str]:
    """How many messages came up to a time [s], and the digest of all their bits."""
    digest, count = hashlib.sha256(), 0
    for topic, subscription in heard.items():
        last_ns = 0
        while last_ns < round(1e9 * until) - 300_000_000:
            message = subscription.wait(10)
            if message is None:
                raise SystemExit(f"error: messages of {topic} are missing")
            moment = message.transforms[0] if topic == "tf" else message
            last_ns = moment.stamp_ns
            count += 1
            digest.update(repr(message).encode())
            if topic == "burger/scan":
                digest.update(message.ranges.tobytes())
        require(subscription.missed == 0, f"{topic} has missed messages")
    return count, digest.hexdigest()


def alone() -> tuple[float, float]:
    """The same two factors of that world in this process, without topics."""
    world = World.load(SCENE)
    world.step(STEPS_A_SECOND)
    began, cpu_began = time.perf_counter(), time.thread_time()
    world.step(TOTAL_STEPS)
    wall, cpu = time.perf_counter() - began, time.thread_time() - cpu_began
    simulated = TOTAL_STEPS / STEPS_A_SECOND
    return simulated / wall, simulated / cpu


def main() -> None:
    """Measures and prints."""
    session = f"bench-{uuid.uuid4().hex[:12]}"
    command = [sys.executable, "-m", "horus_sim.cli", "sim3d", "run", SCENE, "--headless"]
    load = os.getloadavg()[0]
    with (
        subprocess.Popen([*command, "--session", session], stdout=subprocess.DEVNULL) as child,
        connect("zenoh://", session, name="stepper") as hub,
    ):
        ask(hub, "SetSimulationState", state={"state": PAUSED})
        rows = [measure(hub, steps, child.pid) for steps in PER_CALL]
        ask(hub, "SetSimulationState", state={"state": QUITTING})
    bare = alone()
    columns = "steps a call", "times real time", "by CPU time", "goal", "a call [ms]", "messages"
    table = Table(*columns, "")
    for row in rows:
        verdict = "reached" if row.factor >= REACH else "MISSED"
        factors = f"{row.factor:.1f}", f"{row.cpu_factor:.1f}"
        cells = *factors, f"{REACH:g}", f"{row.call_ms:.1f}", str(row.messages)
        table.add_row(str(row.steps), *cells, verdict)
    table.add_row("world alone", f"{bare[0]:.1f}", f"{bare[1]:.1f}", "", "", "", "")
    Console().print(table)
    is_same = len({(row.messages, row.digest) for row in rows}) == 1
    print(f"{'the same' if is_same else 'OTHER'} bits in every row; load {load:.1f} before")
    path = Path(__file__).parent / "results" / "bench_lockstep.json"
    path.parent.mkdir(exist_ok=True)
    found = {"rows": [asdict(row) for row in rows], "alone": bare, "load": load, "same": is_same}
    path.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
