"""What scripts/fuzz/tf2.py finds, in short.

The answers of tf2 0.7.6 were written with it, so that no ROS is needed here:

    python scripts/fuzz/tf2.py 600 12 tests/fuzz/tf2_answers.jsonl.gz
"""

from __future__ import annotations

import gzip
import json
import runpy
from collections import Counter
from pathlib import Path

SCRIPT = runpy.run_path(
    str(Path(__file__).resolve().parents[2] / "scripts" / "fuzz" / "tf2.py"), run_name="tf2"
)
ANSWERS = Path(__file__).with_name("tf2_answers.jsonl.gz")


def test_we_answer_as_tf2_did(capsys):
    seen: Counter[str] = Counter()
    for line in gzip.decompress(ANSWERS.read_bytes()).decode().splitlines():
        world = json.loads(line)
        ours = SCRIPT["replay"](world["buffer_ns"], world["work"])
        seen += SCRIPT["compare"](world["work"], ours, world["answers"])
    assert seen["finding"] == 0, capsys.readouterr().out
    assert seen["agree"] > 500
    assert seen["ok by tf2"] > 250


def test_cycles_are_refused_where_a_plain_search_finds_them():
    refused = 0
    for world in SCRIPT["worlds"](2_000, 5):
        assert world.findings == [], world.work
        refused += world.refused
    assert refused > 100
