"""The MuJoCo model as one binary file that `view3d.js` draws.

The file is a 4-byte little-endian length, JSON of that length padded with spaces to 4 bytes, and
the arrays that the JSON refers to by byte offset and count. Frames are X forward, Y left, Z up, in
metres; quaternions are xyzw.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.compile.geoms import COLLISION_GROUP
from horus_sim.sim3d.sensors.cameras.camera_base import CameraBaseConfig
from horus_sim.ui.stream.constants import KIND
from horus_sim.ui.stream.mesh_export import field_mesh, texture_png, triangle_mesh

if TYPE_CHECKING:
    from horus_sim.sim3d import World
    from horus_sim.sim3d.sensors.sensor import Sensor

_RGB_ROLE = int(mujoco.mjtTextureRole.mjTEXROLE_RGB)


def export_scene(world: World, revision: int = 0) -> bytes:
    """Everything that is drawn, except where it is now.

    Args:
        world: The world.
        revision: The number that frames of this geometry carry.
    """
    blob = Blob()
    document = {
        **describe_model(world.model, blob),
        "name": world.scene.name,
        "generation": world.generation,
        "revision": revision,
        "background": list(world.scene.background),
        "bodies": _bodies(world),
        "sensors": [_sensor(sensor) for sensor in world.sensors.values()],
    }
    return pack(document, blob)


def describe_model(model: mujoco.MjModel, blob: Blob) -> dict[str, Any]:
    """What is drawn of a model; its arrays are added to the blob."""
    meshes: list[dict[str, Any]] = []
    indices: dict[tuple[str, int], int] = {}
    geoms = [_geom(model, i, blob, meshes, indices) for i in range(model.ngeom)]
    return {
        "bodies": [{"name": model.body(i).name, "owner": ""} for i in range(model.nbody)],
        "geoms": [geom for geom in geoms if geom is not None],
        "meshes": meshes,
        "materials": [_material(model, i) for i in range(model.nmat)],
        "textures": _textures(model, blob),
        "lights": [_light(model, i) for i in range(model.nlight)],
        "cameras": [_camera(model, i) for i in range(model.ncam)],
        "joints": [_joint(model, i) for i in range(model.njnt)],
        "extent": float(model.stat.extent),
        "center": _list(model.stat.center),
    }


def pack(document: dict[str, Any], blob: Blob) -> bytes:
    """The file of a document and the arrays that it refers to."""
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<I", len(text)) + text + blob.bytes()


class Blob:
    """Arrays one behind the other, each at a multiple of four bytes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, data: bytes) -> int:
        """Appends an array; gives its offset in bytes."""
        offset = self._size
        padded = data + b"\0" * (-len(data) % 4)
        self._parts.append(padded)
        self._size += len(padded)
        return offset

    def bytes(self) -> bytes:
        """All of them."""
        return b"".join(self._parts)


def _bodies(world: World) -> list[dict[str, Any]]:
    """Each body with the robot or object that it belongs to."""
    model = world.model
    owners: dict[int, tuple[str, str, str]] = {}
    for robot in world.robots.values():
        for link in robot.link_names:
            owners[robot.body_id(link)] = (robot.name, "robot", robot.frame(link))
    for item in world.objects.values():
        owners[item.body] = (item.name, "object", item.frame)
    found = []
    for i in range(model.nbody):
        owner, kind, frame = owners.get(i, ("", "world", ""))
        found.append(
            {
                "name": model.body(i).name,
                "owner": owner,
                "kind": kind,
                "frame": frame,
                "com": _list(model.body_ipos[i]),
                "mass": float(model.body_mass[i]),
            }
        )
    return found


