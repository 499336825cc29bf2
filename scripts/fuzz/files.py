"""Files of users, altered at random: each is read, or refused with an error that says why.

    python scripts/fuzz/files.py [COUNT] [SEED]

Scenes, scenarios, URDF, SDF, MJCF, arms, tasks, conventions and policies are altered as trees
(values replaced, elements deleted, repeated and exchanged, keys renamed) and as bytes, then read
and run for two steps. A finding is any other exception, a crash, or more than 30 s of CPU time.
Altered files with findings are kept; their folder is printed.
"""

from __future__ import annotations

import copy
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import yaml

from horus_sim.arm import Arm
from horus_sim.assets import ROOT
from horus_sim.coords import load_conventions
from horus_sim.errors import HorusError
from horus_sim.rl import load_tasks
from horus_sim.rl.training import load_policy
from horus_sim.robots import load_robot
from horus_sim.sim2d import Simulator
from horus_sim.sim3d import World

SEEDS = Path(__file__).parent / "files"
LONGEST_CPU_S = 30.0
MOST_BYTES = 8_000_000_000
NONSENSE: tuple[Any, ...] = (
    *(0, 1, -1, 2, 1e-300, 1e300, -1e300, 1e9, -1e9, 10**25, 0.5, float("nan"), float("inf")),
    *("", "x", "nan", "1 2", "1 2 3", "0 0 0", "base", "../x", "a/b", "\u0394 \u2603", "n" * 300),
    *(True, False, None, [], {}, [1], [1, 2, 3], [[[]]], {"a": 1}, "1e5", "-0", "true", "9" * 5000),
)
NUMBERS = (1e-9, 1e-3, 1, 2, 7, 100, 1e4, 1e6, 1e12, -1, -1e-9, -1e3)
Random = random.Random


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file.

    Attributes:
        name: For the summary.
        sources: The files that are altered, one at a time; all of them lie beside each other.
        read: Reads an altered file and runs what it describes.
    """

    name: str
    sources: tuple[Path, ...]
    read: Callable[[Path], object]


def kinds() -> tuple[Kind, ...]:
    """All kinds of files."""
    robots, scenarios = ROOT / "robots", ROOT / "scenarios"
    return (
        Kind("scene", (SEEDS / "scene.yaml",), _run_world),
        Kind("sdf", (SEEDS / "things.sdf", ROOT / "scenes" / "door.sdf"), _run_world),
        Kind("urdf", (SEEDS / "robot.urdf", robots / "turtlebot3_burger.urdf"), _run_robot),
        Kind("mjcf", (SEEDS / "robot.xml",), _run_robot),
        Kind("arm", tuple(sorted((ROOT / "arms").glob("*.yaml"))), _run_arm),
        Kind("arm urdf", (robots / "arm6.urdf",), _run_arm),
        Kind("scenario", tuple(sorted((scenarios / "trailer").glob("*.json"))), _run_scenario),
        Kind("robot json", tuple(sorted((scenarios / "maze").glob("*.json"))), _run_scenario),
        Kind("tasks", (SEEDS / "tasks.yaml",), load_tasks),
        Kind("conventions", (SEEDS / "conventions.yaml",), _read_conventions),
        Kind("policy", (ROOT / "policies" / "NavigationOpen.npz",), load_policy),
    )


def _run_world(path: Path) -> None:
    World.load(path).step(2)


def _run_robot(path: Path) -> None:
    World.from_robot(load_robot(path)).step(2)


def _run_arm(path: Path) -> None:
    arm = Arm.from_urdf(path, tip_link="grasp_frame") if path.suffix == ".urdf" else Arm.load(path)
    arm.fk(np.zeros(arm.dof))


def _run_scenario(path: Path) -> None:
    simulator = Simulator.load(path.parent)
    simulator.step()
    simulator.step()


def _read_conventions(path: Path) -> None:
    load_conventions(path)


def altered(source: Path, chance: Random) -> bytes:
    """The content of a file after one to four alterations."""
    data = source.read_bytes()
    if source.suffix == ".npz":
        return _altered_arrays(source, chance) if chance.random() < 0.5 else _torn(data, chance)
    if chance.random() < 0.1:
        return _torn(data, chance)
    if source.suffix in (".urdf", ".sdf", ".xml"):
        return _altered_xml(data, chance)
    tree = yaml.safe_load(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        _alter_tree(tree, chance)
    if source.suffix == ".json":
        return json.dumps(tree).encode("utf-8", "surrogatepass")
    return yaml.safe_dump(tree, allow_unicode=True, sort_keys=False).encode()


def _torn(data: bytes, chance: Random) -> bytes:
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        at = chance.randrange(len(data) + 1)
        length = min(chance.choice((1, 1, 4, 30, 1000)), len(data) - at)
        piece = data[at : at + length]
        new = chance.choice(
            (b"", piece * 2, chance.randbytes(length), chance.randbytes(3), b"\0", b"[" * 300)
        )
        data = data[:at] + new + data[at + length :]
        if chance.random() < 0.1:
            data = data[:at]
    return data


def _altered_xml(data: bytes, chance: Random) -> bytes:
    root = ET.fromstring(data)  # noqa: S314 - files of ours
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        elements = list(root.iter())
        parent = chance.choice(elements)
        child = chance.choice(list(parent)) if len(parent) else parent
        act = chance.randrange(9)
        if act == 0 and child is not parent:
            parent.remove(child)
        elif act == 1 and child is not parent:
            # Also into another place.
            chance.choice((parent, chance.choice(elements))).append(copy.deepcopy(child))
        elif act == 2:
            child.tag = chance.choice((chance.choice(elements).tag, "nonsense"))
        elif child.attrib and (act < 7 or not (child.text or "").strip()):
            key = chance.choice(sorted(child.attrib))
            if chance.random() < 0.15:
                del child.attrib[key]
            else:
                child.attrib[key] = _text(child.attrib[key], chance)
        elif (child.text or "").strip():
            child.text = _text(child.text or "", chance)
    return ET.tostring(root)


def _text(value: str, chance: Random) -> str:
    words = value.split() or [""]
    at = chance.randrange(len(words))
    try:
        words[at] = str(_other(float(words[at]), chance))
    except ValueError:
        words[at] = str(chance.choice(NONSENSE))
    return " ".join(words) if chance.random() < 0.9 else str(chance.choice(NONSENSE))


def _other(value: Any, chance: Random) -> Any:  # noqa: ANN401 - plain data
    """Another value, mostly of the same type."""
    if isinstance(value, bool) or chance.random() < 0.2:
        return copy.deepcopy(chance.choice(NONSENSE))
    if isinstance(value, int | float):
        return type(value)(
            chance.choice((0, -value, 10 * value, value / 10, 1000 * value, *NUMBERS))
        )
    return copy.deepcopy(chance.choice(NONSENSE))


def _alter_tree(tree: Any, chance: Random) -> None:  # noqa: ANN401 - plain data
    places = list(_places(tree))
    if not places:
        return
    holder, key = chance.choice(places)
    act = chance.randrange(12)
    if act == 0:
        del holder[key]
    elif act == 1:
        other, place = chance.choice(places)
        holder[key] = copy.deepcopy(other[place])
    elif act == 2 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    elif act == 3 and isinstance(holder, dict):
        holder[chance.choice(("nonsense", str(chance.choice(NONSENSE))))] = holder.pop(key)
    elif isinstance(holder[key], dict | list) and holder[key] and chance.random() < 0.9:
        _alter_tree(holder[key], chance)
    else:
        holder[key] = _other(holder[key], chance)


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401 - plain data
    keys = list(tree) if isinstance(tree, dict) else range(len(tree))
    for key in keys:
        yield tree, key
        if isinstance(tree[key], dict | list):
            yield from _places(tree[key])


def _altered_arrays(source: Path, chance: Random) -> bytes:
    with np.load(source) as saved:
        arrays: dict[str, Any] = dict(saved)
    about = json.loads(str(arrays["about"]))
    for _ in range(chance.randint(1, 3)):
        name = chance.choice(sorted(arrays))
        act = chance.randrange(5)
        if act == 0:
            _alter_tree(about, chance)
            arrays["about"] = np.array(json.dumps(about))
        elif act == 1 and len(arrays) > 1:
            del arrays[name]
        elif act == 2:
            arrays[name] = arrays[chance.choice(sorted(arrays))]
        elif act == 3:
            kinds = (np.float16, np.int8, np.complex64, "U3", np.bool_, "M8[s]")
            arrays[name] = np.zeros(chance.choice(((), (0,), (2, 3))), chance.choice(kinds))
        elif arrays[name].ndim:
            arrays[name] = arrays[name].ravel()[chance.randrange(3) :]
    with tempfile.TemporaryFile() as file:
        np.savez_compressed(file, **arrays)
        file.seek(0)
        return file.read()


def _case(number: int, seed: int, folder: Path, all_kinds: tuple[Kind, ...]) -> tuple[Kind, Path]:
    """Writes the altered file of a case, with what lies beside it."""
    chance = Random(f"{seed} {number}")
    kind = all_kinds[number % len(all_kinds)]
    source = chance.choice(kind.sources)
    shutil.rmtree(folder, ignore_errors=True)
    if source.parent.parent == ROOT:
        # These name no files beside them.
        folder.mkdir()
    else:
        shutil.copytree(source.parent, folder, ignore=shutil.ignore_patterns("__pycache__"))
    path = folder / source.name
    path.write_bytes(altered(source, chance))
    return kind, path


def _problem(kind: Kind, path: Path) -> str:
    """What is wrong about the reading of a file, '' if nothing is."""
    try:
        kind.read(path)
    except HorusError:
        return ""
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if "horus_sim" in frame.filename]
        place = f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else "?"
        return f"{kind.name}: {type(error).__name__} in {place}: {str(error)[:150]!r}"
    return ""


def _work(first: int, count: int, seed: int, folder: Path, pipe: int) -> None:
    """The child: reads cases and tells each number before, each problem after."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    # MuJoCo and controllers print.
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    all_kinds = kinds()
    os.chdir(folder)
    if first == 0:
        for kind in all_kinds:
            for source in kind.sources:
                kind.read(source)  # else the cases say nothing
    for number in range(first, count):
        kind, path = _case(number, seed, folder / "case", all_kinds)
        os.write(pipe, f"{json.dumps([number, ''])}\n".encode())
        signal.setitimer(signal.ITIMER_PROF, LONGEST_CPU_S)
        problem = _problem(kind, path)
        signal.setitimer(signal.ITIMER_PROF, 0)
        if problem:
            os.write(pipe, f"{json.dumps([number, problem])}\n".encode())


