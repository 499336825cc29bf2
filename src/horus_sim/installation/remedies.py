"""Programs and libraries of the operating system that something needs, and how to install them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SystemPart:
    """A program or library, by its name in each package manager.

    Attributes:
        name: Name in the report.
        purpose: What it is for.
        what: The thing itself, in words.
        debian: Packages for apt-get.
        fedora: Packages for dnf.
        macos: The whole command on macOS; empty where there is none.
        ubuntu: Package for apt-get on Ubuntu, where it is named differently than in Debian.
        programs: Names of its program, any of which will do.
        libraries: Names of its shared library, any of which will do.
    """

    name: str
    purpose: str
    what: str
    debian: str
    fedora: str
    macos: str = ""
    ubuntu: str = ""
    programs: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()

    def install_command(self, system: str) -> str:
        """The command that installs this on a system.

        Args:
            system: A family of operating systems, as `probes.system` names it.

        Returns:
            A shell command, or a sentence where no command is known.
        """
        commands = {
            "debian": f"sudo apt-get install {self.debian}",
            "ubuntu": f"sudo apt-get install {self.ubuntu or self.debian}",
            "fedora": f"sudo dnf install {self.fedora}",
            "macos": self.macos,
        }
        by_hand = f"install {self.what} with your system's package manager"
        return commands.get(system) or by_hand


COMPILER = SystemPart(
    "C++ compiler",
    "building horus-sim from source",
    "a C++20 compiler",
    debian="g++",
    fedora="gcc-c++",
    macos="xcode-select --install",
    programs=("c++", "g++", "clang++"),
)
EGL = SystemPart(
    "EGL",
    "cameras in 3D",
    "EGL and OpenGL (libEGL.so.1)",
    debian="libegl1 libopengl0 libgl1-mesa-dri",
    fedora="mesa-libEGL libglvnd-opengl mesa-dri-drivers",
    libraries=("libEGL.so.1",),
)
OPENGL = SystemPart(
    "OpenGL",
    "cameras in 3D",
    "OpenGL (libOpenGL.so.0)",
    debian="libopengl0",
    fedora="libglvnd-opengl",
    libraries=("libOpenGL.so.0", "libGL.so.1"),
)
OSMESA = SystemPart(
    "OSMesa",
    "cameras in 3D where EGL does not work",
    "OSMesa (libOSMesa)",
    debian="libosmesa6",
    fedora="mesa-libOSMesa",
    libraries=("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"),
)
BROWSER = SystemPart(
    "browser",
    "the browser pages' tests",
    "Chromium",
    debian="chromium",
    ubuntu="chromium-browser",
    fedora="chromium",
    macos="brew install --cask chromium",
    programs=(
        "chromium",
        "chromium-headless-shell",
        "google-chrome",
        "google-chrome-stable",
        "chromium-browser",
    ),
)
