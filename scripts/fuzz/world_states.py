"""Alters saved states of worlds and files of snapshots: each must be refused, and change nothing.

python scripts/fuzz/world_states.py [COUNT] [SEED]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import numpy as np

from horus_sim.errors import HorusError, Sim3dError, SnapshotError
from horus_sim.sim2d import Simulator, Snapshot
from horus_sim.sim3d import World, WorldSnapshot
from horus_sim.sim3d.sensors import ImuConfig, LaserScanConfig


def altered(data: bytes, other: bytes, rng: np.random.Generator) -> bytes:
    """The bytes, changed in one of seven ways; never the same ones."""
    while True:
        changed = bytearray(data)
        at = int(rng.integers(len(data)))
        match int(rng.integers(7)):
            case 0:
                changed[at] ^= 1 << int(rng.integers(8))
            case 1:
                for position in rng.integers(len(data), size=int(rng.integers(1, 6))):
                    changed[position] = int(rng.integers(256))
            case 2:
                del changed[at : at + int(rng.integers(1, 64))]
            case 3:
                changed[at:at] = rng.bytes(int(rng.integers(1, 64)))
            case 4:
                del changed[at:]
            case 5:
                # A piece of another state of the same world.
                end = at + int(rng.integers(1, 256))
                changed[at:end] = other[at:end]
            case _:
                first, second = sorted(rng.integers(len(data), size=2).tolist())
                changed[first:second] = changed[first:second][::-1]
        if changed != data and changed != other:
            return bytes(changed)


def try_all(
    count: int,
    rng: np.random.Generator,
    states: tuple[bytes, bytes],
    load: Callable[[bytes], object],
    save: Callable[[], bytes],
    refusal: type[HorusError],
) -> list[str]:
    """What was not refused as it should be."""
    findings = []
    before = save()
    for number in range(count):
        data = altered(*states, rng)
        try:
            load(data)
        except refusal as error:
            if not re.search("hold no (state|snapshot) of a", str(error)):
                findings.append(f"state {number}: the error does not say why: {error}")
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
            findings.append(f"state {number}: {type(error).__name__}: {error}")
        else:
            findings.append(f"state {number} was accepted")
        if save() != before:
            findings.append(f"state {number} changed the world")
            before = save()
    return findings


def main(count: int, seed: int) -> int:
    """Tries `count` states of a 3D world, as many of a 2D world and as many files of snapshots.

    Returns:
        1 if one was not refused, else 0.
    """
    rng = np.random.default_rng(seed)
    world = World.load("empty_world")
    world.spawn("turtlebot3_burger", name="burger")
    world.sensors.add(ImuConfig(mount="burger", latency=0.02, latency_jitter=0.01))
    world.sensors.add(LaserScanConfig(mount="burger/base_scan"))
    world.step(100)
    first = world.snapshot().to_bytes()
    world.robots["burger"].command(linear=0.2)
    world.step(50)
    states = (first, world.snapshot().to_bytes())
    findings = try_all(
        count,
        rng,
        states,
        lambda data: world.apply_snapshot(WorldSnapshot.from_bytes(data)),
        lambda: world.snapshot().to_bytes(),
        Sim3dError,
    )

    sim = Simulator.load("line_follower", seed=seed)
    sim.run(1.0)
    first = sim.snapshot()
    sim.run(0.5)
    second = sim.snapshot()
    states = (first.to_bytes(), second.to_bytes())
    findings += try_all(count, rng, states, Snapshot.from_bytes, sim.world_state, SnapshotError)
    states = (first.world, second.world)
    findings += try_all(
        count,
        rng,
        states,
        lambda data: sim.apply_snapshot(Snapshot(data)),
        sim.world_state,
        SnapshotError,
    )
    for finding in findings[:20]:
        print(finding)
    print(f"{3 * count} altered states, {len(findings)} findings, seed {seed}")
    return 1 if findings else 0


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    sys.exit(main(*(given + [10_000, 0][len(given) :])))
