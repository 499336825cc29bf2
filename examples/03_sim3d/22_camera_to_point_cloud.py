"""A camera over a table: depth becomes points, TF puts them into the world, labels sort them."""

from __future__ import annotations

import numpy as np

from horus_sim.sim3d import World
from horus_sim.sim3d.sensors import DepthCameraConfig, SegmentationCameraConfig


def main() -> None:
    """Measure the table and what lies on it, and compare with the truth."""
    world = World.load("tabletop")
    world.step(240)
    place = {
        "mount": "world",
        "pose": {"xyz": (-0.2, -0.6, 1.6), "rpy_deg": (0.0, 52.0, 52.0)},
        "fov_deg": 70.0,
    }
    depth = DepthCameraConfig.model_validate(place).build(world)
    labels = SegmentationCameraConfig.model_validate(place).build(world)
    print(f"images are in '{depth.optical_frame}': x right, y down, z forward")

    # Pixels and depths become points in the optical frame, and TF knows where that is.
    image = depth.read()
    points_optical = depth.intrinsics.unproject(image.depth)
    seen = np.isfinite(image.depth)
    points = world.tf.transform_points(points_optical[seen], image.frame_id, "world")

    segmented = labels.read()
    of_point = segmented.labels[seen]
    for label in np.unique(of_point):
        name = segmented.names[label]
        if name not in world.objects or not world.objects[name].is_dynamic:
            continue
        own = points[of_point == label]
        middle = 0.5 * (own.min(axis=0) + own.max(axis=0))
        off = np.linalg.norm((middle - world.objects[name].pose.translation)[:2])
        print(f"{name}: its points lie around its true place to 3 cm: {off < 0.03}")
    top = points[of_point == segmented.names.index("table")]
    error_mm = 1000.0 * abs(np.median(top[:, 2]) - 0.75)
    print(f"the table is 0.75 m high to 1 mm: {error_mm < 1.0}")


if __name__ == "__main__":
    main()
