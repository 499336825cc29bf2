"""An arm of one's own from a YAML file, and what happens when the file has a mistake."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from horus_sim.arm import Arm
from horus_sim.errors import ArmFileError

FILE = """
robot:
  name: gantry_arm
  base: {translation_m: [0, 0, 1.0], rpy_rad: [3.141592653589793, 0, 0]}  # hangs from the ceiling
  tool: {translation_m: [0, 0, 0.12]}
  joints:
    - {name: rail, type: prismatic, a_m: 0, d_m: 0, alpha_rad: 1.570796, min_m: 0, max_m: 0.8}
    - {name: shoulder, a_m: 0.4, d_m: 0.0, alpha_rad: 0, min_deg: -170, max_deg: 170}
    - {name: elbow, a_m: 0.3, d_m: 0.0, alpha_rad: 0, min_deg: -150, max_deg: 150}
    - {name: wrist, type: continuous, a_m: 0.05, d_m: 0, alpha_rad: 0}
"""


def main() -> None:
    """Read the arm, ask it something, then break the file."""
    np.set_printoptions(precision=4, suppress=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gantry_arm.yaml"
        path.write_text(FILE, encoding="utf-8")
        arm = Arm.load(path)
        print(arm, "joints:", ", ".join(arm.joint_names))
        q = np.array([0.5, 0.3, -0.6, 1.0])
        target = arm.fk(q).translation
        answer = arm.ik(target)
        print(f"tool to {target}: {answer.reason}, q {answer.q}")

        path.write_text(FILE.replace("max_m: 0.8", "max_deg: 80"), encoding="utf-8")
        try:
            Arm.load(path)
        except ArmFileError as error:
            print(str(error).replace(folder, "..."))


if __name__ == "__main__":
    main()
