"""A short run of scripts/fuzz/world_states.py."""

from __future__ import annotations

import runpy
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "fuzz" / "world_states.py"


def test_altered_states_are_refused(capsys):
    main = runpy.run_path(str(SCRIPT))["main"]
    assert main(150, 1) == 0, capsys.readouterr().out
    assert "450 altered states, 0 findings" in capsys.readouterr().out
