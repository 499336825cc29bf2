"""Steps in lockstep from another process: every answer comes after its steps and messages."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import uuid

import pytest

from horus_sim.errors import ConnectionFailedError, SimulationRequestError
from horus_sim.hub import SimulationClient, connect
from horus_sim.hub.messages import CmdVel, Odometry

if importlib.util.find_spec("zenoh") is None:
    if os.environ.get("CI") == "true":
        pytest.fail("zenoh is not installed and CI=true asks for it", pytrace=False)
    pytest.skip("zenoh is not installed: pip install 'horus-sim[zenoh]'", allow_module_level=True)

# Longer than anything here takes.
LONG = 180.0
ROUNDS = 300
CLIENT = """
import hashlib, json, sys
from horus_sim.hub import SimulationClient, connect
from horus_sim.hub.messages import CmdVel, LaserScan, Odometry
session, rounds = sys.argv[1], int(sys.argv[2])
with connect("zenoh://", session=session) as hub, SimulationClient(hub, timeout=120) as sim:
    scans = sim.listen("burger/scan", LaserScan)
    odometry = sim.listen("burger/odom", Odometry)
    sim.pause()
    sim.reset(seed=0)
    digest, stamps, count = hashlib.sha256(), [], 0
    for i in range(rounds):
        began = stamps[-1] if stamps else 0
        stamps.append(sim.step(12, {"burger": CmdVel(0.15, 0.4 if i % 100 < 50 else -0.4)}))
        for message in (*scans.news, *odometry.news):
            assert began < message.stamp_ns <= stamps[-1], (began, message.stamp_ns, stamps[-1])
        for scan in scans.news:
            count += 1
            digest.update(scan.ranges.tobytes() + str(scan.stamp_ns).encode())
        for odom in odometry.news:
            digest.update(odom.pose.translation.tobytes() + str(odom.stamp_ns).encode())
    print(json.dumps([stamps, count, digest.hexdigest()]))
"""


@pytest.fixture
def session():
    """A session in which the warehouse runs, by the command that a user types."""
    name = f"test-{uuid.uuid4().hex[:12]}"
    code = "from horus_sim.cli.program import horus_sim; horus_sim()"
    options = ["sim3d", "warehouse", "--headless", "--session", name, "--duration", "100000"]
    child = subprocess.Popen([sys.executable, "-c", code, *options], stdout=subprocess.DEVNULL)
    yield name
    child.kill()
    child.wait()


def test_two_clients_one_after_the_other_get_the_same_bytes(session):
    found = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", CLIENT, session, str(ROUNDS)],
            capture_output=True,
            text=True,
            timeout=LONG,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    assert found[0] == found[1]
    stamps, scans, _ = found[0]
    # 240 steps a second, 12 steps a round; the lidar turns five times a second.
    assert stamps == [round(12 * (i + 1) / 240 * 1e9) for i in range(ROUNDS)]
    assert scans == ROUNDS // 4


def test_what_is_refused_is_said_and_the_simulation_goes_on(session):
    with connect("zenoh://", session=session) as hub, SimulationClient(hub, timeout=LONG) as sim:
        odometry = sim.listen("burger/odom", Odometry)
        sim.pause()
        with pytest.raises(SimulationRequestError, match="did you mean 'burger'"):
            sim.step(2, {"burgr": CmdVel(0.1, 0.0)})
        with pytest.raises(SimulationRequestError, match="the command for 'burger' is 3; give a"):
            sim.step(2, {"burger": 3})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
        with pytest.raises(SimulationRequestError, match="'steps' must be a whole number"):
            sim.step(0)
        with pytest.raises(SimulationRequestError, match="request 'pause' has no field 'pausd'"):
            sim.ask("pause", pausd=True)
        before = sim.step(1)
        after = sim.step(24)
        assert after - before == pytest.approx(100_000_000, abs=1)
        assert [message.stamp_ns for message in odometry.news][-1] <= after
        sim.resume()


def test_a_session_without_a_simulation_is_told():
    name = f"test-{uuid.uuid4().hex[:12]}"
    with (
        connect("zenoh://", session=name) as hub,
        SimulationClient(hub, timeout=0.6) as sim,
        pytest.raises(ConnectionFailedError, match=f"no simulation in session '{name}'"),
    ):
        sim.pause()
