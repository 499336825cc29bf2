"""Lidar and cameras: our sensors beside raw MuJoCo and raw Embree, in one run.

720 x 16 rays from the robot in `warehouse`, and in a cave of 50,000 triangles; pictures of
640 x 480 pixels in `warehouse`. CPU time, medians: of this thread for rays, of the process for
pictures, where Mesa is told to draw on one core (LP_NUM_THREADS=0, unless it is set). Run it on an
idle machine:

    python benchmarks/bench_sensors.py

Raw Embree gets all triangles in one scene made beforehand, round shapes left out: it shows what
finding triangles alone costs, and cannot follow anything that moves. Its distances are those of
single precision.

Prints tables and writes benchmarks/results/bench_sensors.json.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import trimesh
from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene
from measure import cpu_ns
from rich.console import Console
from rich.table import Table

from horus_sim.errors import RenderError
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d import World
from horus_sim.sim3d.rendering.gl import choose_backend
from horus_sim.sim3d.sensors.noise import NoiseConfig
from horus_sim.sim3d.sensors.rays.lidar import Lidar, LidarConfig
from horus_sim.sim3d.sensors.rays.triangles import box_triangles, mesh_triangles

if TYPE_CHECKING:
    from collections.abc import Callable

RAYS_MS = 3.0
RGB_MS = 15.0
DEPTH_MS = 8.0
AGREEMENT_M = 1e-6
PICTURES = 15


@dataclass
class RayRow:
    """Times [ms] of 720 x 16 rays in one scene, and how well the answers agree."""

    scene: str
    geoms: int
    triangles: int
    scan_ms: float
    message_ms: float
    mujoco_ms: float
    embree_ms: float
    largest_difference_m: float
    rays_apart: int


@dataclass
class PictureRow:
    """Times of one camera [ms]."""

    camera: str
    cpu_ms: float
    wall_ms: float
    limit_ms: float | None


def cave() -> World:
    """A bumpy hollow ball of 50,000 triangles around the sensor."""
    around, up = 250, 101
    azimuth = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    polar = np.linspace(0.02, np.pi - 0.02, up)
    polar, azimuth = np.meshgrid(polar, azimuth, indexing="ij")
    radius = 8.0 + 0.6 * np.sin(9 * azimuth) * np.sin(7 * polar) + 0.2 * np.cos(31 * azimuth)
    vertices = np.stack(
        (
            radius * np.sin(polar) * np.cos(azimuth),
            radius * np.sin(polar) * np.sin(azimuth),
            radius * np.cos(polar),
        ),
        axis=-1,
    ).reshape(-1, 3)
    index = np.arange(up * around).reshape(up, around)
    a, b = index[:-1], np.roll(index, -1, axis=1)[:-1]
    c, d = index[1:], np.roll(index, -1, axis=1)[1:]
    faces = np.concatenate(
        (np.stack((a, c, b), -1).reshape(-1, 3), np.stack((b, c, d), -1).reshape(-1, 3))
    )
    with tempfile.TemporaryDirectory() as folder:
        trimesh.Trimesh(vertices, faces, process=False).export(Path(folder) / "cave.stl")
        scene = Path(folder) / "cave.yaml"
        scene.write_text(
            "name: cave\nobjects: [{name: cave, shape: {kind: mesh, file: cave.stl}}]\n"
        )
        return World.load(scene)


def raw_embree(world: World, geoms: np.ndarray) -> tuple[EmbreeScene, int]:
    """All boxes and meshes of a world where they are now, and the number of triangles."""
    model, data = world.model, world.data
    vertices, faces, count = [], [], 0
    for geom in geoms:
        kind = int(model.geom_type[geom])
        if kind == int(mujoco.mjtGeom.mjGEOM_BOX):
            corners, triangles = box_triangles(model.geom_size[geom])
        elif kind == int(mujoco.mjtGeom.mjGEOM_MESH):
            corners, triangles = mesh_triangles(model, int(model.geom_dataid[geom]))
        else:
            continue
        R = data.geom_xmat[geom].reshape(3, 3)
        vertices.append(corners @ R.T + data.geom_xpos[geom])
        faces.append(triangles + count)
        count += len(corners)
    scene = EmbreeScene()
    triangles = np.concatenate(faces).astype(np.int32)
    TriangleMesh(scene, np.concatenate(vertices).astype(np.float32), triangles)
    return scene, len(triangles)


def ray_row(name: str, world: World, sensor: Lidar) -> RayRow:
    """One scene."""
    model, data = world.model, world.data
    position, R_world_sensor = sensor._pose()
    directions = np.ascontiguousarray(sensor._view.directions @ R_world_sensor.T)
    count = len(directions)
    groups = np.array((1, 1, 1, 0, 0, 0), np.uint8)
    geoms, distances = np.zeros(count, np.int32), np.zeros(count)
    excluded = sensor.mount.body or -1

    def multi_ray() -> None:
        mujoco.mj_multiRay(
            model, data, position, directions.ravel(), groups, 1, excluded, geoms, distances, None,
            count, sensor.config.range_max,
        )  # fmt: skip

    mujoco_ms = cpu_ns(multi_ray, repeats=5) / 1e6
    expected = np.where(distances < 0, np.inf, distances)
    found = sensor.scan().ranges.ravel()
    both = np.isfinite(expected) & np.isfinite(found)
    differences = np.abs(expected[both] - found[both])
    drawn = np.flatnonzero((model.geom_group < 3) & (model.geom_bodyid != excluded))
    scene, triangles = raw_embree(world, drawn)
    starts = np.tile(position.astype(np.float32), (count, 1))
    single = directions.astype(np.float32)
    return RayRow(
        name,
        len(drawn),
        triangles,
        cpu_ns(sensor.scan, repeats=40) / 1e6,
        cpu_ns(sensor.measure, repeats=40) / 1e6,
        mujoco_ms,
        cpu_ns(lambda: scene.run(starts, single), repeats=40) / 1e6,
        float(differences.max()),
        int(
            (differences > AGREEMENT_M).sum() + (np.isfinite(expected) != np.isfinite(found)).sum()
        ),
    )


def picture_row(name: str, measure: Callable[[], object], limit_ms: float | None) -> PictureRow:
    """One camera."""
    measure()
    cpu, wall = [], []
    for _ in range(PICTURES):
        starts = time.process_time_ns(), time.perf_counter_ns()
        measure()
        cpu.append(time.process_time_ns() - starts[0])
        wall.append(time.perf_counter_ns() - starts[1])
    return PictureRow(name, statistics.median(cpu) / 1e6, statistics.median(wall) / 1e6, limit_ms)


def picture_rows() -> list[PictureRow]:
    """Cameras in the warehouse."""
    world = World.load("warehouse")
    world.step(20)
    pose = {"xyz": (-2.0, -3.0, 1.2), "rpy_deg": (0.0, 0.0, 34.4)}
    place = {"mount": "world", "pose": pose, "fov_deg": 70.0}
    kinds: list[tuple[str, dict, float | None]] = [
        ("RGB, fast", {"kind": "camera"}, RGB_MS),
        ("RGB, nice", {"kind": "camera", "name": "nice", "quality": "nice"}, None),
        ("depth", {"kind": "depth_camera"}, DEPTH_MS),
        ("RGB-D, fast", {"kind": "rgbd_camera"}, None),
        ("segmentation", {"kind": "segmentation_camera"}, None),
    ]
    return [
        picture_row(name, world.sensors.add(place | own).measure, limit)
        for name, own, limit in kinds
    ]


def main() -> None:
    """Measures, prints and writes."""
    os.environ.setdefault("LP_NUM_THREADS", "0")
    console = Console(width=120)
    world = World.load("warehouse")
    world.step(20)
    quiet = NoiseConfig()
    on_robot = LidarConfig(mount="burger/base_scan", noise=quiet).build(world)
    hollow = cave()
    inside = LidarConfig(mount="world", noise=quiet).build(hollow)
    rays = [ray_row("warehouse", world, on_robot), ray_row("cave", hollow, inside)]
    table = Table(title="720 x 16 rays; CPU time of one thread in ms, medians")
    for column in ("scene", "geoms", "triangles", "scan", "message", "mj_multiRay", "raw embreex"):
        table.add_column(column, justify="left" if column == "scene" else "right")
    for row in rays:
        table.add_row(
            row.scene,
            str(row.geoms),
            str(row.triangles),
            f"{row.scan_ms:.2f}",
            f"{row.message_ms:.2f}",
            f"{row.mujoco_ms:.1f}",
            f"{row.embree_ms:.2f}",
        )
    console.print(table)
    for row in rays:
        console.print(
            f"{row.scene}: {row.scan_ms:.2f} ms (to be below {RAYS_MS:.0f}); differs from "
            f"mj_multiRay by {row.largest_difference_m:.1e} m at most, {row.rays_apart} rays by "
            f"more than {AGREEMENT_M:.0e} m"
        )
    pictures: list[PictureRow] = []
    try:
        choose_backend()
        pictures = picture_rows()
    except RenderError as error:
        console.print(f"No pictures: {error}")
    if pictures:
        table = Table(title="640 x 480 pixels in warehouse; time in ms, medians")
        for column in ("camera", "CPU", "wall", "to be below"):
            table.add_column(column, justify="left" if column == "camera" else "right")
        for row in pictures:
            limit = "-" if row.limit_ms is None else f"{row.limit_ms:.0f}"
            table.add_row(row.camera, f"{row.cpu_ms:.1f}", f"{row.wall_ms:.1f}", limit)
        console.print(table)
    results = {
        "rays": [asdict(row) for row in rays],
        "pictures": [asdict(row) for row in pictures],
    }
    path = Path(__file__).parent / "results" / "bench_sensors.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(results, indent=2) + "\n")
    console.print(f"Written to {path}")


if __name__ == "__main__":
    main()
