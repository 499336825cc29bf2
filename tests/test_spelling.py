"""One spelling for each idea: walks every public name, its signature and its fields."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pydantic
import pytest

from horus_sim.rl.training.evaluation import UNSEEN_SEED

PACKAGES = (
    "arm",
    "coords",
    "hub",
    "hub.messages",
    "launch",
    "library",
    "library.tf",
    "rl",
    "rl.training",
    "rl.wrappers",
    "robots",
    "running",
    "running.recording",
    "sim2d",
    "sim3d",
    "sim3d.control",
    "sim3d.recording",
    "sim3d.sensors",
    "tf",
    "tf2",
    "ui",
)
# What to write instead.
OTHER_SPELLINGS = {
    "field_of_view": "fov_deg",
    "fov": "fov_deg",
    "load_state": "apply_snapshot",
    "max_range": "range_max",
    "min_range": "range_min",
    "n_envs": "num_envs",
    "n_worlds": "num_worlds",
    "num_environments": "num_envs",
    "num_threads": "threads",
    "n_threads": "threads",
    "path_or_name": "name_or_path",
    "restore": "apply_snapshot",
    "rng_seed": "seed",
    "save_state": "snapshot",
    "seconds": "duration",
    "step_count": "steps",
    "step_index": "steps",
    "time_step": "timestep",
    "workers": "threads",
}
# SI units and radians carry no suffix.
SI_SUFFIX = re.compile(r"_(m|s|sec|secs|seconds|kg|rad|rads|radians|metres|meters)$")
# As ROS, the files of arms and the specification write them.
WRITTEN_ELSEWHERE = {
    "a_m",
    "alpha_rad",
    "d_m",
    "dt_s",
    "theta_offset_rad",
    "tolerance_m",
    ("Range", "field_of_view"),
    # All angles in files of the 2D simulator are in radians.
    ("SensorParams", "fov"),
    # A conversion names both units.
    "to_ns",
}


def public() -> Iterator[tuple[str, Any]]:
    for package in PACKAGES:
        module = importlib.import_module(f"horus_sim.{package}")
        for name in module.__all__:
            yield f"{package}.{name}", getattr(module, name)


def functions() -> Iterator[tuple[str, inspect.Signature]]:
    """Every public function and method, with its signature."""
    for name, thing in public():
        if inspect.isfunction(thing):
            yield name, inspect.signature(thing)
        elif inspect.isclass(thing):
            for part, value in inspect.getmembers(thing, _is_written_in_python):
                is_public = part == "__init__" or not part.startswith("_")
                is_ours = value.__module__.startswith("horus_sim")
                if is_public and is_ours:
                    yield f"{name}.{part}", inspect.signature(value)


def _is_written_in_python(value: object) -> bool:
    # Native methods have no signature that could be read.
    return inspect.isfunction(value) or inspect.ismethod(value)


def words() -> Iterator[tuple[str, str]]:
    """Every name that a user reads or writes, with where it stands."""
    for where, signature in functions():
        yield where, where.rpartition(".")[2]
        for parameter in signature.parameters:
            yield where, parameter
    for where, thing in public():
        if not inspect.isclass(thing):
            continue
        if issubclass(thing, pydantic.BaseModel):
            yield from ((where, field) for field in thing.model_fields)
        elif dataclasses.is_dataclass(thing):
            yield from ((where, field.name) for field in dataclasses.fields(thing))
        for part, value in vars(thing).items():
            if isinstance(value, property) and not part.startswith("_"):
                yield where, part


def test_no_other_spelling():
    wrong = set()
    for where, word in words():
        of_class = next((part for part in where.split(".") if part[:1].isupper()), "")
        if {word, where.rpartition(".")[2], (of_class, word)} & WRITTEN_ELSEWHERE:
            continue
        if word in OTHER_SPELLINGS:
            wrong.add(f"{where}: '{word}' is spelled '{OTHER_SPELLINGS[word]}'")
        elif SI_SUFFIX.search(word):
            wrong.add(f"{where}: '{word}' is in SI units and needs no suffix")
    assert not wrong, "\n".join(sorted(wrong))


@pytest.mark.parametrize(
    ("name", "defaults"),
    [
        # None keeps the earlier seed, or takes the one that a scenario states; evaluations begin
        # far from the episodes of a training.
        ("seed", {0, None, UNSEEN_SEED}),
        ("threads", {0}),
    ],
)
def test_defaults(name: str, defaults: set[object]):
    found = {
        where: signature.parameters[name].default
        for where, signature in functions()
        if name in signature.parameters
    }
    given = {where: value for where, value in found.items() if value is not inspect.Parameter.empty}
    assert len(given) > 5
    assert {where: value for where, value in given.items() if value not in defaults} == {}


def test_states_are_snapshots():
    for where, thing in public():
        if inspect.isclass(thing) and hasattr(thing, "apply_snapshot"):
            assert hasattr(thing, "snapshot"), where
    for where in ("sim3d.WorldSnapshot", "sim2d.Snapshot"):
        package, name = where.split(".")
        kind = getattr(importlib.import_module(f"horus_sim.{package}"), name)
        assert callable(kind.save), where
        assert callable(kind.load), where


@pytest.mark.parametrize(
    "name",
    [
        "robots.robot_names",
        "sim3d.scene_names",
        "sim2d.scenario_names",
        "arm.arm_names",
        "rl.task_names",
        "rl.training.policy_names",
    ],
)
def test_shipped_things_are_listed_alike(name: str):
    package, _, function = name.rpartition(".")
    names = getattr(importlib.import_module(f"horus_sim.{package}"), function)()
    assert names
    assert all(isinstance(each, str) for each in names)
    assert list(names) == sorted(names)


@pytest.mark.parametrize(
    "name",
    ["robots.load_robot", "sim3d.load_scene", "sim2d.load_scenario", "arm.Arm.load"],
)
def test_loaders_take_a_name_or_a_path(name: str):
    signatures = dict(functions())
    assert next(p for p in signatures[name].parameters if p != "cls") == "name_or_path"


def test_steps():
    signatures = dict(functions())

    world = signatures["sim3d.World.step"].parameters
    assert list(world) == ["self", "n"]
    assert world["n"].default == 1
    simulator = signatures["sim2d.Simulator.step"].parameters
    assert (simulator["dt"].default, simulator["n"].default) == (None, 1)
    assert simulator["n"].kind is inspect.Parameter.KEYWORD_ONLY
    batch = signatures["sim2d.BatchSimulator.step"].parameters
    assert list(batch) == ["self", "commands", "n"]
    assert batch["n"].default == 1
