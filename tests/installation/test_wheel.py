"""The wheel, installed where there is neither a compiler nor a checkout.

The wheel is built where .venv was, so that all but the link is there already; what this cannot see
is the manylinux wheel on a bare machine, which ``scripts/test-fresh-root.sh`` tests by hand.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = REPOSITORY / "scripts/build-wheels.sh"

pytestmark = pytest.mark.skipif(
    Path(sys.prefix) != REPOSITORY / ".venv", reason="builds with the interpreter of .venv"
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    built = subprocess.run([BUILD, folder, "here"], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.iterdir()
    assert built.stdout.splitlines() == [wheel.name]
    return wheel


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that has the wheel, and the dependencies from where they are already."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    program = folder / "bin/python"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            program,
            "install",
            "--quiet",
            "--no-deps",
            wheel,
        ],
        check=True,
    )
    # Behind its own packages, and without what .pth files there do, such as our editable package.
    packages = Path(sysconfig.get_path("purelib", vars={"base": folder, "platbase": folder}))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def run(environment: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A program of the environment, with no other one on the PATH."""
    kept = {name: os.environ[name] for name in ("HOME", "TMPDIR") if name in os.environ}
    return subprocess.run(
        [environment / "bin" / words[0], *words[1:]],
        cwd=environment,
        env=kept | {"PATH": str(environment / "bin"), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_package_comes_from_the_wheel(installed: Path):
    program = (
        "import json, horus_sim, horus_sim._native._core as core; "
        "print(json.dumps([horus_sim.__file__, core.__file__, core.__version__]))"
    )
    done = run(installed, "python", "-c", program)
    assert done.returncode == 0, done.stderr
    package, core, version = json.loads(done.stdout)
    assert Path(package).is_relative_to(installed)
    assert Path(core).is_relative_to(installed)
    assert version in Path(core).parents[2].joinpath("horus_sim/__init__.py").read_text()


def test_doctor_needs_no_compiler(installed: Path):
    done = run(installed, "horus-sim", "doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Everything required is installed." in done.stdout


def test_a_world_runs(installed: Path):
    done = run(installed, "horus-sim", "sim3d", "warehouse", "--headless", "--duration", "0.5")
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_the_wheel_holds(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        described = next(name for name in names if name.endswith(".dist-info/WHEEL"))
        tags = archive.read(described).decode()
    licences = {name.split(".dist-info/licenses/")[-1] for name in names if "/licenses/" in name}
    others = {path.relative_to(REPOSITORY).as_posix() for path in REPOSITORY.glob("licenses/*.txt")}
    assert "licenses/ros2-messages.txt" in others
    assert licences >= {"LICENSE"} | others
    (core,) = [
        name for name in names if name.startswith("horus_sim/_native/_core.") and "pyi" not in name
    ]
    if sys.version_info >= (3, 12):
        assert core.endswith(".abi3.so")
        assert "Tag: cp312-abi3-" in tags
    else:
        assert "Tag: cp311-cp311-" in tags
    # Every file of the package that is under version control, such as scenes, meshes and scripts.
    tracked = subprocess.run(
        ["git", "ls-files", "src/horus_sim"],  # noqa: S607 - whichever git made the checkout
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert {name.removeprefix("src/") for name in tracked} <= set(names)
    assert not [name for name in names if not name.startswith(("horus_sim/", "horus_sim-"))]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "error: name a folder for what is built; usage: scripts/build-wheels.sh OUT_FOLDER"),
        (["out", "cp39"], "error: 'cp39' is no part of a release; usage:"),
        (["full"], "holds files of horus_sim already; name another folder, or remove them."),
    ],
)
def test_refusals_of_the_script(tmp_path: Path, words: list[str], message: str):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/horus_sim-0.0.1-py3-none-any.whl").touch()
    done = subprocess.run(
        [BUILD, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert message in done.stderr


def test_a_missing_interpreter_is_told(tmp_path: Path):
    done = subprocess.run(
        [BUILD, tmp_path / "out", "abi3"],
        env=os.environ | {"PYTHONS": "/nowhere/python3.12"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "error: this wheel needs CPython 3.12 or newer with venv and headers" in done.stderr
    assert "PYTHONS=/path/to/python3" in done.stderr
