"""A team's own conventions from a file, and a point cloud that goes there and back."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from horus_sim.coords import URDF, ConventionError, convert, load_conventions

CONVENTIONS = """\
conventions:
  workshop: {right: x, forward: y, up: z, unit: inch}
  unreal: {right: y, forward: x, up: z, unit: cm}
"""


def main() -> None:
    """Load two conventions, convert a cloud and show what a mistake looks like."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "conventions.yaml"
        path.write_text(CONVENTIONS, encoding="utf-8")
        conventions = load_conventions(path)

    cloud = np.random.default_rng(seed=0).uniform(-5.0, 5.0, (100_000, 3)).astype(np.float32)
    for convention in conventions.values():
        to_theirs = convert(URDF, convention)
        theirs = to_theirs.points(cloud)
        error_m = np.abs(to_theirs.inverse().points(theirs) - cloud).max()
        print(to_theirs)
        print(f"  {len(theirs)} {theirs.dtype} points there and back: within {error_m:.1e} m")

    try:
        convert(URDF, "unreel")
    except ConventionError as error:
        print(f"a name that is no preset: {error}")
    try:
        conventions["unreal"].model_copy(update={"up": "x"})
    except ConventionError as error:
        print(f"contradictory axes: {error}")


if __name__ == "__main__":
    main()
