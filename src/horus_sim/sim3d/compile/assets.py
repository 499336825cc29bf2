"""Meshes, height fields, textures and materials of one model, each kept once."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import Heightmap, Material, Mesh
from horus_sim.robots.engine import mujoco
from horus_sim.robots.mesh.meshes import load_mesh
from horus_sim.robots.report import NoteKind, Report

_MOST_PIXELS = 1025
_MOST_TEXELS = 2048
_BASE_THICKNESS = 0.5
_THINNEST = 1e-3
_FLAT = 1e-9


class AssetStore:
    """Adds assets to a spec; what has the same content is added once.

    Args:
        spec: The spec that gets the assets.
        report: Gets a note for each substitution.

    Attributes:
        users: For each mesh a geom that shows it, to be named in errors.
    """

    def __init__(self, spec: mujoco.MjSpec, report: Report) -> None:
        self.report = report
        self.users: dict[str, str] = {}
        self._spec = spec
        self._meshes: set[str] = set()
        self._files: dict[Mesh, str] = {}
        self._hfields: dict[Heightmap, tuple[str, float]] = {}
        self._textures: dict[Path, str | None] = {}
        self._materials: dict[Material, str] = {}

    def mesh_file(self, mesh: Mesh, culprit: str = "") -> str:
        """Name of the mesh asset of a file.

        Args:
            mesh: The file.
            culprit: Who shows it, such as "link 'arm'", for errors and remarks.
        """
        if mesh not in self._files:
            loaded = load_mesh(mesh, culprit, self.report)
            self._files[mesh] = self.mesh(loaded.vertices, loaded.faces)
        return self._files[mesh]

    def hull_volume(self, mesh: Mesh, culprit: str = "") -> float:
        """Volume [m^3] of the convex hull of a mesh, as MuJoCo weighs it."""
        from scipy.spatial import ConvexHull, QhullError

        loaded = load_mesh(mesh, culprit)
        vertices = np.ascontiguousarray(loaded.vertices, dtype=np.float64)
        vertices, _ = _thickened(vertices, np.ascontiguousarray(loaded.faces, dtype=np.int32))
        try:
            return float(ConvexHull(vertices).volume)
        except (QhullError, ValueError) as error:
            raise DescriptionError(f"mesh '{mesh.uri}' has no volume; make it static") from error

    def mesh(self, vertices: npt.NDArray[np.floating], faces: npt.NDArray[np.integer]) -> str:
        """Name of the asset of a mesh, which is given a thickness where it has none.

        Where a shape's mass is spread over it, that is over its convex hull.

        Args:
            vertices: [m], shape (n, 3).
            faces: Triangles, shape (m, 3).
        """
        corners = np.ascontiguousarray(vertices, dtype=np.float64)
        triangles = np.ascontiguousarray(faces, dtype=np.int32)
        if len(corners) < 3 or len(triangles) < 1:
            raise DescriptionError("a mesh without a triangle cannot be built; remove it")
        content = hashlib.sha256(corners.tobytes() + b"|" + triangles.tobytes())
        name = f"mesh_{content.hexdigest()[:16]}"
        if name not in self._meshes:
            corners, triangles = _thickened(corners, triangles)
            self._spec.add_mesh(
                name=name,
                uservert=corners.ravel(),
                userface=triangles.ravel(),
                # The hull, since a mesh of a robot need not be watertight.
                inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX,
            )
            self._meshes.add(name)
        return name

    def heightmap(self, heightmap: Heightmap) -> tuple[str, float]:
        """Name of the height field of an image, and the height of its lowest point [m]."""
        if heightmap not in self._hfields:
            grey = _grey_image(heightmap.path)
            self._hfields[heightmap] = self.height_field(grey, heightmap.size)
        return self._hfields[heightmap]

    def height_field(
        self, grey: npt.NDArray[np.float64], size: tuple[float, float, float]
    ) -> tuple[str, float]:
        """Name of the height field of an array, and the height of its lowest point [m].

        Args:
            grey: Heights from 0 to 1, the first row at +y, shape (rows, columns).
            size: Extent along x and y, and height of 1 [m].
        """
        low, high = float(grey.min()), float(grey.max())
        length_x, length_y, height = size
        # MuJoCo stretches the values it is given from 0 to 1; its first row is at -y.
        span = max((high - low) * height, _THINNEST)
        values = (grey - low) / (high - low) if high > low else np.zeros_like(grey)
        name = f"hfield_{len(self._spec.hfields)}"
        self._spec.add_hfield(
            name=name,
            nrow=grey.shape[0],
            ncol=grey.shape[1],
            size=[length_x / 2, length_y / 2, span, _BASE_THICKNESS],
            userdata=values[::-1].ravel(),
        )
        return name, low * height

    def material(self, material: Material) -> str:
        """Name of the material asset."""
        name = self._materials.get(material)
        if name is None:
            name = f"material_{len(self._materials)}"
            asset = self._spec.add_material(
                name=name,
                rgba=material.rgba,
                metallic=material.metallic,
                roughness=material.roughness,
                emission=material.emission,
                specular=0.5 * (1 - material.roughness),
                shininess=1 - material.roughness,
                reflectance=0.0,
            )
            texture = None if material.texture is None else self._texture(material.texture)
            if texture is not None:
                asset.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = texture
            self._materials[material] = name
        return name

    def _texture(self, path: Path) -> str | None:
        if path not in self._textures:
            try:
                pixels = _colour_image(path)
            except (OSError, ValueError, SyntaxError) as error:
                text = f"the texture cannot be read ({error}); the plain colour is shown"
                self.report.add(NoteKind.WARNING, f"texture '{path.name}'", text)
                self._textures[path] = None
                return None
            name = f"texture_{len(self._textures)}"
            texture = self._spec.add_texture(
                name=name,
                type=mujoco.mjtTexture.mjTEXTURE_2D,
                width=pixels.shape[1],
                height=pixels.shape[0],
                nchannel=3,
            )
            texture.data = pixels.tobytes()
            self._textures[path] = name
        return self._textures[path]


def _thickened(
    vertices: npt.NDArray[np.float64], faces: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """The mesh itself, or a thin slab of it where all vertices lie in a plane or a line.

    MuJoCo needs a hull with a volume.
    """
    centred = vertices - vertices.mean(axis=0)
    _, extents, axes = np.linalg.svd(centred, full_matrices=False)
    if len(extents) == 3 and extents[2] > _FLAT * max(extents[0], _FLAT):
        return vertices, faces
    offset = 0.5 * _THINNEST
    copies = [vertices + offset * axes[-1], vertices - offset * axes[-1]]
    if extents[1] <= _FLAT * max(extents[0], _FLAT):
        copies += [vertices + offset * axes[1], vertices - offset * axes[1]]
    if extents[0] <= _FLAT:
        copies += [vertices + offset * axes[0], vertices - offset * axes[0]]
    return np.vstack(copies), np.vstack((faces, faces[:, ::-1] + len(vertices)))


def _grey_image(path: Path) -> npt.NDArray[np.float64]:
    """Grey values from 0 to 1, the first row at the top, shape (rows, columns)."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            deep = image.mode.startswith("I")
            grey = image.convert("F") if deep else image.convert("L").convert("F")
            if max(grey.size) > _MOST_PIXELS:
                grey.thumbnail((_MOST_PIXELS, _MOST_PIXELS))
            values = np.asarray(grey, dtype=np.float64) / (65535.0 if deep else 255.0)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise DescriptionError(
            f"height map '{path}' cannot be read ({error}); give a grey PNG"
        ) from error
    if min(values.shape) < 2:
        raise DescriptionError(
            f"height map '{path}' is {values.shape[1]} by {values.shape[0]} pixels; it needs at "
            "least 2 by 2"
        )
    return values


def _colour_image(path: Path) -> npt.NDArray[np.uint8]:
    from PIL import Image

    try:
        with Image.open(path) as image:
            colour = image.convert("RGB")
            colour.thumbnail((_MOST_TEXELS, _MOST_TEXELS))
            return np.asarray(colour, dtype=np.uint8)
    except Image.DecompressionBombError as error:
        raise ValueError("the image is too large") from error
