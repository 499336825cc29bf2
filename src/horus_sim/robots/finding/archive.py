"""Robots in zip archives, unpacked into the user's cache.

An archive may come from anywhere. Nothing is written outside of its own folder, links and special
files are refused, and so is what would fill the disk. The folder is called by the digest of the
archive and appears when all of it is there.
"""

from __future__ import annotations

import hashlib
import stat
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from horus_sim.errors import DescriptionError
from horus_sim.files.cache import cache_folder
from horus_sim.files.printable import printable

MOST_MEMBERS = 20_000
MOST_BYTES = 2 * 1024**3
MOST_ARCHIVE_BYTES = 1024**3
LARGEST_RATIO = 200
"""How many times larger the content may be than the archive."""

_SMALL = 16 * 1024 * 1024  # what unpacks to less than this may have any ratio
_LONGEST_NAME = 1024
_BLOCK = 1024 * 1024
_BAD = frozenset('<>:"|?*\\')
_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


def unpacked(archive: Path) -> Path:
    """The folder with the content of an archive, which is unpacked unless it was before.

    Args:
        archive: A zip file.

    Raises:
        DescriptionError: It cannot be read, or a member of it is refused; the text names it.
    """
    try:
        target = cache_folder("archives") / _digest(archive)
        if target.is_dir():
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".part-", dir=target.parent) as part:
            inner = Path(part) / "content"
            inner.mkdir()
            _unpack(archive, inner)
            _publish(inner, target)
    except OSError as error:
        raise DescriptionError(
            f"{archive}: cannot be unpacked: {error.strerror or error}; check the file, and the "
            f"space and rights in '{cache_folder('archives')}'"
        ) from error
    return target


def _digest(archive: Path) -> str:
    size = archive.stat().st_size
    if size > MOST_ARCHIVE_BYTES:
        raise DescriptionError(
            f"{archive}: has {size} bytes, more than the limit of {MOST_ARCHIVE_BYTES}; unpack it "
            "and give the folder"
        )
    with archive.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:40]


def _publish(inner: Path, target: Path) -> None:
    try:
        inner.rename(target)
    except OSError:
        if not target.is_dir():  # else another process was first
            raise


def _unpack(archive: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(archive) as opened:
            members = opened.infolist()
            _check(archive, members)
            left = MOST_BYTES
            for member in members:
                try:
                    left -= _write(opened, member, folder, left)
                except _ERRORS as error:
                    raise _refusal(archive, member, f"cannot be read: {error}") from error
    except zipfile.BadZipFile as error:
        raise DescriptionError(
            f"{archive}: is not a zip file, or a damaged one: {error}; pack it again"
        ) from error


def _check(archive: Path, members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MOST_MEMBERS:
        raise DescriptionError(
            f"{archive}: has {len(members)} members, more than the limit of {MOST_MEMBERS}; pack "
            "the robot alone"
        )
    seen: dict[str, str] = {}
    total = 0
    for member in members:
        reason = _problem(member)
        if reason is not None:
            raise _refusal(archive, member, reason)
        path = member.filename.rstrip("/").casefold()
        if not member.is_dir() and seen.setdefault(path, member.filename) != member.filename:
            raise _refusal(archive, member, f"differs from '{seen[path]}' in capitals alone")
        total += member.file_size
        packed = max(member.compress_size, 1)
        if member.file_size > _SMALL and member.file_size > LARGEST_RATIO * packed:
            text = f"unpacks to {member.file_size / packed:.0f} times its size"
            raise _refusal(archive, member, f"{text}, more than {LARGEST_RATIO} times")
        if total > MOST_BYTES:
            raise _refusal(archive, member, f"makes the content larger than {MOST_BYTES} bytes")


def _problem(member: zipfile.ZipInfo) -> str | None:
    """Why a member is refused, or None."""
    name = member.filename
    path = PurePosixPath(name)
    mode = member.external_attr >> 16
    if member.flag_bits & 0x1:
        return "is encrypted"
    if not name or len(name) > _LONGEST_NAME or not name.isprintable() or _BAD & set(name):
        return "has a name that no file may have"
    if path.is_absolute() or ".." in path.parts:
        return "would be written outside of the folder"
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a link" if stat.S_ISLNK(mode) else "is neither a file nor a folder"
    return None


def _write(opened: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, most: int) -> int:
    """Writes a member; the bytes that it has. What an archive claims of sizes is not believed."""
    path = folder.joinpath(*PurePosixPath(member.filename).parts)
    if member.is_dir():
        path.mkdir(parents=True, exist_ok=True)
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with opened.open(member) as source, path.open("xb") as sink:
        while block := source.read(_BLOCK):
            written += len(block)
            if written > min(most, member.file_size):
                raise ValueError("it has more bytes than the archive says")
            sink.write(block)
    return written


def _refusal(archive: Path, member: zipfile.ZipInfo, reason: str) -> DescriptionError:
    return DescriptionError(
        f"{archive}: member '{printable(member.filename[:100])}' {reason}; pack the archive again "
        "without it"
    )
