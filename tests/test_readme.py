"""Every example in README.md and docs/ runs as it stands, and links lead somewhere.

A block tagged ``python`` is run as a script; where it prints, the comment behind ``print(...)``
must begin with what is printed. Blocks with ``>>>`` prompts are run as one doctest a page. A block
tagged ``python no-run`` is skipped.
"""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python(?P<tag>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^\s*print\(.*\)  # (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def name_of(page: Path) -> str:
    return str(page.relative_to(REPOSITORY))


def scripts() -> list:
    """One parameter for every Python block without prompts, named by page and line."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            if block["code"].startswith(">>>"):
                continue
            # Scripts whose output follows are run by the tests of examples.
            if page.parent != REPOSITORY and text.startswith("\n\n```text\n", block.end()):
                assert not PRINTED.search(block["code"])
                continue
            line = text.count("\n", 0, block.start()) + 1
            name = f"{name_of(page)}:{line}"
            tag = block["tag"].strip()
            assert tag in {"", "no-run"}, f"{name}: ```python {tag} is unknown; use no-run"
            marks = [pytest.mark.skip(reason="tagged no-run")] if tag else []
            found.append(pytest.param(block["code"], id=name, marks=marks))
    return found


@pytest.mark.parametrize("code", scripts())
def test_script(code: str, tmp_path: Path):
    script = tmp_path / "example.py"
    script.write_text(code, encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-W", "error", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    comments = PRINTED.findall(code)
    printed = result.stdout.splitlines() if comments else []
    for line, comment in zip(printed, comments, strict=True):
        assert comment.startswith(line)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "\n>>> " in page.read_text(encoding="utf-8")], ids=name_of
)
def test_prompts(page: Path):
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.attempted > 0
    assert result.failed == 0


def test_readme_has_examples():
    assert any(str(script.id).startswith("README.md") for script in scripts())


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_between_pages(page: Path):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{name_of(page)} links to {target}"
