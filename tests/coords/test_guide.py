"""The guide says what the code does."""

import doctest
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from horus_sim.coords import CAD, PRESETS, Convention, user_rotation_to_babylon, user_to_babylon

GUIDE = Path(__file__).parents[2] / "docs" / "coords.md"


def test_the_guide_is_true():
    result = doctest.testfile(str(GUIDE), module_relative=False)
    assert result.attempted > 15
    assert result.failed == 0


def test_the_table_of_conventions_is_true():
    rows = [line.split("|")[1:-1] for line in GUIDE.read_text("utf-8").splitlines() if "|" in line]
    described: dict[str, list[str]] = {}
    for row in rows:
        cells = [cell.strip(" *").lower() for cell in row]
        if len(cells) == 7 and cells[0].startswith("`"):
            described.update({name.strip(" `"): cells[1:6] for name in cells[0].split(",")})
    for name, preset in PRESETS.items():
        hand = "right" if preset.is_right_handed else "left"
        expected = [preset.right, preset.forward, preset.up, preset.unit, hand]
        assert described[name] == expected


def test_the_table_of_rotation_rules_is_true():
    left = Rotation.from_euler("z", 90, degrees=True)
    x, y, z, w = left.as_quat()
    ahead = user_to_babylon((0, 1000, 0))
    for rule, turned in [
        (Rotation.from_euler("x", 90, degrees=True) * left, (0, -1, 0)),
        (Rotation.from_quat((x, z, y, w)), (1, 0, 0)),
        (Rotation.from_quat(user_rotation_to_babylon((x, y, z, w))), (-1, 0, 0)),
    ]:
        np.testing.assert_allclose(rule.apply(ahead), turned, atol=1e-15)
        cell = f"| ({', '.join(map(str, turned))}) |"
        assert cell in GUIDE.read_text("utf-8")
    np.testing.assert_allclose(
        user_to_babylon(1000 * left.apply((0, 1, 0))), (-1, 0, 0), atol=1e-15
    )


def test_the_examples_in_docstrings_are_true():
    finder = doctest.DocTestFinder()
    runner = doctest.DocTestRunner()
    for test in finder.find(Convention, globs={"Convention": Convention, "CAD": CAD}):
        runner.run(test)
    assert runner.summarize().attempted == 2
    assert runner.summarize().failed == 0
