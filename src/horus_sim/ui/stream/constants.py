"""Constants that Python and JavaScript share.

`python -m horus_sim.ui.stream.constants` writes them to `views/js/constants.js`; a test says when
that is to be done.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

from horus_sim.errors import UiError
from horus_sim.files.whole_file import write_whole
from horus_sim.sim2d.scenario.schema import ActuatorConfig, JointConfig, SensorConfig, Stroke
from horus_sim.sim3d.scene.scene import BACKGROUND

STREAM_PATH = "/horus/stream"
SCENE_PATH = "/horus/scene"
# Of geoms, lights and joints in the order of MuJoCo's numbers.
KIND: dict[str, tuple[str, ...]] = {
    "geom": ("plane", "field", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"),
    "light": ("spot", "directional", "point"),
    "joint": ("free", "ball", "slide", "hinge"),
    "body2d": ("robot", "object", "patch"),
    **{
        name: get_args(model.model_fields[key].annotation)
        for name, model, key in (
            ("stroke2d", Stroke, "kind"),
            ("joint2d", JointConfig, "type"),
            ("motor2d", ActuatorConfig, "type"),
            ("sensor2d", SensorConfig, "type"),
        )
    },
}
SCRIPT = Path(__file__).parents[1] / "views" / "js" / "constants.js"


def javascript() -> str:
    """The constants as a module of JavaScript."""
    constants = {
        "STREAM_PATH": STREAM_PATH,
        "BACKGROUND": BACKGROUND[:3],
        "KIND": {name: {kind: kind for kind in kinds} for name, kinds in KIND.items()},
    }
    lines = [f"export const {name} = {json.dumps(value)};" for name, value in constants.items()]
    return "\n".join(("// Made by `python -m horus_sim.ui.stream.constants`.", *lines, ""))


if __name__ == "__main__":
    write_whole(SCRIPT, javascript(), UiError)
