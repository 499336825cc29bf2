"""Robot files of any folder: which load, build a world and move, and why the others do not.

Each URDF, xacro, SDF and MJCF file is read in a child process of its own with bounds on time and
memory, put into a world and stepped. Beside it stands what other readers say, as far as they are
installed: pinocchio (`pin`) and yourdfpy for URDF, Drake for URDF and SDF, libsdformat for SDF,
MuJoCo's own loader for MJCF.

    python scripts/corpus.py FOLDER [--package-root FOLDER ...] [--out NAME]

Prints a summary and writes NAME.md and NAME.json (``corpus`` unless given).
"""

from __future__ import annotations

import argparse
import ctypes
import ctypes.util
import importlib.util
import json
import math
import multiprocessing
import os
import re
import resource
import signal
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection

STEPS = 100
OUTCOMES = ("ok", "diverged", "refused", "crash", "hang")
_SUFFIXES = {".urdf": "urdf", ".xacro": "xacro", ".sdf": "sdf", ".world": "sdf", ".mjcf": "mjcf"}
_ROOT_TAG = re.compile(rb"<([A-Za-z][\w:.-]*)")
_HIDDEN = re.compile(rb"<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>]*>", re.DOTALL)
_CONTEXT = multiprocessing.get_context("forkserver")
_MOST_SHOWN = 300
_PATIENCE = 20.0
_PRELOADED = (
    "horus_sim.sim3d.world.world",
    "horus_sim.robots.sdf.reading",
    "horus_sim.robots.urdf.reading",
    "horus_sim.robots.mjcf.reading",
    "scipy.spatial",
    "trimesh",
)


@dataclass(slots=True)
class Verdict:
    """What became of one file.

    Attributes:
        file: Path below the folder.
        kind: 'urdf', 'xacro', 'sdf' or 'mjcf'.
        outcome: One of `OUTCOMES`.
        reason: The error, or ''.
        remarks: Number of remarks of each kind.
        seconds: Time for all of it [s].
        peers: What other readers say: 'ok' or their error.
    """

    file: str
    kind: str
    outcome: str
    reason: str = ""
    remarks: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    peers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one child process: time of a processor [s] and memory [GiB]."""

    seconds: float
    memory: float


Work = tuple[Path, str, list[Path], bool, Limits]
"""A file, its kind, the package roots, whether meshes may be missing, and the bounds."""


def robot_files(folder: Path) -> Iterator[tuple[Path, str]]:
    """The files of a folder that hold robots or worlds, with their kinds, in order of name."""
    for path in sorted(folder.rglob("*")):
        suffix = path.suffix.lower()
        if not path.is_file() or suffix not in (*_SUFFIXES, ".xml"):
            continue
        kind = _SUFFIXES.get(suffix)
        with path.open("rb") as stream:
            found = _ROOT_TAG.search(_HIDDEN.sub(b"", stream.read(65536)))
        tag = found[1] if found else b""
        if suffix == ".xml":
            kind = {b"mujoco": "mjcf", b"robot": "urdf", b"sdf": "sdf"}.get(tag)
        # A file of macros alone is no robot.
        if kind is not None and (kind != "xacro" or tag == b"robot"):
            yield path, kind


def judge(path: Path, kind: str, roots: list[Path], *, allow_missing: bool) -> dict[str, object]:
    """Loads a file, builds its world and makes `STEPS` steps."""
    from horus_sim.errors import HorusError, PhysicsError
    from horus_sim.robots.robot import load_robot
    from horus_sim.sim3d import World

    remarks: Counter[str] = Counter()
    try:
        if kind == "sdf":
            world = World.load(path, package_roots=roots)
        else:
            robot = load_robot(path, package_roots=roots, allow_missing=allow_missing)
            world = World.from_robot(robot, ground=True)
        remarks.update(str(note.kind) for note in world.report)
        world.step(STEPS)
    except PhysicsError as error:
        return {"outcome": "diverged", "reason": str(error), "remarks": dict(remarks)}
    except HorusError as error:
        return {"outcome": "refused", "reason": f"{type(error).__name__}: {error}"}
    return {"outcome": "ok", "remarks": dict(remarks)}


def judge_pinocchio(path: Path, _roots: list[Path]) -> str:
    """Whether pinocchio builds its model; it does not look at the meshes then."""
    import pinocchio  # pyright: ignore[reportMissingImports] - where it is installed

    return _said(lambda: pinocchio.buildModelFromUrdf(str(path)))


def judge_yourdfpy(path: Path, _roots: list[Path]) -> str:
    """Whether yourdfpy reads the tree; meshes are left aside."""
    import yourdfpy

    return _said(
        lambda: yourdfpy.URDF.load(
            str(path), build_scene_graph=True, load_meshes=False, load_collision_meshes=False
        )
    )


def judge_drake(path: Path, roots: list[Path]) -> str:
    """Whether Drake puts the file into a plant; it does not look at the meshes then."""
    from pydrake.multibody.parsing import (  # pyright: ignore[reportMissingImports]
        Parser,
    )
    from pydrake.multibody.plant import (  # pyright: ignore[reportMissingImports]
        MultibodyPlant,
    )

    plant = MultibodyPlant(time_step=0.001)
    parser = Parser(plant)
    for root in roots:
        parser.package_map().PopulateFromFolder(root)
    return _said(lambda: parser.AddModels(path))


def judge_libsdformat(path: Path, roots: list[Path]) -> str:
    """Whether libsdformat checks the file without an error; models are found below the roots."""
    os.environ["SDF_PATH"] = os.pathsep.join(map(str, roots))
    library = ctypes.CDLL(str(_libsdformat()))
    return "ok" if library.cmdCheck(str(path).encode()) == 0 else "errors"


def _libsdformat() -> str | None:
    """The newest libsdformat on the path of the loader."""
    found = (ctypes.util.find_library(f"sdformat{version}") for version in range(16, 8, -1))
    return next((name for name in found if name), None)


def judge_mujoco(path: Path, _roots: list[Path]) -> str:
    """Whether MuJoCo's own loader compiles the file."""
    import mujoco

    return _said(lambda: mujoco.MjModel.from_xml_path(str(path)))


