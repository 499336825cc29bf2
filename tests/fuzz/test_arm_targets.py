"""A short run of scripts/fuzz/arm_targets.py."""

from __future__ import annotations

import runpy
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "fuzz" / "arm_targets.py"


def test_reachable_targets_are_reached_from_random_starts(capsys):
    script = runpy.run_path(str(SCRIPT))
    assert script["main"](36_000, 5) == 0, capsys.readouterr().out
    assert capsys.readouterr().out.endswith("36,000 targets, 0 findings\n")
