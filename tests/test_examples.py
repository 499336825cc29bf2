"""Every example runs from anywhere without a warning, and the pages show what their code prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((REPOSITORY / "examples").rglob("*.py"))
PAGES = sorted((REPOSITORY / "docs").rglob("*.md"))
# A script and, with nothing but an empty line between, what it prints.
SHOWN = re.compile(
    r"^```python\n(?P<code>(?:(?!```).*\n)*)```\n\n```text\n(?P<output>(?:(?!```).*\n)*)```$",
    re.MULTILINE,
)
LONGEST_S = 300.0  # a hang, and not a busy machine, takes longer
# What examples need beyond the extras [all] and [dev].
NEEDS = {
    "05_rl/02_train_ppo.py": ("stable_baselines3", "train"),
    "05_rl/03_train_sac.py": ("stable_baselines3", "train"),
    "05_rl/04_train_rllib.py": ("ray", "ray"),
    "05_rl/05_ppo_in_one_file.py": ("torch", "train"),
    "05_rl/07_train_rsl_rl.py": ("rsl_rl", "rsl"),
}
# On a busy machine they take minutes, most of it to start processes.
NOT_IN_CI = {"05_rl/04_train_rllib.py"}
# Ray's processes write their own log to stderr, whatever they are told.
LOUD = {"04_train_rllib.py"}


def run(script: Path, folder: Path) -> str:
    """What a script prints; it must succeed, print something, and warn of nothing."""
    result = subprocess.run(
        [sys.executable, "-W", "error", script],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=LONGEST_S,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == "" or script.name in LOUD
    assert result.stdout.strip()
    return result.stdout


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY / "examples").as_posix()


def pages_with_output() -> list:
    """One parameter for each script that is followed by its output, named by page and line."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in SHOWN.finditer(text):
            line = text.count("\n", 0, block.start()) + 1
            name = f"{page.relative_to(REPOSITORY).as_posix()}:{line}"
            found.append(pytest.param(block["code"], block["output"], id=name))
    return found


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.parametrize("page", ["README.md", "docs/examples.md"])
def test_a_page_names_every_example(page: str):
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    assert not [name_of(path) for path in EXAMPLES if f"examples/{name_of(path)})" not in text]


def test_examples_are_numbered_once():
    folders = [path.name for path in sorted((REPOSITORY / "examples").iterdir()) if path.is_dir()]
    assert [int(name[:2]) for name in folders] == list(range(len(folders)))
    for folder in folders:
        numbers = [path.name[:2] for path in (REPOSITORY / "examples" / folder).glob("*.py")]
        assert len(numbers) == len(set(numbers))
        assert all(number.isdigit() for number in numbers)


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_example_runs(example: Path, tmp_path: Path):
    package, extra = NEEDS.get(name_of(example), ("horus_sim", ""))
    if find_spec(package) is None:
        pytest.skip(f"pip install 'horus-sim[{extra}]'")
    if name_of(example) in NOT_IN_CI and os.environ.get("CI") == "true":
        pytest.skip("takes minutes on a busy machine; run it by hand")
    run(example, tmp_path)
    assert not list(tmp_path.iterdir()), "an example leaves no files behind"


@pytest.mark.parametrize(("code", "output"), pages_with_output())
def test_page_shows_what_its_code_prints(code: str, output: str, tmp_path: Path):
    script = tmp_path / "shown.py"
    script.write_text(code, encoding="utf-8")
    assert run(script, tmp_path) == output
