"""The files that the pages for contributors name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCE = REPOSITORY / "src" / "horus_sim"
# A path with a folder in it, of a file or, with a slash at its end, of a folder.
PATH = re.compile(r"`((?:[a-z_0-9]+/)+(?:[a-z_0-9]+\.(?:py|js|yaml))?)`")


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_named_paths_exist(page: str):
    paths = set(PATH.findall((REPOSITORY / page).read_text(encoding="utf-8")))
    assert len(paths) > 10
    missing = {p for p in paths if not (SOURCE / p).exists() and not (REPOSITORY / p).exists()}
    assert not missing


def test_twelve_changes_are_listed():
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("## Twelve changes", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + 12
