"""How this copy of the package was installed, and so what to type to run it or to add to it."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

_CHECKOUT = Path(__file__).resolve().parents[3]
_PACKAGE = "horus-sim"


def command(arguments: str) -> str:
    """What to type to run the command line with these arguments, such as `./run.sh rl list`."""
    return f"{_run_script() or _PACKAGE} {arguments}"


def install_command(extra: str) -> str:
    """What to type to add an optional part of the package.

    A checkout is extended by its own script. Elsewhere the packages that the extra stands for are
    named: they can be had from an index even where this package cannot.
    """
    script = _run_script()
    if script:
        return f"{script} install {extra}"
    requirements = _requirements(extra)
    if not requirements:
        return f"pip install '{_PACKAGE}[{extra}]'"
    return f"pip install {' '.join(shlex.quote(requirement) for requirement in requirements)}"


def _run_script() -> str:
    """run.sh as seen from the current folder; empty where it does not serve this environment."""
    script = _CHECKOUT / "run.sh"
    if Path(sys.prefix) != _CHECKOUT / ".venv" or not script.is_file():
        return ""
    return "./run.sh" if Path.cwd() == _CHECKOUT else shlex.quote(str(script))


def _requirements(extra: str) -> list[str]:
    """The packages of an extra, and of the extras that it consists of, from the metadata."""
    from importlib import metadata

    try:
        listed = metadata.requires(_PACKAGE) or []
    except metadata.PackageNotFoundError:
        return []
    found: list[str] = []
    for line in listed:
        requirement, _, condition = (part.strip() for part in line.partition(";"))
        if not re.search(rf"extra\s*==\s*['\"]{re.escape(extra)}['\"]", condition):
            continue
        inner = re.fullmatch(rf"{_PACKAGE}\[(.*)\]", requirement)
        parts = inner[1].split(",") if inner else []
        added = [item for part in parts for item in _requirements(part.strip())]
        found += [item for item in added or [requirement] if item not in found]
    return found
