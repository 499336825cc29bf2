"""The shapes of a world as Foxglove draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from horus_sim.running.recording.foxglove.primitives import pose, timestamp, vector
from horus_sim.running.recording.foxglove.sdk import messages as fox

if TYPE_CHECKING:
    from horus_sim.running.outlets.shapes import SceneShapes, Shape

SCENE_SCHEMA = "foxglove.SceneUpdate"


def scene_update(shapes: SceneShapes, stamp_ns: int) -> fox.SceneUpdate:
    """The entities of a world, one a frame, which move with it."""
    stamp = timestamp(stamp_ns)
    kind = fox.SceneEntityDeletionType.MatchingId
    return fox.SceneUpdate(
        deletions=[
            fox.SceneEntityDeletion(timestamp=stamp, type=kind, id=frame) for frame in shapes.gone
        ],
        entities=[
            fox.SceneEntity(
                timestamp=stamp,
                frame_id=frame,
                id=frame,
                frame_locked=True,
                cubes=[_cube(shape) for shape in found if shape.kind == "box"],
                spheres=[_sphere(shape) for shape in found if shape.kind == "sphere"],
                cylinders=[_cylinder(shape) for shape in found if shape.kind == "cylinder"],
                triangles=[_triangles(shape) for shape in found if shape.kind == "mesh"],
            )
            for frame, found in shapes.of_frame.items()
        ],
    )


def _cube(shape: Shape) -> fox.CubePrimitive:
    return fox.CubePrimitive(**_common(shape), size=vector(shape.size))


def _sphere(shape: Shape) -> fox.SpherePrimitive:
    return fox.SpherePrimitive(**_common(shape), size=vector(shape.size))


def _cylinder(shape: Shape) -> fox.CylinderPrimitive:
    size = vector(shape.size)
    return fox.CylinderPrimitive(**_common(shape), size=size, bottom_scale=1.0, top_scale=1.0)


def _triangles(shape: Shape) -> fox.TriangleListPrimitive:
    vertices = [] if shape.vertices is None else shape.vertices.tolist()
    indices = [] if shape.triangles is None else shape.triangles.ravel().tolist()
    points = [fox.Point3(x=x, y=y, z=z) for x, y, z in vertices]
    return fox.TriangleListPrimitive(**_common(shape), points=points, indices=indices)


def _common(shape: Shape) -> dict[str, Any]:
    r, g, b, a = shape.rgba
    return {"pose": pose(shape.T_frame_shape), "color": fox.Color(r=r, g=g, b=b, a=a)}
