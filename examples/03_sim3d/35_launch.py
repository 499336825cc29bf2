"""A world and a node from one file: the node avoids shelves, whatever its robot is called.

``horus-sim launch 35_launch.yaml`` shows it on a page; this program runs the same file without one,
until the node has had enough. Needs the extra zenoh.
"""

import importlib.util
import sys
import uuid
from pathlib import Path

import numpy as np

from horus_sim.hub import connect
from horus_sim.hub.messages import CmdVel, LaserScan
from horus_sim.installation import install_command
from horus_sim.launch import load_launch, run_launch

FILE = Path(__file__).with_suffix(".yaml")


def drive(scans_wanted: int | None = None) -> None:
    """The node: drives ahead where it is free; knows topics by short names, which are renamed."""
    with connect("zenoh://") as hub:
        scans = hub.subscribe("scan", LaserScan)
        velocity = hub.publisher("cmd_vel", CmdVel)
        print(f"{hub.name} listens to '{scans.topic}'")
        while scans_wanted is None or scans.received < scans_wanted:
            scan = scans.wait(30)
            if scan is None:
                raise SystemExit("there are no scans")
            is_free = np.min(np.roll(scan.ranges, 20)[:40]) > 0.5  # 20 degrees to either side
            velocity.send(CmdVel(0.2, 0.0) if is_free else CmdVel(0.0, 0.8))
        print("that is enough")


def main() -> None:
    """Runs the file with some values changed, and shows what the node printed."""
    if importlib.util.find_spec("zenoh") is None:
        print(f"this example needs zenoh: {install_command('zenoh')}")
        return
    changes = {
        "session": f"example-{uuid.uuid4().hex[:8]}",
        "world.page": False,
        "nodes.avoid.args": ["drive", "5"],
        "nodes.avoid.required": True,  # all ends with it
    }
    lines: list[str] = []
    outcome = run_launch(load_launch(FILE, changes), show=lines.append)
    print("\n".join(line for line in lines if line.startswith("avoid")))
    print(f"failures: {len(outcome.failures)}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["drive"]:
        drive(*map(int, sys.argv[2:]))
    else:
        main()
