"""One pose, seen in the conventions of CAD, ROS and two renderers."""

from __future__ import annotations

import numpy as np

from horus_sim.coords import CAD, PRESETS, convert
from horus_sim.tf import Transform


def main() -> None:
    """Print where a bracket is, in every preset convention."""
    # 120 mm to the right, 250 mm ahead, 80 mm up, turned 30 degrees to the left.
    T_robot_bracket_cad = Transform.from_euler((120.0, 250.0, 80.0), (0.0, 0.0, np.deg2rad(30.0)))

    np.set_printoptions(precision=4, suppress=True)
    print(f"{'convention':<11}{'unit':<6}{'handed':<8}{'position':<26}quaternion xyzw")
    for convention in PRESETS.values():
        T_robot_bracket = convert(CAD, convention).transform(T_robot_bracket_cad)
        handed = "right" if convention.is_right_handed else "left"
        print(
            f"{convention.name:<11}{convention.unit:<6}{handed:<8}"
            f"{T_robot_bracket.translation!s:<26}{T_robot_bracket.rotation}"
        )

    print()
    for target in ("urdf", "babylon", "three"):
        print(convert("cad", target))


if __name__ == "__main__":
    main()
