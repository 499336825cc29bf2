"""Options mean the same in every command."""

from __future__ import annotations

import importlib
from typing import cast

import pytest
import typer
from typer.core import TyperGroup, TyperOption

GROUPS = ("arm", "replay", "rl", "robot", "sim2d", "sim3d", "tf", "topic")


def options(name):
    """All options of the commands with one name: command -> help and default."""
    found = {}
    for group in GROUPS:
        module = importlib.import_module(f"horus_sim.cli.{group}")
        commands = cast(TyperGroup, typer.main.get_command(module.app)).commands
        for verb, command in commands.items():
            for parameter in command.params:
                if isinstance(parameter, TyperOption) and name in parameter.opts:
                    found[f"{group} {verb}"] = (parameter.help, parameter.default)
    return found


@pytest.mark.parametrize("name", ["--host", "--port", "--open"])
def test_an_option_of_the_page_is_the_same_in_every_command(name):
    found = options(name)
    assert {"arm page", "rl play", "sim2d run", "sim3d run"} <= found.keys()
    assert len(set(found.values())) == 1


def test_threads_are_all_cores_by_default():
    found = options("--threads")
    assert found.keys() == {"rl bench", "sim2d bench"}
    assert len(set(found.values())) == 1
    assert {default for _, default in found.values()} == {0}
