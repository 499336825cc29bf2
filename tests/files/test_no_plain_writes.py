"""No module writes a file of a user in place."""

from __future__ import annotations

import re
from pathlib import Path

import horus_sim

ROOT = Path(horus_sim.__file__).parent
PLAIN = re.compile(
    r"""\.write_(text|bytes)\(|open\([^()]*["'][wax]b?\+?["']|mkstemp\(|shutil\.copy"""
)
# These append for as long as something runs, hold a lock, or write into a folder of their own.
STREAMS = {
    "arm/verify_pybullet.py",
    "files/whole_file.py",
    "files/whole_folder.py",
    "robots/finding/archive.py",
    "rl/training/folder_lock.py",
    "rl/training/run_folder.py",
    "sim3d/recording/dataset.py",
    "running/recording/bag/repair.py",
    "running/recording/mcap/run_recorder.py",
    "sim3d/recording/video.py",
    "sim3d/scene/models.py",
    "ui/shell/opening.py",
    "ui/runner/model/signals.py",
    "ui/world/model/scene_files.py",
}


def test_files_are_written_as_a_whole():
    sources = {path.relative_to(ROOT).as_posix(): path for path in ROOT.rglob("*.py")}
    found = {
        name
        for name, path in sources.items()
        if not name.startswith("assets/") and PLAIN.search(path.read_text(encoding="utf-8"))
    }
    assert sorted(found - STREAMS) == [], "write with horus_sim.files.whole_file"
