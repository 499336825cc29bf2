"""MJCF files with all that they name: read here, below the allowed folders, and kept in memory.

MuJoCo itself reads whatever path a file gives. So includes are expanded here, meshes, textures and
height fields are found through the resolver of the file, and MuJoCo gets one text and the contents.
"""

# mujoco is a binary module without type stubs.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from horus_sim.errors import DescriptionError, MissingResourceError
from horus_sim.files.document import read_bytes
from horus_sim.robots.mesh.neighbours import (
    LFS_POINTER,
    MAX_MESH_BYTES,
    digest,
    is_lfs_pointer,
)
from horus_sim.robots.mjcf.lost_files import CAN_BE_LOST, LostFiles
from horus_sim.robots.mjcf.options import physics_options
from horus_sim.robots.mjcf.sizes import check_sizes
from horus_sim.robots.mjcf.text import Complaint, element_in, named, text_of
from horus_sim.robots.report import Report
from horus_sim.robots.uris import REFUSED, UriResolver, resolver_for
from horus_sim.robots.xml import MAX_ELEMENTS, Element, read_xml

if TYPE_CHECKING:
    import mujoco

_FOLDERS = ("meshdir", "texturedir", "assetdir", "strippath")
_NAMED_BY_FILE = frozenset({"mesh", "texture", "hfield", "skin"})
_DEEPEST = 20
_MOST_SHOWN = 8
NOT_ATTACHED = frozenset({"option", "size", "visual", "statistic", "keyframe"})
"""Sections that speak of a world as a whole, and do not go with what is taken out of a file."""


@dataclass(frozen=True, slots=True, eq=False)
class MjcfFile:
    """An MJCF file without references to the disk.

    Attributes:
        path: The file.
        root: Its elements, with includes expanded and files under the names of `files`.
        files: Contents of meshes, textures and height fields, by name; those of models that are
            attached, too.
        attachments: Bodies of other files that hang in this one.
        lost: Meshes and textures that are not there.
        paths: Where the files of `files` are, by name, for errors.
    """

    path: Path
    root: Element
    files: dict[str, bytes] = field(repr=False)
    attachments: tuple[Attachment, ...] = field(default=(), repr=False)
    lost: LostFiles = field(default_factory=LostFiles, repr=False)
    paths: dict[str, Path] = field(default_factory=dict, repr=False)

    @property
    def physics(self) -> dict[str, Any]:
        """What its ``<option>`` says of the physics, by the names that scenes have for it.

        Values are numbers, words, and tuples of three numbers.
        """
        return physics_options(self.root)

    @property
    def text(self) -> str:
        """The document; files in it have names that change with their contents."""
        attached = (text_of(each.file.root, frozenset()) for each in self.attachments)
        return "".join((text_of(self.root, frozenset()), *attached))

    def spec(
        self, without: frozenset[str] = frozenset(), report: Report | None = None
    ) -> mujoco.MjSpec:
        """What MuJoCo makes of it, without what needs files that are not there.

        Args:
            without: Tags of sections to leave out.
            report: Gets a note for what is left out for want of a file.

        Raises:
            DescriptionError: MuJoCo refuses it.
            MissingResourceError: A shape that touches has a mesh that is not there.
        """
        import mujoco

        try:
            spec = mujoco.MjSpec.from_string(text_of(self.root, without), assets=self.files)
            self.lost.leave_out(spec, report)
            for each in self.attachments:
                each.hang_in(spec, report)
            return spec
        except DescriptionError:
            raise
        except (ValueError, OSError, RuntimeError) as error:
            raise self.refusal(error) from error

    def refusal(self, error: Exception) -> DescriptionError:
        """The error that MuJoCo refuses the file, to be raised."""
        complaint = Complaint.of(error)
        element = self.element(complaint)
        where = str(self.path) if element is None else named(element)
        cause = complaint.cause
        for name, path in self.paths.items():
            cause = cause.replace(name, str(path))
        return DescriptionError(f"{where}: MuJoCo cannot load it: {cause}")

    def element(self, complaint: Complaint) -> Element | None:
        """The element that MuJoCo complains of, in this file or one that it includes or attaches.

        Args:
            complaint: The complaint; its name is as in this file.
        """
        found = None if complaint.line is None else element_in(self.root, complaint.line)
        if complaint.name is None:
            return found
        name = None if found is None else found.get("name")
        # Elements without a name got one; with attached files their line may be that of another.
        if name == complaint.name or not (name or self.attachments):
            return found
        for each in self.attachments:
            if complaint.name.startswith(each.prefix):
                inner = replace(complaint, name=complaint.name.removeprefix(each.prefix))
                element = each.file.element(inner)
                if element is not None:
                    return element
        return None


