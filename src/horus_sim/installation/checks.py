"""The checks of `horus-sim doctor`: each looks for one part and says how to get it if absent."""

from __future__ import annotations

import sys

from horus_sim import __version__
from horus_sim.installation import install_command, probes, remedies
from horus_sim.installation.finding import Finding, Status

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


def check_compiler() -> Finding:
    """A C++ compiler, needed to build from source only."""
    path = probes.executable(("c++", "g++", "clang++"))
    return _optional("C++ compiler", path, "building horus-sim from source", remedies.COMPILER)


def check_egl() -> Finding:
    """EGL, which renders camera images without a display."""
    library = probes.loadable_library(("libEGL.so.1",))
    return _optional("EGL", library, "cameras in 3D", remedies.EGL)


def check_osmesa() -> Finding:
    """OSMesa, which renders camera images in software."""
    library = probes.loadable_library(("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"))
    return _optional("OSMesa", library, "cameras in 3D where EGL does not work", remedies.OSMESA)


def check_zenoh() -> Finding:
    """Zenoh, the transport between processes and machines."""
    name, purpose = "zenoh", "topics across processes"
    version = probes.package_version("eclipse-zenoh")
    if version is not None:
        return Finding(name, Status.OK, version, purpose)
    return Finding(name, Status.OPTIONAL, "not installed", purpose, install_command("zenoh"))


def check_recording() -> Finding:
    """The packages that recordings, live views and videos need."""
    name, purpose = "recording", "MCAP files, Foxglove, videos"
    versions = {name: probes.package_version(name) for name in ("foxglove-sdk", "mcap", "av")}
    missing = [package for package, version in versions.items() if version is None]
    if not missing:
        found = ", ".join(f"{package} {version}" for package, version in versions.items())
        return Finding(name, Status.OK, found, purpose)
    detail = f"{', '.join(missing)} not installed"
    return Finding(name, Status.OPTIONAL, detail, purpose, install_command("record"))


def check_pages() -> Finding:
    """The package that serves the pages in the browser."""
    return _extra("pages", "nicegui", "pages in the browser", "ui")


def check_plot() -> Finding:
    """The package that draws the pictures of `--plot`."""
    return _extra("pictures", "matplotlib", "arm --plot", "plot")


def check_training() -> Finding:
    """The packages that policies are trained with."""
    return _extra("training", "stable-baselines3", "rl train", "train")


def check_pybullet() -> Finding:
    """The second simulator that arms can be compared with."""
    return _extra("PyBullet", "pybullet", "arm verify --pybullet", "pybullet")


def check_browser() -> Finding:
    """A Chromium that the tests of the pages can drive; any browser will do for using them."""
    names = (
        "chromium",
        "chromium-headless-shell",
        "google-chrome",
        "google-chrome-stable",
        "chromium-browser",
    )
    return _optional(
        "browser", probes.executable(names), "the browser pages' tests", remedies.BROWSER
    )


def _extra(name: str, package: str, purpose: str, extra: str) -> Finding:
    version = probes.package_version(package)
    if version is not None:
        return Finding(name, Status.OK, f"{package} {version}", purpose)
    remedy = install_command(extra)
    return Finding(name, Status.OPTIONAL, f"{package} not installed", purpose, remedy)


def _optional(
    name: str, found: str | None, purpose: str, package: remedies.SystemPackage
) -> Finding:
    if found is not None:
        return Finding(name, Status.OK, found, purpose)
    remedy = package.install_command(probes.system())
    return Finding(name, Status.OPTIONAL, "not found", purpose, remedy)


ALL_CHECKS = (
    check_python,
    check_native,
    check_numpy,
    check_compiler,
    check_egl,
    check_osmesa,
    check_zenoh,
    check_recording,
    check_pages,
    check_plot,
    check_training,
    check_pybullet,
    check_browser,
)