def _run(first: int, count: int, seed: int, folder: Path) -> tuple[int, list[tuple[int, str]]]:
    """Reads cases in a child until it ends; the number of the last one, and the problems."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            _work(first, count, seed, folder, writing)
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    last, problems = first, []
    with os.fdopen(reading) as lines:
        for line in lines:
            last, problem = json.loads(line)
            if problem:
                problems.append((last, problem))
    _, status = os.waitpid(child, 0)
    if status:
        name = kinds()[last % len(kinds())].name
        code = os.waitstatus_to_exitcode(status)
        how = f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        problems.append((last, f"{name}: the process {how}"))
    return last, problems


def main(count: int, seed: int) -> int:
    """Reads that many altered files; returns the number of findings."""
    folder = Path(tempfile.mkdtemp(prefix="horus-fuzz-"))
    all_kinds = kinds()
    found: list[tuple[int, str]] = []
    number = 0
    while number < count:
        last, problems = _run(number, count, seed, folder)
        found += problems
        number = last + 1
    shutil.rmtree(folder)
    for case, problem in found[:20]:
        kept = Path(tempfile.gettempdir()) / f"horus-fuzz-{seed}-{case}"
        _, path = _case(case, seed, kept, all_kinds)
        print(f"{problem}\n  {path}")
    for problem, times in Counter(text.partition(": '")[0] for _, text in found).most_common():
        print(f"{times:6} {problem}")
    print(f"{count:,} files of {len(all_kinds)} kinds, {len(found)} findings")
    return len(found)


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    sys.exit(1 if main(*(given or [1000]), *([1] if len(given) < 2 else [])) else 0)
