"""Saves a file over and over in children that are killed, and looks at what is left.

Run as: python killed_saver.py FOLDER KILLS SEED. It prints JSON.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from horus_sim.errors import HorusError
from horus_sim.files.whole_file import write_whole

_LINES = 5000


def version(number: int) -> str:
    """A text of which every prefix can be told from the whole."""
    return f"begin {number}\n" + f"line {number}\n" * _LINES + f"end {number}\n"


def is_whole(text: str) -> bool:
    first, _, _ = text.partition("\n")
    word, _, number = first.partition(" ")
    return word == "begin" and number.isdigit() and text == version(int(number))


def save_for_ever(path: Path) -> None:
    number = 1
    while True:
        write_whole(path, version(number), HorusError)
        number += 1


def wait_for_a_save(path: Path) -> None:
    before = path.stat()
    give_up = time.monotonic() + 60.0
    while path.stat() == before:
        if time.monotonic() > give_up:
            raise TimeoutError("the child saves nothing")
        time.sleep(0.0005)


def main(folder: Path, kills: int, seed: int) -> None:
    path = folder / "saved.txt"
    write_whole(path, version(0), HorusError)
    chance = random.Random(seed)  # noqa: S311 - moments, no secrets
    torn = parts = 0
    for _ in range(kills):
        child = os.fork()
        if child == 0:
            save_for_ever(path)
        wait_for_a_save(path)
        time.sleep(chance.uniform(0.0, 0.005))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        torn += not is_whole(path.read_text())
        parts += len(list(folder.iterdir())) - 1
    write_whole(path, "the last one", HorusError)
    left = sorted(entry.name for entry in folder.iterdir())
    answer = {"torn": torn, "parts": parts, "left": left, "last": path.read_text()}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
