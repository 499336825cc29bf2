"""A run is recorded, read, and done again bit by bit."""

import importlib.util
import tempfile
from pathlib import Path

from horus_sim.hub.messages import CmdVel
from horus_sim.installation import install_command
from horus_sim.running import RunningWorld
from horus_sim.sim3d import World


def main() -> None:
    """Drives a burger for two seconds, then looks at the file."""
    if importlib.util.find_spec("foxglove") is None:
        print(f"this example needs recording: {install_command('record')}")
        return
    from horus_sim.running.recording import CommandLog, McapFile, McapRecorder, replay_commands

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.mcap"
        world = World.load("warehouse", seed=7)
        with RunningWorld(world) as running:
            running.add_outlet(McapRecorder(path))
            for i in range(20):
                running.command("burger", CmdVel(linear=0.2, angular=0.1 * (i % 5)))
                running.step(24)
        size = path.stat().st_size
        topics = sorted(McapFile(path).topics())
        print(f"{size // 1024} KB, topics: {', '.join(topics)}")

        for message in McapFile(path).read(["burger/odom"]):
            if message.stamp_ns % 500_000_000 == 0:
                x, y, _ = message.value.pose.translation
                print(f"{message.stamp_ns / 1e9:.1f} s: ({x:.3f}, {y:.3f})")

        again = World.load("warehouse", seed=7)
        done = replay_commands(again, CommandLog.load(path))
        same = again.snapshot().physics.tobytes() == world.snapshot().physics.tobytes()
        print(f"{done.commands} commands again: {done.states} states compared, equal: {same}")


if __name__ == "__main__":
    main()
