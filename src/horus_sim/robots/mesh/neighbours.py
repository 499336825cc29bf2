"""Files that a mesh refers to: buffers, materials and textures, from its own package only."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from horus_sim.errors import DescriptionError
from horus_sim.files.document import read_bytes
from horus_sim.robots.uris import UriResolver, resolver_for

MAX_MESH_BYTES = 512 * 1024 * 1024
LFS_POINTER = (
    "it is a pointer of Git LFS, which stands for the file until that is fetched; run 'git lfs "
    "install' and 'git lfs pull' in the clone"
)
_LFS_START = b"version https://git-lfs.github.com/spec/"
_IMAGES = frozenset(
    {".png", ".jpg", ".jpeg", ".bmp", ".tga", ".gif", ".tif", ".tiff", ".webp", ".dds", ".ktx2"}
)
_READABLE_IMAGES = _IMAGES - {".dds", ".ktx2"}


class Neighbours:
    """A resolver for trimesh, confined to the home of the mesh, see `uris`.

    Images are not decoded here: a stand-in of one pixel, whose colour is a number, takes their
    place, and `path_of` tells the file from it.

    Args:
        path: The mesh file.
    """

    def __init__(self, path: Path) -> None:
        self._resolver = _resolver(path)
        self._images: list[Path] = []
        self.read: dict[str, str | None] = {}

    def get(self, name: str) -> bytes:
        """The content of a file, as trimesh asks for it."""
        self.read[name] = None
        path = self._find(name)
        if path.suffix.lower() in _IMAGES:
            del self.read[name]
            if path.suffix.lower() not in _READABLE_IMAGES:
                raise KeyError(name)
            return self._stand_in(path)
        data = read_bytes(path, MAX_MESH_BYTES, DescriptionError)
        self.read[name] = digest(data)
        return data

    __getitem__ = get

    def current_digest(self, name: str) -> str | None:
        """The digest of a file as it is now, or None when it cannot be read."""
        try:
            return digest(read_bytes(self._find(name), MAX_MESH_BYTES, DescriptionError))
        except (DescriptionError, KeyError):
            return None

    def image(self, name: str) -> Path | None:
        """The image file that a mesh names, or None when it is absent or of an unknown kind."""
        try:
            path = self._find(name)
        except KeyError:
            return None
        return path if path.suffix.lower() in _READABLE_IMAGES else None

    def path_of(self, image: Any) -> Path | None:  # noqa: ANN401 - a PIL image
        """The file of an image that `get` stood in for; None for one inside the mesh file."""
        if image.size != (1, 1) or image.mode != "RGB":
            return None
        red, green, blue = image.getpixel((0, 0))
        index = (red << 16) + (green << 8) + blue
        return self._images[index] if index < len(self._images) else None

    def _find(self, name: str) -> Path:
        text = unquote(str(name)).strip()
        try:
            return self._resolver.resolve(text, "mesh")
        except DescriptionError as error:
            raise KeyError(str(error)) from error

    def _stand_in(self, path: Path) -> bytes:
        from PIL import Image

        if path not in self._images:
            self._images.append(path)
        index = self._images.index(path)
        pixel = Image.new("RGB", (1, 1), ((index >> 16) & 255, (index >> 8) & 255, index & 255))
        stream = io.BytesIO()
        pixel.save(stream, "PNG")
        return stream.getvalue()


def is_lfs_pointer(data: bytes) -> bool:
    """Whether a clone that was made without Git LFS has this in the place of a file."""
    return data.startswith(_LFS_START)


def digest(data: bytes) -> str:
    """A hash of content, as text."""
    return hashlib.blake2b(data, digest_size=20).hexdigest()


def _resolver(path: Path) -> UriResolver:
    resolver = resolver_for(path)
    # A mesh is not a description: the environment's packages are not its neighbours.
    return UriResolver(resolver.folder, resolver.home, ())