def load_mjcf(
    path: Path,
    package_roots: Iterable[Path | str] = (),
    root: Element | None = None,
    *,
    allow_missing: bool = False,
) -> MjcfFile:
    """Reads an MJCF file and what it names.

    Args:
        path: The file.
        package_roots: Folders, besides its own, from which its files may come.
        root: Its root element, if the file was read already; includes are expanded in it.
        allow_missing: Whether shapes that touch may be left out for want of their mesh.

    Raises:
        DescriptionError: It is not acceptable XML, or includes a file twice.
        MissingResourceError: A file it names is absent or outside the allowed folders; for absent
            meshes and textures `MjcfFile.spec` raises it, if at all.
    """
    return _load(path, tuple(package_roots), root, (), allow_missing=allow_missing)


def _load(
    path: Path,
    package_roots: tuple[Path | str, ...],
    root: Element | None,
    way: tuple[Path, ...],
    *,
    allow_missing: bool,
) -> MjcfFile:
    """A file; `way` holds those that attach it, outermost first."""
    loader = _Loader(path, resolver_for(path, package_roots), LostFiles(allow_missing))
    root = read_xml(path) if root is None else root
    loader.expand(root, path, 0)
    check_sizes(root)
    way = (*way, path.resolve())
    models: dict[str, MjcfFile] = {}
    for element, model in loader.take_models(root):
        if model in way or len(way) >= _DEEPEST:
            raise element.error(
                f"'{model}' is attached to itself, or more than {_DEEPEST} files are attached to "
                "each other in a row"
            )
        models[element.get("name") or model.stem] = _load(
            model, package_roots, None, way, allow_missing=allow_missing
        )
    attachments = tuple(_attachments(root, models))
    loader.take_files(root)
    for attached in models.values():
        loader.files |= attached.files
        loader.paths |= attached.paths
    return MjcfFile(path, root, loader.files, attachments, loader.lost, loader.paths)


@dataclass(frozen=True, slots=True, eq=False)
class Attachment:
    """A body of another file that hangs in a frame.

    Attributes:
        frame: Name of the frame.
        file: The other file.
        body: The body of it with all below; '' for all that its world holds.
        prefix: What stands before the names of what is attached.
    """

    frame: str
    file: MjcfFile
    body: str
    prefix: str

    def hang_in(self, spec: mujoco.MjSpec, report: Report | None = None) -> None:
        """Attaches the body to a spec that has the frame; see `MjcfFile.spec`.

        Raises:
            DescriptionError: The other file has no such body.
            MissingResourceError: A shape that touches has a mesh that is not there.
        """
        other = self.file.spec(NOT_ATTACHED, report)
        frame = spec.frame(self.frame)
        if not self.body:
            spec.attach(other, frame=frame, prefix=self.prefix)
            return
        body = other.body(self.body)
        if body is None:
            known = ", ".join(f"'{each.name}'" for each in other.bodies[:_MOST_SHOWN])
            raise DescriptionError(
                f"{self.file.path}: <attach> names body '{self.body}', which is not there; it has "
                f"{known}"
            )
        frame.attach_body(body, self.prefix, "")


def _attachments(root: Element, models: dict[str, MjcfFile]) -> Iterator[Attachment]:
    """Each ``<attach>``, which becomes a frame."""
    found = [each for each in root.iter() if each.tag == "attach"]
    for number, element in enumerate(found):
        model = element.get("model") or ""
        if model not in models:
            known = ", ".join(f"'{name}'" for name in models) or "none"
            raise element.error(f"<attach> names model '{model}', which is not there: {known}")
        frame = f"attached_{number}"
        body, prefix = element.get("body") or "", element.get("prefix") or ""
        element.tag, element.attributes = "frame", {"name": frame}
        yield Attachment(frame, models[model], body, prefix)


