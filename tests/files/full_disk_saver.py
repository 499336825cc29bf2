"""Saves files of every kind to a disk that is full, and looks at what is left of the old ones.

Run as: python full_disk_saver.py FOLDER, where the folder is a disk of its own, of 128 kB. It
prints JSON: by name, the error, whether all old files are as they were, and what else is there.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from horus_sim.errors import HorusError
from horus_sim.rl.training.policy import Policy
from horus_sim.running.recording.command_log import CommandLog
from horus_sim.sim2d import load_scenario, save_scenario
from horus_sim.sim3d import load_scene
from horus_sim.sim3d.recording.video import write_video
from horus_sim.ui.kit.scenarios import Place, Scenarios
from horus_sim.ui.runner.model.drafts import Drafts

_LARGE = 200_000


def _policy(width: int) -> Policy:
    weight = np.random.default_rng(0).standard_normal((width, width)).astype(np.float32)
    zeros = np.zeros(width, np.float32)
    wide = zeros.astype(np.float64)
    layers = ((weight, zeros),)
    return Policy("t", {}, layers, "tanh", False, zeros, zeros, wide, wide)


def _copy_scenario(path: Path, size: int) -> None:
    if size < _LARGE:
        return  # there is no old one
    with tempfile.TemporaryDirectory() as source:
        Path(source, "first.json").write_text("{}")
        Path(source, "world.json").write_bytes(bytes(size))
        Scenarios(path.parent).copy(Place("source", Path(source), is_shipped=False), path.name)


def _film(path: Path, size: int) -> None:
    side = 2 * max(8, int((size / 3) ** 0.5))
    noise = np.random.default_rng(0).integers(0, 255, (side, side, 3), np.uint8)
    write_video(path, [noise] * 2, 10)


def savers() -> dict[str, Callable[[Path, int], None]]:
    """By name of a file: what saves it, with a content that grows with the number."""
    scene = load_scene("empty_world")
    scenario = load_scenario("line_follower")

    def save_scenario_in(path: Path, size: int) -> None:
        config = scenario.config.model_copy(update={"name": "n" * size})
        config.__pydantic_fields_set__.add("name")
        kept = scenario.__class__(config, scenario.world, scenario.robots, scenario.folder)
        save_scenario(kept, path.parent)

    return {
        "scene.yaml": lambda path, size: scene.model_copy(update={"name": "n" * size}).save(path),
        "scenario.json": save_scenario_in,
        "policy.npz": lambda path, size: _policy(max(2, int((size / 4) ** 0.5))).save(path),
        "draft.py": lambda path, size: Drafts().save(path, "#" * size),
        "my_copy": _copy_scenario,
        "film.mp4": _film,
        "film.gif": _film,
        "log.jsonl": lambda path, size: CommandLog([{"kind": "n" * size}]).save(path),
    }


def main(disk: Path) -> None:
    answer = {}
    for name, save in savers().items():
        folder = disk / name.replace(".", "_")
        folder.mkdir()
        path = folder / name
        save(path, 2)
        before = {entry.name: entry.read_bytes() for entry in folder.iterdir()}
        try:
            save(path, _LARGE)
            error = "none"
        except HorusError as caught:
            error = str(caught)
        after = {entry.name: entry.read_bytes() for entry in folder.iterdir()}
        answer[name] = {
            "error": error,
            "is_as_before": after == before,
            "strange": sorted(after.keys() - before.keys()),
        }
        for entry in folder.iterdir():
            entry.unlink()
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