def _geom(
    model: mujoco.MjModel,
    i: int,
    blob: Blob,
    meshes: list[dict[str, Any]],
    indices: dict[tuple[str, int], int],
) -> dict[str, Any] | None:
    number = int(model.geom_type[i])
    if number >= len(KIND["geom"]):
        return None
    kind = KIND["geom"][number]
    found: dict[str, Any] = {
        "id": i,
        "body": int(model.geom_bodyid[i]),
        "kind": "mesh" if kind == "field" else kind,
        "size": _list(model.geom_size[i]),
        "pos": _list(model.geom_pos[i]),
        "quat": _xyzw(model.geom_quat[i]),
        "rgba": _list(model.geom_rgba[i]),
        "material": int(model.geom_matid[i]),
        "collides": bool(model.geom_contype[i] or model.geom_conaffinity[i]),
        "visible": int(model.geom_group[i]) != COLLISION_GROUP,
    }
    if kind in ("mesh", "field"):
        key = (kind, int(model.geom_dataid[i]))
        if key not in indices:
            indices[key] = len(meshes)
            meshes.append(_mesh(model, key, blob))
        found["mesh"] = indices[key]
    return found


def _mesh(model: mujoco.MjModel, key: tuple[str, int], blob: Blob) -> dict[str, Any]:
    kind, number = key
    mesh = field_mesh(model, number) if kind == "field" else triangle_mesh(model, number)
    arrays = {name: getattr(mesh, name) for name in ("vertices", "faces", "normals", "uvs")}
    return {
        name: [blob.add(array.tobytes()), len(array)]
        for name, array in arrays.items()
        if array is not None
    }


def _material(model: mujoco.MjModel, i: int) -> dict[str, Any]:
    metallic, roughness = float(model.mat_metallic[i]), float(model.mat_roughness[i])
    return {
        "rgba": _list(model.mat_rgba[i]),
        # MuJoCo has -1 where nothing was said.
        "metallic": metallic if metallic >= 0.0 else 0.1,
        "roughness": roughness if roughness >= 0.0 else 0.8,
        "emission": float(model.mat_emission[i]),
        "texture": int(model.mat_texid[i, _RGB_ROLE]),
        "repeat": _list(model.mat_texrepeat[i]),
    }


def _textures(model: mujoco.MjModel, blob: Blob) -> list[dict[str, Any] | None]:
    found: list[dict[str, Any] | None] = []
    for i in range(model.ntex):
        if int(model.tex_type[i]) != int(mujoco.mjtTexture.mjTEXTURE_2D):
            found.append(None)
            continue
        png = texture_png(model, i)
        found.append({"png": [blob.add(png), len(png)]})
    return found


def _light(model: mujoco.MjModel, i: int) -> dict[str, Any]:
    return {
        # An image as a light counts as a point.
        "kind": KIND["light"][min(int(model.light_type[i]), 2)],
        "pos": _list(model.light_pos[i]),
        "dir": _list(model.light_dir[i]),
        "diffuse": _list(model.light_diffuse[i]),
        "shadows": bool(model.light_castshadow[i]),
    }


def _camera(model: mujoco.MjModel, i: int) -> dict[str, Any]:
    return {
        "name": model.camera(i).name,
        "body": int(model.cam_bodyid[i]),
        "pos": _list(model.cam_pos[i]),
        "quat": _xyzw(model.cam_quat[i]),
        "fov_deg": float(model.cam_fovy[i]),
    }


def _sensor(sensor: Sensor[Any, Any]) -> dict[str, Any]:
    """Where a sensor sits on its body; cameras look along x with z up."""
    T, config = sensor.T_body_sensor, sensor.config
    found: dict[str, Any] = {
        "name": sensor.name,
        "kind": str(config.kind),
        "body": sensor.mount.body,
        "pos": _list(T.translation),
        "quat": _list(T.rotation),
    }
    if isinstance(config, CameraBaseConfig):
        found |= {"fov_deg": config.fov_deg, "aspect": config.width / config.height}
    return found


def _joint(model: mujoco.MjModel, i: int) -> dict[str, Any]:
    return {
        "kind": KIND["joint"][int(model.jnt_type[i])],
        "body": int(model.jnt_bodyid[i]),
        "pos": _list(model.jnt_pos[i]),
        "axis": _list(model.jnt_axis[i]),
    }


def _list(values: np.ndarray) -> list[float]:
    return [round(float(value), 7) for value in values]


def _xyzw(quat_wxyz: np.ndarray) -> list[float]:
    w, x, y, z = _list(quat_wxyz)
    return [x, y, z, w]
