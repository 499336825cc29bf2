"""Files that a description names: found below a few folders, and never read outside them.

A description comes from anywhere, so what it names is confined. Allowed are the package roots that
the caller gives, those of the environment, and the *home* of the description:

- the nearest folder at or above it with a ``package.xml`` or ``model.config``;
- without one, its own folder, or the folder above if its own has a customary name such as ``urdf``.

A package beside the home (a folder with its own ``package.xml``) is allowed too. Symbolic links
and ``..`` are followed first, and where they end decides.

A package is a folder of its name, or else one whose ``package.xml`` has its name. What is found in
neither way may still be found by the rest of the URI in a folder above the description, or under a
name that differs in the case of letters; both are remarked on.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal
from urllib.parse import unquote

from horus_sim.errors import MissingResourceError
from horus_sim.robots.packages import MARKERS, in_any_case, package_name, packages_below
from horus_sim.robots.report import NoteKind, Report

Kind = Literal["file", "directory"]

# Names of folders inside a package that customarily hold descriptions.
_INNER_FOLDERS = frozenset({"urdf", "urdfs", "robots", "xacro", "sdf", "mjcf", "worlds"})
_PACKAGE_PATH = "ROS_PACKAGE_PATH"
_PREFIX_PATH = "AMENT_PREFIX_PATH"
_MODEL_PATHS = ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH")
_MAX_URI = 4096
REFUSED = "(refused: outside the package roots)"
"""How a path that was not looked at ends in the list of those that were tried."""


@dataclass(frozen=True, slots=True)
class UriResolver:
    """Finds the files that one description names; make it with `resolver_for`.

    Attributes:
        folder: Folder of the description, without symbolic links.
        home: Folder that belongs to the description, see the module.
        roots: Folders below which packages and models are looked for, in order.
        report: Gets a remark on each file that is not quite where its URI says.
    """

    folder: Path
    home: Path
    roots: tuple[Path, ...] = ()
    report: Report = field(default_factory=Report, repr=False, compare=False)
    _found: dict[tuple[str, Kind], Path] = field(default_factory=dict, repr=False, compare=False)
    _packages: dict[str, bool] = field(default_factory=dict, repr=False, compare=False)
    _guessed: set[tuple[str, Path]] = field(default_factory=set, repr=False, compare=False)

    def resolve(self, uri: str, culprit: str, kind: Kind = "file") -> Path:
        """The file or folder that a URI names.

        Args:
            uri: ``package://``, ``model://``, ``file://`` or a path, as the description wrote it.
            culprit: Who refers to it, such as "link 'arm', collision".
            kind: What it must be.

        Returns:
            An absolute path without symbolic links, that exists, below an allowed folder.

        Raises:
            MissingResourceError: Nothing is there, or only outside the allowed folders. The text
                names culprit, URI and every path tried.
        """
        known = self._found.get((uri, kind))
        if known is not None:
            return known
        scheme, rest = _split(uri, culprit)
        tried: list[str] = []
        for candidate in self._candidates(scheme, rest):
            real = _real(candidate)
            if real is None:
                continue
            text = str(candidate)
            if not self._is_allowed(real):
                refusal = f"{text} {REFUSED}"
                if refusal not in tried:
                    tried.append(refusal)
                continue
            if _exists(real, kind):
                self._found[uri, kind] = real
                return real
            if kind == "file" and _exists(real, "directory"):
                text += " (is a directory)"
            if text not in tried:
                tried.append(text)
        guess = self._guess(scheme, rest, culprit, kind)
        if guess is not None:
            self._found[uri, kind] = guess
            return guess
        raise self._missing(uri, culprit, scheme, rest, tried)

    def missing_package(self, uri: str) -> str | None:
        """The package or model that a URI names, if there is none of that name at all."""
        scheme, _, rest = uri.strip().partition("://")
        if scheme.lower() not in ("package", "model"):
            return None
        package = _head(unquote(rest).replace("\\", "/"))[0]
        return None if not package or self._has_package(package) else package

    def _guess(self, scheme: str, rest: str, culprit: str, kind: Kind) -> Path | None:
        """A file that is meant in all likelihood, with a remark."""
        found = self._in_other_case(scheme, rest, culprit, kind)
        if found is not None or scheme not in ("package", "model"):
            return found
        package, inside = _head(rest)
        for candidate in self._without_package(inside):
            real = _real(candidate)
            if real is not None and self._is_allowed(real) and _exists(real, kind):
                self._remark_on_package(package, candidate, inside)
                return real
        return None

    def _in_other_case(self, scheme: str, rest: str, culprit: str, kind: Kind) -> Path | None:
        """A file whose name is written with other capital letters, with a remark."""
        for candidate in self._candidates(scheme, rest):
            real = _real(candidate)
            if real is None or not self._is_allowed(real):
                continue
            for other in in_any_case(real):
                if self._is_allowed(other.resolve()) and _exists(other, kind):
                    text = f"is called '{other}' there: letters differ in case"
                    name = PurePosixPath(rest).name
                    self.report.add(NoteKind.SUBSTITUTION, f"{culprit}: '{name}'", text)
                    return other.resolve()
        return None

    def _without_package(self, inside: str) -> Iterator[Path]:
        """What a package is to hold, below a folder above the description.

        Of the folders inside the package the first ones may be missing, too, but not the last.
        """
        parts = PurePosixPath(inside).parts
        if not parts or ".." in parts:
            return
        for skipped in range(max(len(parts) - 1, 1)):
            for folder in self._ancestors():
                candidate = folder.joinpath(*parts[skipped:])
                yield candidate
                yield from in_any_case(candidate)

    def _remark_on_package(self, package: str, found: Path, inside: str) -> None:
        """Says once for each package and folder where its files come from."""
        below = found
        for name in reversed(PurePosixPath(inside).parts):
            below = below.parent if below.name.casefold() == name.casefold() else below
        if (package, below) not in self._guessed:
            self._guessed.add((package, below))
            lacks = "does not hold what is named" if self._has_package(package) else "was not found"
            text = f"{lacks}; its files are taken from below '{below}' instead"
            self.report.add(NoteKind.SUBSTITUTION, f"package '{package}'", text)

    def _is_allowed(self, real: Path) -> bool:
        if any(real.is_relative_to(root) for root in (self.home, *self.roots)):
            return True
        beside = self.home.parent
        if not _is_package(self.home) or not real.is_relative_to(beside):
            return False
        parts = real.relative_to(beside).parts
        return bool(parts) and _is_package(beside / parts[0])

    def _candidates(self, scheme: str, rest: str) -> Iterator[Path]:
        if scheme in ("package", "model"):
            yield from self._in_packages(*_head(rest))
        elif scheme == "file":
            yield Path("/" + rest.lstrip("/"))
            yield from self._in_shares(rest)
        elif rest.startswith("/"):
            yield Path(rest)
            yield from self._in_shares(rest)
        else:
            for folder in self._ancestors():
                yield folder / rest
            for root in self.roots:
                yield root / rest

    def _in_shares(self, rest: str) -> Iterator[Path]:
        """An absolute path of another machine: what follows ``share/`` names the package."""
        parts = PurePosixPath(rest).parts
        for k, part in enumerate(parts[:-2]):
            if part == "share":
                yield from self._in_packages(parts[k + 1], "/".join(parts[k + 2 :]))

    def _in_packages(self, package: str, rest: str) -> Iterator[Path]:
        for folder in self._ancestors():
            if folder.name == package:
                yield folder / rest
        for root in self.roots:
            yield root / package / rest
            if root.name == package:
                yield root / rest
            for inner in ("share", "src", "models"):
                if _exists(root / inner / package, "directory"):
                    yield root / inner / package / rest
        for folder in self._ancestors():
            if folder not in self.roots:
                yield folder / package / rest
        yield self.home.parent / package / rest
        for folder in self._named_in_xml(package):
            yield folder / rest

    def _named_in_xml(self, package: str) -> Iterator[Path]:
        """Packages that are called otherwise than their folders."""
        for folder in self._ancestors():
            if package_name(folder) == package:
                yield folder
        for root in self.roots:
            yield from packages_below(root).get(package, ())
        if _is_package(self.home):
            yield from packages_below(self.home.parent, 1).get(package, ())

    def _ancestors(self) -> Iterator[Path]:
        """The folder of the description and those above it, as far as they are allowed."""
        for folder in (self.folder, *self.folder.parents):
            if any(folder.is_relative_to(root) for root in (self.home, *self.roots)):
                yield folder

    def _missing(
        self, uri: str, culprit: str, scheme: str, rest: str, tried: list[str]
    ) -> MissingResourceError:
        package = _head(rest)[0]
        cause = "was not found"
        if scheme in ("package", "model") and not self._has_package(package):
            cause = f"was not found: no {scheme} '{package}' below the package roots"
        looked = "; tried: " + ", ".join(tried) if tried else ""
        remedy = "give the folder that holds it as package root (package_roots, --package-root)"
        return MissingResourceError(f"{culprit}: '{uri}' {cause}{looked}; {remedy}", uri, (*tried,))

    def _has_package(self, package: str) -> bool:
        if package not in self._packages:
            folders = [real for found in self._in_packages(package, "") if (real := _real(found))]
            self._packages[package] = any(
                self._is_allowed(real) and _exists(real, "directory") for real in folders
            )
        return self._packages[package]


def resolver_for(
    description: Path, package_roots: Iterable[Path | str] = (), report: Report | None = None
) -> UriResolver:
    """A resolver for the URIs of a description.

    Args:
        description: The file; its folder is searched first.
        package_roots: Folders that hold packages or models; searched in order, before those of
            ``ROS_PACKAGE_PATH``, ``AMENT_PREFIX_PATH`` (their ``share``), ``GZ_SIM_RESOURCE_PATH``,
            ``IGN_GAZEBO_RESOURCE_PATH`` and ``GAZEBO_MODEL_PATH``.
        report: Gets the remarks on files that are not quite where their URIs say.
    """
    folder = description.resolve().parent
    given = [Path(root).expanduser() for root in package_roots]
    roots: list[Path] = []
    for root in (*given, *_environment_roots()):
        real = root.resolve()
        if real not in roots:
            roots.append(real)
    return UriResolver(folder, _home(folder), tuple(roots), Report() if report is None else report)


def _environment_roots() -> Iterator[Path]:
    for name in (_PACKAGE_PATH, _PREFIX_PATH, *_MODEL_PATHS):
        for entry in os.environ.get(name, "").split(os.pathsep):
            # A relative or root entry would allow far more than its author meant.
            if entry and Path(entry).is_absolute() and Path(entry) != Path("/"):
                yield Path(entry) / "share" if name == _PREFIX_PATH else Path(entry)


def _home(folder: Path) -> Path:
    top = Path(folder.anchor)
    for ancestor in (folder, *folder.parents):
        if ancestor != top and _is_package(ancestor):
            return ancestor
    if folder.name.lower() in _INNER_FOLDERS and folder.parent != top:
        return folder.parent
    return folder


def _is_package(folder: Path) -> bool:
    return any(_exists(folder / marker, "file") for marker in MARKERS)


def _split(uri: str, culprit: str) -> tuple[str, str]:
    """Scheme ('' for a path) and the rest, in forward slashes."""
    text = uri.strip()
    if not text or len(text) > _MAX_URI or not text.isprintable():
        raise MissingResourceError(
            f"{culprit}: {uri[:80]!r} names no file: it is empty, longer than {_MAX_URI} "
            "characters or has characters that no path has",
            uri,
            (),
        )
    scheme, colon, rest = text.partition("://")
    if not colon:
        return "", text.replace("\\", "/")
    scheme = scheme.lower()
    if scheme not in ("package", "model", "file"):
        raise MissingResourceError(
            f"{culprit}: '{uri}' has the scheme '{scheme}', which is not read; known are package, "
            "model and file: put the file beside the description and refer to it by path",
            uri,
            (),
        )
    return scheme, unquote(rest).replace("\\", "/").replace("\0", "")


def _head(rest: str) -> tuple[str, str]:
    package, _, inside = rest.strip("/").partition("/")
    return package, inside.lstrip("/")


def _real(path: Path) -> Path | None:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, or no possible path
        return None


def _exists(path: Path, kind: Kind) -> bool:
    try:
        return path.is_file() if kind == "file" else path.is_dir()
    except (OSError, ValueError):  # too long a name, or a folder that may not be entered
        return False
