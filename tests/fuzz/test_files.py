"""A short run of scripts/fuzz/files.py, in a process of its own, since it forks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "fuzz" / "files.py"
LONGEST_S = 300
BOTH = """
import os, runpy, signal, sys
script = runpy.run_path(sys.argv[1])
assert script["main"](220, 11) == 0

def raise_it(path):
    raise KeyError("what nobody expects")

def crash(path):
    os.kill(os.getpid(), signal.SIGSEGV)

# The sources themselves are read first, by which it is seen that they can be.
bad = tuple(
    script["Kind"](name, (script["SEEDS"] / "tasks.yaml",), lambda path, read=read: (
        None if path.parent == script["SEEDS"] else read(path)
    ))
    for name, read in (("raises", raise_it), ("crashes", crash))
)
script["main"].__globals__["kinds"] = lambda: bad
assert script["main"](4, 1) == 4
"""


def test_altered_files_are_read_or_refused_and_findings_are_found(tmp_path):
    command = [sys.executable, "-c", BOTH, str(SCRIPT)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "220 files of 11 kinds, 0 findings" in done.stdout
    assert "2 raises: KeyError in ?: \"'what nobody expects'\"" in done.stdout
    assert "2 crashes: the process ended by SIGSEGV" in done.stdout
