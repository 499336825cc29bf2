"""The checks of `horus-sim doctor`: each looks for one part and says how to get it if absent."""

from __future__ import annotations

import sys
from functools import partial

from horus_sim import __version__
from horus_sim.installation import install_command, probes, remedies
from horus_sim.installation.finding import Finding, Status
from horus_sim.installation.remedies import SystemPart

OLDEST_PYTHON = (3, 11)


def check_python() -> Finding:
    """The interpreter, at least `OLDEST_PYTHON`."""
    name, purpose = "Python", "runs everything"
    version = probes.python_version()
    detail = f"{'.'.join(map(str, version))} ({sys.executable})"
    if version >= OLDEST_PYTHON:
        return Finding(name, Status.OK, detail, purpose)
    oldest = ".".join(map(str, OLDEST_PYTHON))
    return Finding(
        name, Status.MISSING, f"{detail} is too old", purpose, f"install Python {oldest} or newer"
    )


def check_native() -> Finding:
    """This package and its compiled extension, which must be of one version."""
    name, purpose = "horus-sim", "the package and its compiled core"
    failure = probes.import_failure("horus_sim._native._core")
    if failure is None:
        return Finding(
            name, Status.OK, f"{__version__}, native extension of this version loads", purpose
        )
    return Finding(
        name,
        Status.MISSING,
        f"{__version__}, native extension does not load: {failure}",
        purpose,
        "pip install --force-reinstall horus-sim (in a checkout: rm -rf .venv && ./run.sh doctor)",
    )


def check_numpy() -> Finding:
    """NumPy, which every array of the package is made of."""
    name, purpose = "NumPy", "arrays"
    failure = probes.import_failure("numpy")
    if failure is None:
        return Finding(name, Status.OK, probes.package_version("numpy") or "loads", purpose)
    return Finding(name, Status.MISSING, failure, purpose, "pip install numpy")


def check_system(part: SystemPart) -> Finding:
    """A program or library of the operating system; nothing that is always needed."""
    found = probes.executable(part.programs) or probes.loadable_library(part.libraries)
    if found is not None:
        return Finding(part.name, Status.OK, found, part.purpose)
    remedy = part.install_command(probes.system())
    return Finding(part.name, Status.OPTIONAL, "not found", part.purpose, remedy)


def check_extra(name: str, purpose: str, extra: str, *packages: str) -> Finding:
    """Packages of an optional part.

    Args:
        name: Name of the part in the report.
        purpose: What it is for.
        extra: Extra that installs them.
        packages: Their names.
    """
    versions = {package: probes.package_version(package) for package in packages}
    missing = [package for package, version in versions.items() if version is None]
    if missing:
        detail = f"{', '.join(missing)} not installed"
        return Finding(name, Status.OPTIONAL, detail, purpose, install_command(extra))
    found = ", ".join(f"{package} {version}" for package, version in versions.items())
    return Finding(name, Status.OK, found, purpose)


ALL_CHECKS = (
    check_python,
    check_native,
    check_numpy,
    partial(check_system, remedies.COMPILER),
    partial(check_system, remedies.EGL),
    partial(check_system, remedies.OPENGL),
    partial(check_system, remedies.OSMESA),
    partial(check_extra, "zenoh", "topics across processes", "zenoh", "eclipse-zenoh"),
    partial(
        check_extra,
        *("recording", "MCAP files, bags, Foxglove", "record"),
        *("foxglove-sdk", "mcap"),
    ),
    partial(check_extra, "videos", "--video FILE.mp4", "video", "av"),
    partial(check_extra, "pages", "pages in the browser", "ui", "nicegui"),
    partial(check_extra, "pictures", "arm --plot", "plot", "matplotlib"),
    partial(check_extra, "training", "rl train", "train", "stable-baselines3"),
    partial(check_extra, "PyBullet", "arm verify --pybullet", "pybullet", "pybullet"),
    # Any browser shows the pages; the tests drive a Chromium.
    partial(check_system, remedies.BROWSER),
)
