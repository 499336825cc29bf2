"""Damaged recordings, for a short while; `scripts/fuzz/recordings.py` does it for longer."""

from __future__ import annotations

import importlib.util
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "fuzz" / "recordings.py"


def test_every_damaged_recording_is_read_or_refused():
    spec = importlib.util.spec_from_file_location("fuzz_recordings", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.main(80, 7) == 0
