"""The shapes of a world as Foxglove draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.running.recording.foxglove.sdk import messages as fox
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    from horus_sim.running.outlets.shapes import SceneShapes, Shape
    from horus_sim.tf import Transform

SCENE_SCHEMA = "foxglove.SceneUpdate"


def scene_update(shapes: SceneShapes, stamp_ns: int) -> fox.SceneUpdate:
    """The entities of a world, one a frame, which move with it."""
    stamp = fox.Timestamp(*divmod(stamp_ns, NS_PER_S))
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


def _pose(T: Transform) -> fox.Pose:
    (x, y, z), (qx, qy, qz, qw) = map(float, T.translation), map(float, T.rotation)
    return fox.Pose(
        position=fox.Vector3(x=x, y=y, z=z),
        orientation=fox.Quaternion(x=qx, y=qy, z=qz, w=qw),
    )


def _size(shape: Shape) -> fox.Vector3:
    x, y, z = shape.size
    return fox.Vector3(x=x, y=y, z=z)


def _colour(shape: Shape) -> fox.Color:
    r, g, b, a = shape.rgba
    return fox.Color(r=r, g=g, b=b, a=a)


def _cube(shape: Shape) -> fox.CubePrimitive:
    pose, colour = _pose(shape.T_frame_shape), _colour(shape)
    return fox.CubePrimitive(pose=pose, size=_size(shape), color=colour)


def _sphere(shape: Shape) -> fox.SpherePrimitive:
    pose, colour = _pose(shape.T_frame_shape), _colour(shape)
    return fox.SpherePrimitive(pose=pose, size=_size(shape), color=colour)


def _cylinder(shape: Shape) -> fox.CylinderPrimitive:
    return fox.CylinderPrimitive(
        pose=_pose(shape.T_frame_shape),
        size=_size(shape),
        bottom_scale=1.0,
        top_scale=1.0,
        color=_colour(shape),
    )


def _triangles(shape: Shape) -> fox.TriangleListPrimitive:
    vertices = [] if shape.vertices is None else shape.vertices.tolist()
    indices = [] if shape.triangles is None else shape.triangles.ravel().tolist()
    return fox.TriangleListPrimitive(
        pose=_pose(shape.T_frame_shape),
        points=[fox.Point3(x=x, y=y, z=z) for x, y, z in vertices],
        color=_colour(shape),
        indices=indices,
    )