PEERS: dict[str, tuple[str, tuple[str, ...], Callable[[Path, list[Path]], str]]] = {
    "drake": ("pydrake", ("urdf", "sdf"), judge_drake),
    "libsdformat": ("ctypes", ("sdf",), judge_libsdformat),
    "pinocchio": ("pinocchio", ("urdf",), judge_pinocchio),
    "yourdfpy": ("yourdfpy", ("urdf",), judge_yourdfpy),
    "mujoco": ("mujoco", ("mjcf",), judge_mujoco),
}


def _said(read: Callable[[], object]) -> str:
    try:
        read()
    except Exception as error:  # noqa: BLE001 - whatever a peer raises is its answer
        return f"{type(error).__name__}: {error}"[:_MOST_SHOWN]
    return "ok"


def _child(answer: Connection, who: str, work: Work) -> None:
    path, kind, roots, allow_missing, limits = work
    most = int(limits.memory * 1024**3)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    longest = math.ceil(time.process_time() + limits.seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (longest, longest + 5))
    # Libraries write where Python does not see it.
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    try:
        if who == "horus":
            found = judge(path, kind, roots, allow_missing=allow_missing)
        else:
            found = {"said": PEERS[who][2](path, roots)}
    except BaseException as error:  # noqa: BLE001 - an error that nobody foresaw is a crash
        found = {"outcome": "crash", "reason": f"{type(error).__name__}: {error}"}
    answer.send(found)


def run_child(who: str, work: Work) -> dict[str, object]:
    """What a child process answers, or how it ended."""
    seconds = work[-1].seconds
    ours, theirs = _CONTEXT.Pipe(duplex=False)
    child = _CONTEXT.Process(target=_child, args=(theirs, who, work), daemon=True)
    child.start()
    theirs.close()
    found: dict[str, object]
    try:
        # A child that waits uses no processor; one on a busy machine waits, too.
        if ours.poll(seconds * _PATIENCE):
            found = ours.recv()
        else:
            found = {"outcome": "hang", "reason": f"took longer than {seconds:g} s"}
    except EOFError:
        child.join(5.0)
        found = {"outcome": "crash", "reason": f"ended with exit code {child.exitcode}"}
        if child.exitcode == -signal.SIGXCPU:
            found = {"outcome": "hang", "reason": f"took longer than {seconds:g} s"}
    finally:
        ours.close()
        if child.is_alive():
            child.kill()
        child.join()
    return found


def examine(
    file: tuple[Path, str],
    folder: Path,
    roots: list[Path],
    limits: Limits,
    peers: Iterable[str],
    *,
    allow_missing: bool,
) -> Verdict:
    """The verdict on one file, which is given with its kind."""
    path, kind = file
    work = (path, kind, roots, allow_missing, limits)
    began = time.monotonic()
    found = run_child("horus", work)
    verdict = Verdict(
        str(path.relative_to(folder)),
        kind,
        str(found["outcome"]),
        _shortened(str(found.get("reason", "")), folder),
        found.get("remarks", {}),  # pyright: ignore[reportArgumentType] - counts by kind
        round(time.monotonic() - began, 3),
    )
    for peer in peers:
        if kind in PEERS[peer][1]:
            said = run_child(peer, work)
            verdict.peers[peer] = _shortened(str(said.get("said") or said["outcome"]), folder)
    return verdict


