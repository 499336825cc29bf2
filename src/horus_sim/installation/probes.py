"""Questions about this machine, each with a plain answer; nothing here judges or advises."""

from __future__ import annotations

import ctypes
import importlib
import importlib.metadata
import platform
import shutil
import sys
from collections.abc import Iterable


def python_version() -> tuple[int, int, int]:
    """The running interpreter's major, minor and micro version."""
    return sys.version_info[:3]


def package_version(distribution: str) -> str | None:
    """The installed version of a distribution, or None when it is not installed."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def import_failure(module: str) -> str | None:
    """Why a module cannot be imported, in one line, or None when it can be."""
    try:
        importlib.import_module(module)
    except ImportError as error:
        return " ".join(str(error).split())
    return None


def loadable_library(names: Iterable[str]) -> str | None:
    """The first of these shared libraries that loads, or None."""
    for name in names:
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return name
    return None


def executable(names: Iterable[str]) -> str | None:
    """The path of the first of these programs that is on the PATH, or None."""
    return next((path for name in names if (path := shutil.which(name))), None)


def system() -> str:
    """The family of the operating system: 'debian', 'ubuntu', 'fedora', 'macos' or 'other'."""
    if sys.platform == "darwin":
        return "macos"
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return "other"
    families = [release.get("ID", ""), *release.get("ID_LIKE", "").split()]
    return next((name for name in families if name in {"debian", "ubuntu", "fedora"}), "other")
