"""run.sh, test.sh and scripts/ on machines that lack something; nothing is installed here.

Each test works on a copy of the scripts in a folder whose name has a space, with a PATH that holds
only what the test put there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
COMMANDS = (
    "bash",
    "cat",
    "dirname",
    "env",
    "find",
    "id",
    "mkdir",
    "mktemp",
    "mv",
    "rm",
    "sed",
    "uname",
)
ADVICE = """\
What to install:
  Debian, Ubuntu: sudo apt-get install g++ python3-venv python3-dev
  Fedora:         sudo dnf install gcc-c++ python3-devel
  macOS:          xcode-select --install && brew install python@3.13
"""


class Machine:
    """A checkout and a PATH of its own."""

    def __init__(self, folder: Path) -> None:
        self.checkout = folder / "a checkout"
        self.programs = folder / "programs"
        self.programs.mkdir()
        for name in COMMANDS:
            self.link_program(name)
        for name in ("run.sh", "test.sh", "pyproject.toml", "CMakeLists.txt"):
            self._copy(name)
        for path in (REPOSITORY / "scripts").iterdir():
            if path.is_file():
                self._copy(f"scripts/{path.name}")
        self._copy("src/horus_sim/__init__.py")
        self._copy("src/horus_sim/interruption.py")
        self.native_source = self.checkout / "native/core.cpp"
        self.native_source.parent.mkdir()
        self.native_source.write_text("// core")

    def _copy(self, relative: str) -> None:
        target = self.checkout / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / relative, target)

    def link_program(self, name: str) -> None:
        """Put a program of this machine on the PATH."""
        path = shutil.which(name)
        assert path is not None
        (self.programs / name).symlink_to(path)

    def add_program(self, name: str, body: str, folder: Path | None = None) -> None:
        """Put a shell script on the PATH, or into another folder."""
        program = (folder or self.programs) / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.unlink(missing_ok=True)  # a symlink: writing through it would change the machine
        program.write_text(f"#!/bin/bash\n{body}\n")
        program.chmod(0o755)

    def add_python(self, name: str = "python3") -> None:
        self.add_program(name, f'exec "{sys.executable}" "$@"')

    def add_installation(self, extras: str) -> None:
        """A .venv with a stamp, as a finished installation leaves it."""
        binaries = self.checkout / ".venv/bin"
        self.add_program("python", f'exec "{sys.executable}" "$@"', binaries)
        self.add_program("horus-sim", 'printf "<%s>" "$PWD" "$@"', binaries)
        digest = subprocess.run(
            [sys.executable, self.checkout / "scripts/source_digest.py"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        (self.checkout / ".venv/horus-stamp").write_text(
            f"{digest}{extras}\nsrc/horus_sim/interruption.py\n"
        )
        (self.checkout / ".venv/horus-origin").write_text(f"{self.checkout}\n")

    def replace_pip_install(self, body: str) -> None:
        """Let the .venv's `python -m pip install` do this instead."""
        self.add_program(
            "python",
            f'if [[ "$*" == "-m pip install "* ]]; then {body}; exit; fi\n'
            f'exec "{sys.executable}" "$@"',
            self.checkout / ".venv/bin",
        )

    def start(
        self,
        script: str,
        *arguments: str,
        stderr: int = subprocess.PIPE,
        environment: dict[str, str] | None = None,
    ) -> subprocess.Popen[str]:
        """Start a script of the checkout from another folder."""
        return subprocess.Popen(
            [self.checkout / script, *arguments],
            cwd=self.programs,
            env={"PATH": str(self.programs), "HOME": "/nowhere"} | (environment or {}),
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )

    def run(
        self, script: str, *arguments: str, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a script of the checkout from another folder."""
        with self.start(script, *arguments, environment=environment) as process:
            out, err = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("script", ["run.sh", "test.sh"])
def test_without_python(machine: Machine, script: str):
    result = machine.run(script)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.startswith(
        "error: Horus Sim needs Python 3.11 or newer with venv and headers; none of these is:\n"
        "  python3.13 is not on the PATH\n"
    )
    assert ADVICE in result.stderr


def test_python_too_old(machine: Machine):
    pretend = "import sys; sys.version_info = (3, 9, 2)"
    machine.add_program("python3", f'{{ echo "{pretend}"; cat; }} | exec "{sys.executable}" "$@"')
    result = machine.run("run.sh")
    assert result.returncode == 1
    assert "  python3 is Python 3.9.2, too old\n" in result.stderr
    assert ADVICE in result.stderr


def test_python_without_venv(machine: Machine):
    hide = "import sys, importlib.util; importlib.util.find_spec = lambda name: None"
    machine.add_program("python3", f'{{ echo "{hide}"; cat; }} | exec "{sys.executable}" "$@"')
    result = machine.run("run.sh")
    assert result.returncode == 1
    assert "  python3 has no module venv (Debian: python3-venv)\n" in result.stderr
    assert ADVICE in result.stderr


def test_python_that_does_not_run_is_passed_over(machine: Machine):
    machine.add_program("python3.13", "exit 127")
    machine.add_python("python3.11")
    result = machine.run("run.sh")
    assert "needs a C++20 compiler" in result.stderr


def test_named_python_is_the_only_one_tried(machine: Machine):
    machine.add_python()
    result = machine.run("run.sh", PYTHON="/nowhere/python3.12")
    assert result.returncode == 1
    assert "  /nowhere/python3.12 is not on the PATH\n" in result.stderr
    assert "python3.13" not in result.stderr.split("What to install")[0]


def test_without_compiler(machine: Machine):
    machine.add_python()
    result = machine.run("run.sh")
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr == (
        "error: Horus Sim needs a C++20 compiler (g++ 11, clang++ 14 or newer); "
        "none of c++, g++, clang++ works.\n" + ADVICE
    )
    assert not (machine.checkout / ".venv").exists()


def test_compiler_too_old(machine: Machine):
    machine.add_python()
    machine.add_program("g++", "echo 'unrecognized option -std=c++20' >&2; exit 1")
    result = machine.run("run.sh")
    assert result.returncode == 1
    assert "none of c++, g++, clang++ works" in result.stderr


def test_named_compiler_that_does_not_work(machine: Machine):
    machine.add_python()
    machine.add_program("c++", "exit 0")
    result = machine.run("run.sh", CXX="old-cc --flag")
    assert result.returncode == 1
    assert "error: CXX='old-cc --flag' does not compile a small C++20 program" in result.stderr


@pytest.mark.parametrize("extras", ["all", "all,dev"])
def test_current_installation_is_used_as_it_is(machine: Machine, extras: str):
    machine.add_installation(extras)
    result = machine.run("run.sh", "doctor", "two words")
    assert result.returncode == 0
    assert result.stderr == ""
    assert result.stdout == f"<{machine.programs}><doctor><two words>"


@pytest.mark.parametrize(
    "change", ["source", "new file", "removed module", "interrupted", "moved", "extras"]
)
def test_outdated_installation_is_renewed(machine: Machine, change: str):
    machine.add_installation("all")
    script = "run.sh"
    match change:
        case "source":
            machine.native_source.write_text("// another core")
        case "new file":
            machine.native_source.with_name("more.cpp").touch()
        case "removed module":
            (machine.checkout / "src/horus_sim/interruption.py").unlink()
        case "interrupted":
            (machine.checkout / ".venv/horus-stamp").unlink()
        case "moved":
            machine.checkout = machine.checkout.rename(machine.checkout.with_name("elsewhere"))
        case "extras":
            script = "test.sh"
    machine.add_python()
    result = machine.run(script)  # it would install now, and finds no compiler
    assert result.returncode == 1
    assert "needs a C++20 compiler" in result.stderr


@pytest.mark.parametrize("change", ["constraints", "pyproject"])
def test_other_versions_are_installed(machine: Machine, change: str):
    machine.add_installation("all")
    machine.add_program("c++", "exit 0")
    machine.replace_pip_install('echo "$*" >>../log')
    changed = {"constraints": "scripts/constraints.txt", "pyproject": "pyproject.toml"}[change]
    with (machine.checkout / changed).open("a") as file:
        file.write("# newer\n")
    assert machine.run("run.sh").returncode == 0
    (*_, last) = (machine.checkout.parent / "log").read_text().splitlines()
    assert f"--constraint {machine.checkout}/scripts/constraints.txt" in last


def test_everything_is_required_in_ci(machine: Machine):
    machine.add_installation("all,dev")
    machine.add_program("c++", "exit 0")
    machine.replace_pip_install('echo "$*" >>../log; exit 1')
    assert machine.run("test.sh", CI="true").returncode == 1
    stamp = (machine.checkout / ".venv/horus-stamp").read_text().splitlines()
    assert {"pybullet", "rsl", "train"} < set(stamp[1].split(","))


def test_a_shell_finds_the_programs_of_the_environment(machine: Machine):
    machine.add_installation("all")
    for name in ("bash", "cat"):
        assert (machine.programs / name).exists()
    result = machine.run("run.sh", "shell", "-c", "horus-sim here", SHELL="/bin/bash")
    assert result.stdout == f"<{machine.programs}><here>"
    assert "'exit' leads back" in result.stderr


def test_native_tests_do_not_count_as_a_change(machine: Machine):
    machine.add_installation("all")
    tests = machine.native_source.parent / "tests"
    tests.mkdir()
    (tests / "test_core.cpp").touch()
    assert machine.run("run.sh").returncode == 0


def test_failed_installation_shows_the_output_and_is_tried_again(machine: Machine):
    machine.add_installation("all")
    machine.add_program("c++", "exit 0")
    machine.replace_pip_install('[[ "$*" != *--editable* ]] || { echo "no such wheel"; exit 1; }')
    machine.native_source.write_text("// another core")
    for _ in range(2):
        result = machine.run("run.sh")
        assert result.returncode == 1
        assert "no such wheel\nerror: pip could not install horus-sim[all]" in result.stderr


def test_renewing_keeps_the_developers_tools(machine: Machine):
    machine.add_installation("all,dev")
    machine.add_program("c++", "exit 0")
    machine.replace_pip_install('echo "$*" >>../log')
    machine.native_source.write_text("// another core")
    assert machine.run("run.sh").stdout == f"<{machine.programs}>"
    assert "--editable .[all,dev]" in (machine.checkout.parent / "log").read_text()
    assert machine.run("run.sh").stderr == ""


def test_progress_is_shown_on_a_terminal(machine: Machine, tmp_path: Path):
    machine.add_installation("all")
    machine.add_program("c++", "exit 0")
    for name in ("grep", "sleep", "tail"):
        machine.link_program(name)
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    machine.replace_pip_install(
        'echo "words that tell nothing"\n'
        f'[[ "$*" != *--editable* ]] || {{ cat "{gate}"; echo "  [7/58] Building CXX object"; '
        f'cat "{gate}"; }}'
    )
    machine.native_source.write_text("// another core")
    ours, theirs = os.openpty()
    with machine.start("run.sh", "doctor", stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        gate.open("w").close()  # it installs, and has said nothing worth showing yet
        while b"  0:0" not in shown:
            shown += os.read(ours, 1000)
        while b"[7/58] Building CXX object" not in shown:
            shown += os.read(ours, 1000)
        gate.open("w").close()
        assert process.communicate()[0] == f"<{machine.programs}><doctor>"
    os.close(ours)
    assert process.returncode == 0


def test_two_at_once_wait_for_each_other(machine: Machine, tmp_path: Path):
    machine.add_installation("all")
    machine.add_program("c++", "exit 0")
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    machine.replace_pip_install(
        f'[[ "$*" != *--editable* ]] || {{ echo once >>../log; cat "{gate}"; }}'
    )
    machine.native_source.write_text("// another core")
    with machine.start("run.sh", "first") as first:
        installing = gate.open("w")  # waits until the first one installs
        with machine.start("run.sh", "second") as second:
            assert second.stderr is not None
            assert second.stderr.readline() == (
                "Another script is installing into .venv; waiting for it ...\n"
            )
            installing.close()
            assert first.communicate()[0] == f"<{machine.programs}><first>"
            assert second.communicate()[0] == f"<{machine.programs}><second>"
    assert (machine.checkout.parent / "log").read_text() == "once\n"


def test_system_packages_where_no_package_manager_is_known(machine: Machine):
    result = machine.run("scripts/system-deps.sh")
    assert result.returncode == 0
    assert "missing: g++ (compiles the C++ core)\n" in result.stderr
    assert "missing: python3-venv (makes .venv)\n" in result.stderr
    assert "There is neither apt-get nor dnf: nothing was installed" in result.stderr


def test_system_packages_of_fedora(machine: Machine):
    machine.add_python()
    machine.add_program("dnf", 'echo "dnf $*"')
    machine.add_program("rpm", '[[ "$*" == "--query mesa-dri-drivers" ]]')
    machine.add_program("id", "echo 0")
    result = machine.run("scripts/system-deps.sh", "build", "gl")
    assert result.returncode == 0
    assert result.stdout == "dnf install --assumeyes --quiet gcc-c++ mesa-libEGL libglvnd-opengl\n"
    assert "missing: gcc-c++ (compiles the C++ core)\n" in result.stderr


def test_system_packages_are_installed_only_when_missing(machine: Machine):
    machine.add_python()
    machine.add_program("apt-get", 'echo "apt-get $*"')
    machine.add_program("id", "echo 1000")
    machine.add_program("sudo", 'echo -n "sudo "; exec "$@"')
    result = machine.run("scripts/system-deps.sh", "build")
    assert result.returncode == 0
    assert result.stdout.splitlines() == [
        "sudo apt-get update --quiet",
        "sudo apt-get install --yes --quiet --no-install-recommends g++",
    ]
    machine.add_program("c++", "exit 0")
    result = machine.run("scripts/system-deps.sh", "build")
    assert (result.stdout, result.stderr) == ("", "System packages: build complete.\n")


def test_unknown_group_of_system_packages(machine: Machine):
    result = machine.run("scripts/system-deps.sh", "bulid")
    assert result.returncode == 1
    assert "'bulid' is no group of packages; choose from build, cache, gl, browser and all." in (
        result.stderr
    )


@pytest.mark.parametrize("script", ["run.sh", "test.sh", ".ci/run", "scripts/native-tests.sh"])
def test_scripts_are_executable(script: str):
    assert os.access(REPOSITORY / script, os.X_OK)