def _shortened(text: str, folder: Path) -> str:
    plain = " ".join(text.replace(f"{folder}/", "").split())
    return plain if len(plain) <= _MOST_SHOWN else f"{plain[:_MOST_SHOWN]}..."


def cause_of(reason: str) -> str:
    """A reason without names and numbers, so that equal causes are counted together."""
    text = re.sub(r"^(\w+): \S+?(, line \d+)?: ", r"\1: ", reason)
    text = re.split(r"; tried: |; give the folder|; did you mean", text)[0]
    text = re.sub(r"'[^']*'", "'...'", text)
    return re.sub(r"[-+]?\d[\d.e+-]*", "#", text)[:160]


def markdown(verdicts: list[Verdict]) -> str:
    """The table of outcomes, the causes, and what peers say of files that are not ok."""
    lines = ["| kind | files | " + " | ".join(OUTCOMES) + " |", "|---" * (2 + len(OUTCOMES)) + "|"]
    for kind in sorted({verdict.kind for verdict in verdicts}):
        own = [verdict for verdict in verdicts if verdict.kind == kind]
        counts = Counter(verdict.outcome for verdict in own)
        numbers = " | ".join(str(counts[outcome]) for outcome in OUTCOMES)
        lines.append(f"| {kind} | {len(own)} | {numbers} |")
    seen = sorted({peer for verdict in verdicts for peer in verdict.peers})
    if seen:
        lines += ["", "| peer | files | both ok | only we | only the peer | neither |"]
        lines.append("|---|---|---|---|---|---|")
    for peer in seen:
        pairs = Counter(
            (verdict.outcome == "ok", verdict.peers[peer] == "ok")
            for verdict in verdicts
            if peer in verdict.peers
        )
        both, ours, theirs, neither = (
            pairs[pair] for pair in ((True, True), (True, False), (False, True), (False, False))
        )
        lines.append(f"| {peer} | {pairs.total()} | {both} | {ours} | {theirs} | {neither} |")
    bad = [verdict for verdict in verdicts if verdict.outcome != "ok"]
    causes = Counter((verdict.outcome, cause_of(verdict.reason)) for verdict in bad)
    if causes:
        lines += ["", "| times | outcome | cause |", "|---|---|---|"]
    for (outcome, cause), count in causes.most_common():
        lines.append(f"| {count} | {outcome} | {_cell(cause)} |")
    if bad:
        lines += ["", "| file | outcome | reason | peers |", "|---|---|---|---|"]
    for verdict in bad:
        said = "; ".join(f"{peer}: {answer[:80]}" for peer, answer in verdict.peers.items())
        cells = (verdict.file, verdict.outcome, verdict.reason, said)
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    """Examines a folder and writes the report."""
    parser = argparse.ArgumentParser(description="Judge every robot file of a folder.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--package-root", type=Path, action="append", default=[])
    parser.add_argument("--out", type=Path, default=Path("corpus"))
    parser.add_argument("--kind", action="append", choices=("urdf", "xacro", "sdf", "mjcf"))
    parser.add_argument("--allow-missing", action="store_true")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--peer", action="append", choices=tuple(PEERS), help="none but these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--seconds", type=float, default=120.0, help="of a processor, for each file"
    )
    parser.add_argument("--memory", type=float, default=6.0, help="of each child [GiB]")
    given = parser.parse_args()
    folder = given.folder.resolve()
    if not folder.is_dir():
        parser.error(f"{folder} is not a folder")
    files = [
        (path, kind)
        for path, kind in robot_files(folder)
        if given.kind is None or kind in given.kind
    ]
    peers = [
        name
        for name, (module, _, _) in PEERS.items()
        if not given.no_peers
        and name in (given.peer or PEERS)
        and importlib.util.find_spec(module) is not None
        if name != "libsdformat" or _libsdformat() is not None
    ]
    roots = [folder, *(root.resolve() for root in given.package_root)]
    limits = Limits(given.seconds, given.memory)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    _CONTEXT.set_forkserver_preload([*_PRELOADED, *(PEERS[peer][0] for peer in peers)])
    with ThreadPoolExecutor(max(1, given.jobs)) as pool:
        verdicts = list(
            pool.map(
                lambda file: examine(
                    file, folder, roots, limits, peers, allow_missing=given.allow_missing
                ),
                files,
            )
        )
    text = markdown(verdicts)
    given.out.with_suffix(".md").write_text(f"# {folder.name}\n\n{text}")
    plain = [asdict(verdict) for verdict in verdicts]
    given.out.with_suffix(".json").write_text(json.dumps(plain, indent=1) + "\n")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
