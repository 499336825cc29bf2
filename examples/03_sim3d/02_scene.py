"""A scene of one's own: made in Python, saved as YAML, read back, and run with other physics."""

from __future__ import annotations

import tempfile
from pathlib import Path

from horus_sim.errors import SceneError
from horus_sim.sim3d import Scene, World, load_scene

SCENE = {
    "name": "ramp",
    "materials": {"wood": {"rgba": [0.7, 0.5, 0.3, 1.0]}},
    "objects": [
        {"name": "ground", "shape": {"kind": "plane"}},
        {
            "name": "ramp",
            "shape": {"kind": "box", "size": [2.0, 1.0, 0.1]},
            "pose": {"xyz": [0.0, 0.0, 0.5], "rpy_deg": [0.0, 20.0, 0.0]},
            "material": "wood",
        },
        {
            "name": "slider",
            "shape": {"kind": "box", "size": [0.2, 0.2, 0.1]},
            "pose": {"xyz": [-0.6, 0.0, 0.83], "rpy_deg": [0.0, 20.0, 0.0]},
            "dynamic": True,
            "mass": 1.0,
            "surface": {"friction": 0.1},
        },
    ],
}


def main() -> None:
    """Write, read, run; then make a mistake."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ramp.yaml"
        Scene.model_validate(SCENE).save(path)
        for gravity in (-9.81, -1.62):
            scene = load_scene(path, {"physics.gravity": [0.0, 0.0, gravity]})
            world = World.load(scene)
            world.step(120)
            x, _, z = world.objects["slider"].pose.translation
            print(f"gravity {gravity:5.2f} m/s^2: after {world.time} s at x {x:.3f}, z {z:.3f} m")

        path.write_text(path.read_text().replace("objects:", "objcts:"))
        try:
            load_scene(path)
        except SceneError as error:
            print(str(error).replace(folder, "..."))


if __name__ == "__main__":
    main()
