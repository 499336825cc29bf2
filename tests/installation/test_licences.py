"""Nothing that `[all]` brings along is under the GPL."""

from __future__ import annotations

from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

FREED = {
    # What it has under the GPL is a mode for Emacs, which is in its sources and not in its wheel.
    "docutils"
}


def closure(name: str, extras: set[str], found: dict[str, set[str]]) -> dict[str, set[str]]:
    """All distributions that one needs here, with the extras that are asked of each."""
    name = canonicalize_name(name)
    new = (extras | {""}) - found.setdefault(name, set())
    found[name] |= new
    for line in metadata.requires(name) or () if new else ():
        required = Requirement(line)
        if required.marker is None or any(required.marker.evaluate({"extra": e}) for e in new):
            closure(required.name, required.extras, found)
    return found


def licences(name: str) -> str:
    """All that the metadata of a distribution say about its licence, but for whole texts."""
    about = metadata.metadata(name)
    fields = [*(about.get_all("License-Expression") or ()), *(about.get_all("License") or ())]
    classifiers = about.get_all("Classifier") or ()
    licences = [each for each in classifiers if each.startswith("License")]
    return " | ".join([field.partition("\n")[0] for field in fields] + licences)


def under_the_gpl(text: str) -> bool:
    """Whether a licence is the GPL or AGPL; the LGPL allows what is linked to it to be anything."""
    text = text.replace("LGPL", "").replace("Lesser General Public", "")
    return "GPL" in text or "General Public" in text


@pytest.fixture(scope="module")
def of_all() -> set[str]:
    """Names of what horus-sim[all] consists of here."""
    try:
        return set(closure("horus-sim", {"all"}, {}))
    except metadata.PackageNotFoundError as error:
        pytest.skip(f"[all] is not wholly installed: {error.name} is missing")


def test_the_closure_is_whole(of_all: set[str]):
    assert {"mujoco", "nicegui", "fastapi", "starlette", "foxglove-sdk", "xxhash"} <= of_all
    assert "av" not in of_all, "bundles x264 and x265; only [video] asks for it"


def test_nothing_in_all_is_under_the_gpl(of_all: set[str]):
    said = {name: licences(name) for name in sorted(of_all - FREED)}
    assert {name: text for name, text in said.items() if under_the_gpl(text)} == {}


@pytest.mark.parametrize(
    ("text", "is_gpl"),
    [
        ("GPL-3.0-or-later", True),
        ("License :: OSI Approved :: GNU General Public License v2 (GPLv2)", True),
        ("AGPL-3.0-only", True),
        ("LGPL-2.1", False),
        ("License :: OSI Approved :: GNU Lesser General Public License v3 (LGPLv3)", False),
        ("Apache-2.0 AND MIT", False),
    ],
)
def test_what_counts_as_gpl(text: str, is_gpl):
    assert under_the_gpl(text) is is_gpl
