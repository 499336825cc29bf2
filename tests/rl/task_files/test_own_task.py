"""Tasks in files of one's own: the tutorial's robot, and what goes wrong with such files."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from textwrap import indent

import gymnasium
import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.errors import TaskError

REPOSITORY = Path(__file__).resolve().parents[3]
BALANCER = REPOSITORY / "examples" / "05_rl" / "balancer"
TUTORIAL = (REPOSITORY / "docs" / "tutorials" / "own_task.md").read_text(encoding="utf-8")


pytestmark = pytest.mark.usefixtures("restored_tasks")


@pytest.mark.parametrize(("language", "file"), [("python no-run", "py"), ("yaml", "yaml")])
def test_the_tutorial_shows_what_the_files_hold(language, file):
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL)
    name = "balancer.py" if file == "py" else "tasks.yaml"
    text = (BALANCER / name).read_text(encoding="utf-8")
    assert len(blocks) >= 2
    # Methods are shown without the indentation of their class.
    margin = "    " if file == "py" else ""
    for block in blocks:
        assert indent(block.replace("\n\n\n", "\n\n"), margin) in text


def test_a_class_is_found_beside_the_file_that_names_it(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert rl.load_tasks(BALANCER / "tasks.yaml") == ("Balancer", "BalancerRobust")
    envs = gymnasium.make_vec("HorusSim/BalancerRobust-v0", num_envs=3)
    _, info = envs.reset(seed=0)
    assert set(info["randomization"]) >= {"load", "grip", "gyro"}
    envs.step(np.zeros((3, 2), np.float32))
    envs.close()


def test_without_torque_it_falls():
    rl.load_tasks(BALANCER / "tasks.yaml")
    envs = rl.make_vector("Balancer", 8)
    envs.reset(seed=0)
    fallen = np.zeros(8, bool)
    for _ in range(80):
        _, _, _, _, info = envs.step(np.zeros((8, 2), np.float32))
        fallen |= info["cause"] == envs.causes.index("fall")
    assert fallen.all()
    envs.close()


def test_files_of_one_name_in_two_folders_are_two_modules(tmp_path):
    for folder, distance in (("a", "1.5"), ("b", "2.5")):
        shutil.copytree(BALANCER, tmp_path / folder)
        script = tmp_path / folder / "balancer.py"
        text = script.read_text(encoding="utf-8")
        script.write_text(
            text.replace("goal_distance: float = 1.5", f"goal_distance: float = {distance}")
        )
        tasks = tmp_path / folder / "tasks.yaml"
        tasks.write_text(f"{folder}: {{class_path: 'balancer.py:Balancer'}}\n")
        rl.load_tasks(tasks)
    distances = [rl.build_task(name).config.goal_distance for name in ("a", "b")]
    assert distances == [1.5, 2.5]


def test_a_file_may_import_those_beside_it(tmp_path):
    shutil.copytree(BALANCER, tmp_path / "mine")
    (tmp_path / "mine" / "heavier.py").write_text(
        "from balancer import Balancer\n\nclass Heavier(Balancer):\n    '''Another.'''\n"
    )
    (tmp_path / "mine" / "tasks.yaml").write_text("H: {class_path: 'heavier.py:Heavier'}\n")
    assert rl.load_tasks(tmp_path / "mine" / "tasks.yaml") == ("H",)


def test_files_are_read_anew_when_they_are_loaded_anew(tmp_path):
    folder = tmp_path / "mine"
    shutil.copytree(BALANCER, folder)
    (folder / "parts").mkdir()
    (folder / "tasks.yaml").write_text("H: {class_path: 'heavier.py:Heavier'}\nI: {base: H}\n")

    def write(number):
        (folder / "numbers_of_mine.py").write_text(f"ONE = {number}\n")
        (folder / "parts" / "more.py").write_text(f"TWO = {number}\n")
        (folder / "heavier.py").write_text(
            "import numbers_of_mine\nfrom balancer import Balancer\nfrom parts import more\n\n"
            "class Heavier(Balancer):\n"
            f"    numbers = (numbers_of_mine.ONE, more.TWO, {number})\n"
        )

    def numbers():
        return [getattr(type(rl.build_task(name)), "numbers", None) for name in ("H", "I")]

    for number in (1, 2):
        write(number)
        rl.load_tasks(folder / "tasks.yaml")
        assert numbers() == [(number,) * 3] * 2
    assert type(rl.build_task("H")) is type(rl.build_task("I"))
    # What cannot be read leaves what there is.
    (folder / "heavier.py").write_text("import numbers_of_mine\nraise ValueError\n")
    with pytest.raises(TaskError, match=r"heavier.py, line 2\)"):
        rl.load_tasks(folder / "tasks.yaml")
    assert numbers() == [(2, 2, 2)] * 2
    # Another folder has parts of its own, of the same names.
    shutil.copytree(folder, tmp_path / "other")
    folder = tmp_path / "other"
    write(3)
    rl.load_tasks(folder / "tasks.yaml")
    assert numbers() == [(3, 3, 3)] * 2


def test_a_class_that_takes_no_settings_says_so(tmp_path):
    shutil.copytree(BALANCER, tmp_path / "mine")
    (tmp_path / "mine" / "heavier.py").write_text(
        "from balancer import Balancer\n\nclass Heavier(Balancer):\n    def __init__(self): pass\n"
    )
    (tmp_path / "mine" / "tasks.yaml").write_text("H: {class_path: 'heavier.py:Heavier'}\n")
    with pytest.raises(
        TaskError, match=r"'H': Heavier takes no settings; define __init__\(self, c"
    ):
        rl.load_tasks(tmp_path / "mine" / "tasks.yaml")


def test_an_unreadable_file_is_told_from_one_that_is_not_there(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text("")
    (tmp_path / "tasks.yaml").write_text("Mine: {class_path: 'mine.py:Mine'}\n")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("importlib.machinery.SourceFileLoader.get_data", refuse)
    with pytest.raises(TaskError, match=r"mine.py cannot be imported \(PermissionError"):
        rl.load_tasks(tmp_path / "tasks.yaml")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "import os\nimport nothing_of_that_name\n",
            "cannot be imported (ModuleNotFoundError: No module named 'nothing_of_that_name', ",
        ),
        ("\nraise SystemExit(3)\n", "mine.py, line 2)"),
        ("class Other:\n    pass\n", "no attribute 'Mine'"),
        ("class Mine:\n    pass\n", "not a subclass of horus_sim.rl.Task"),
        ("def (:\n", "SyntaxError"),
        ("raise ValueError('no licence')\n", "ValueError: no licence"),
        (None, "leads nowhere (FileNotFoundError"),
    ],
)
def test_a_bad_file_is_named(tmp_path, text, problem):
    if text is not None:
        (tmp_path / "mine.py").write_text(text)
    (tmp_path / "tasks.yaml").write_text("Mine: {class_path: 'mine.py:Mine'}\n")
    with pytest.raises(TaskError, match=re.escape(problem)) as caught:
        rl.load_tasks(tmp_path / "tasks.yaml")
    assert "task 'Mine'" in str(caught.value)
    assert "mine.py" in str(caught.value)
    assert "Mine" not in rl.task_names()
