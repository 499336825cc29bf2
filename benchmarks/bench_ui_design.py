"""What an edit costs the server of the designer: one event of a drag among 200 bodies.

CPU time of what the server does for each of the 30 events a second: the edit with its checks, the
scene, what changed in it, and that as JSON. The socket and the browser are not in it.
"""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path

from horus_sim.ui.designer.model import edits
from horus_sim.ui.designer.model.content import Content
from horus_sim.ui.designer.model.document import Document
from horus_sim.ui.designer.model.geometry import rectangle
from horus_sim.ui.designer.model.materials import MATERIALS
from horus_sim.ui.designer.model.scene import difference, scene

EVENTS = 200
RESULTS = Path(__file__).parent / "results" / "ui_design.json"


def crowd(bodies: int) -> Content:
    """Boxes in rows."""
    content = Content.empty("crowd")
    body = edits.new_body("box", rectangle(0.1, 0.08), None, MATERIALS["wood"], moves=True)
    for k in range(bodies):
        content = edits.add_object(content, body, (0.2 * (k % 20), 0.2 * (k // 20), 0.1 * k))[0]
    return content


def main() -> None:
    """Prints a table and writes JSON."""
    rows = []
    for bodies in (30, 200):
        document = Document(crowd(bodies))
        drawn = scene(document.content, "crowd")
        spent = []
        for k in range(EVENTS):
            began = time.process_time()
            pose = (0.01 * k, 1.0, 0.0)
            document.apply(
                "move",
                lambda content, pose=pose: edits.move(content, ("world", "shape_objects", 7), pose),
                merge="drag",
            )
            after = scene(document.content, "crowd")
            json.dumps(difference(drawn, after))
            drawn = after
            spent.append(1000 * (time.process_time() - began))
        row = {"bodies": bodies, "cpu_ms_per_event": statistics.median(spent)}
        rows.append(row)
        print("  ".join(f"{key} {value:.3g}" for key, value in row.items()))
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
