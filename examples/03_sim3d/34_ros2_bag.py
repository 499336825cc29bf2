"""A run becomes a ROS 2 bag, which is read, played onto topics, and done again bit by bit."""

import importlib.util
import tempfile
from pathlib import Path

from horus_sim.hub import QoS, TFListener, connect
from horus_sim.hub.messages import CmdVel, Odometry
from horus_sim.installation import install_command
from horus_sim.running import RunningWorld
from horus_sim.sim3d import World, recorded_world


def main() -> None:
    """Drives a burger for two seconds, then looks at the bag; one of a robot works alike."""
    if importlib.util.find_spec("foxglove") is None:
        print(f"this example needs recording: {install_command('record')}")
        return
    from horus_sim.running.recording import Bag, BagRecorder, CommandLog, Player, replay_commands

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        with RunningWorld(World.load("warehouse", seed=7)) as running:
            running.add_outlet(BagRecorder(path))
            for _ in range(20):
                running.command("burger", CmdVel(linear=0.2, angular=0.3))
                running.step(24)
        print(f"files: {', '.join(sorted(file.name for file in path.iterdir()))}")
        for (topic, ros_type), count in sorted(Bag(path).contents().messages.items()):
            print(f"{topic:22} {ros_type:28} {count:4}")

        with connect(session="bag-example") as hub:
            listener = TFListener(hub)
            odometry = hub.subscribe("burger/odom", Odometry, QoS(depth=1000))
            player = Player(Bag(path), hub, speed=None)
            player.play()
            x, y, _ = listener.tree.lookup_transform("burger/base_footprint", "world").translation
            print(f"{odometry.received} messages of odometry; at the end at ({x:.3f}, {y:.3f})")
            player.close()

        log = CommandLog.load(path)
        done = replay_commands(recorded_world(log), log)
        print(f"{done.commands} commands again: {done.states} states equal bit by bit")


if __name__ == "__main__":
    main()
