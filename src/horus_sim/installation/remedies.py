"""The command that installs a missing system package, for the operating system at hand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SystemPackage:
    """A program or library of the operating system, by its name in each package manager.

    Attributes:
        what: The thing itself, in words.
        debian: Package for apt-get.
        fedora: Package for dnf.
        macos: The whole command on macOS; empty where there is none.
        ubuntu: Package for apt-get on Ubuntu, where it is named differently than in Debian.
    """

    what: str
    debian: str
    fedora: str
    macos: str = ""
    ubuntu: str = ""

    def install_command(self, system: str) -> str:
        """The command that installs this on a system.

        Args:
            system: A family of operating systems, as `probes.system` names it.

        Returns:
            A shell command, or a sentence where no command is known.
        """
        match system:
            case "debian":
                return f"sudo apt-get install {self.debian}"
            case "ubuntu":
                return f"sudo apt-get install {self.ubuntu or self.debian}"
            case "fedora":
                return f"sudo dnf install {self.fedora}"
            case "macos" if self.macos:
                return self.macos
            case _:
                return f"install {self.what} with your system's package manager"


COMPILER = SystemPackage(
    "a C++20 compiler",
    debian="g++",
    fedora="gcc-c++",
    macos="xcode-select --install",
)
EGL = SystemPackage("EGL (libEGL.so.1)", debian="libegl1", fedora="mesa-libEGL")
OSMESA = SystemPackage("OSMesa (libOSMesa)", debian="libosmesa6", fedora="mesa-libOSMesa")
BROWSER = SystemPackage(
    "Chromium",
    debian="chromium",
    ubuntu="chromium-browser",
    fedora="chromium",
    macos="brew install --cask chromium",
)