class _Loader:
    def __init__(self, path: Path, resolver: UriResolver, lost: LostFiles) -> None:
        self.resolver = resolver
        self.lost = lost
        self.files: dict[str, bytes] = {}
        self._included = {path.resolve()}
        self.paths: dict[str, Path] = {}
        self._names: dict[Path, str] = {}
        self._count = 0

    def expand(self, element: Element, source: Path, depth: int) -> None:
        """Puts the content of included files in the place of each ``<include>``."""
        children: list[Element] = []
        for child in element.children:
            if child.tag != "include":
                self.expand(child, source, depth)
                children.append(child)
                continue
            if depth >= _DEEPEST:
                raise child.error(f"more than {_DEEPEST} files include each other in a row")
            path = self._find_include(child, source)
            if path in self._included:
                raise child.error(
                    f"'{path}' is included twice, which MJCF does not allow; remove one <include>"
                )
            self._included.add(path)
            inner = read_xml(path)
            self._count += sum(1 for _ in inner.iter())
            if self._count > MAX_ELEMENTS:
                raise child.error(f"more than {MAX_ELEMENTS} elements are included; that is a lot")
            self.expand(inner, path, depth + 1)
            children.extend(inner.children)
        element.children = children

    def _find_include(self, element: Element, source: Path) -> Path:
        uri = element.get("file") or ""
        culprit = f"{element.source}, line {element.line}: <{element.tag}>"
        try:
            return self.resolver.resolve(uri, culprit)
        except MissingResourceError:
            beside = source.resolve().parent
            if beside == self.resolver.folder:
                raise
            return self._beside(beside).resolve(uri, culprit)

    def _beside(self, folder: Path) -> UriResolver:
        """Looks from an included file: MuJoCo looks there too, after the outermost file."""
        return UriResolver(folder, self.resolver.home, self.resolver.roots)

    def take_models(self, root: Element) -> Iterator[tuple[Element, Path]]:
        """The ``<model>`` elements, which leave the document, and their files."""
        for asset in root.find_all("asset"):
            models = asset.find_all("model")
            asset.children = [child for child in asset.children if child.tag != "model"]
            for element in models:
                yield element, self._find_include(element, Path(element.source))

    def take_files(self, root: Element) -> None:
        """Reads every file that an element names and gives it a name without folders."""
        folders = _folders(root)
        for element in root.iter():
            if element.tag == "compiler":
                for name in _FOLDERS:
                    element.attributes.pop(name, None)
            names = [name for name in element.attributes if name.startswith("file")]
            for name in names:
                uri = element.attributes[name].strip()
                if not uri:
                    del element.attributes[name]
                    continue
                if folders.strip:
                    uri = PurePosixPath(uri.replace("\\", "/")).name
                if name == "file" and element.tag in _NAMED_BY_FILE and not element.get("name"):
                    # MuJoCo calls an asset by its file, and that name is replaced.
                    element.attributes["name"] = PurePosixPath(uri.replace("\\", "/")).stem
                try:
                    element.attributes[name] = self._take(element, uri, folders)
                except MissingResourceError as error:
                    if element.tag not in CAN_BE_LOST:
                        raise
                    if _is_refused(error) and not self.lost.may_touch:
                        raise
                    self.lost.add(element.tag, element.get("name") or "", error)

    def _take(self, element: Element, uri: str, folders: _Folders) -> str:
        """Reads a file; the name under which it is kept."""
        named = f" '{element.get('name')}'" if element.get("name") else ""
        culprit = f"{element.source}, line {element.line}: <{element.tag}>{named}"
        path = self._find(element, uri, culprit, folders)
        name = self._names.get(path)
        if name is None:
            content = read_bytes(path, MAX_MESH_BYTES, DescriptionError)
            if is_lfs_pointer(content):
                raise MissingResourceError(f"{culprit}: '{path}': {LFS_POINTER}", uri, (str(path),))
            # The same name must never mean two contents: robots of several files share a world.
            name = f"{digest(content)[:16]}_{path.name}"
            self.files[name] = content
            self._names[path] = name
            self.paths[name] = path
        return name

    def _find(self, element: Element, uri: str, culprit: str, folders: _Folders) -> Path:
        folder = folders.textures if element.tag == "texture" else folders.meshes
        if folder and not uri.startswith("/") and "://" not in uri:
            uri = f"{folder.rstrip('/')}/{uri}"
        try:
            return self.resolver.resolve(uri, culprit)
        except MissingResourceError:
            beside = Path(element.source).resolve().parent
            if beside == self.resolver.folder:
                raise
            return self._beside(beside).resolve(uri, culprit)


def _is_refused(error: MissingResourceError) -> bool:
    """Whether it would have been looked for outside the allowed folders."""
    return any(tried.endswith(REFUSED) for tried in error.tried)


@dataclass(frozen=True, slots=True)
class _Folders:
    """Where a file has its meshes and textures, and whether folders in names are dropped."""

    meshes: str = ""
    textures: str = ""
    strip: bool = False


def _folders(root: Element) -> _Folders:
    meshes = textures = ""
    strip = False
    for element in root.find_all("compiler"):
        both = element.get("assetdir")
        meshes = element.get("meshdir") or both or meshes
        textures = element.get("texturedir") or both or textures
        strip = element.get("strippath", str(strip).lower()) == "true"
    return _Folders(meshes.replace("\\", "/"), textures.replace("\\", "/"), strip)
