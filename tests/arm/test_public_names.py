"""What the package exports, what importing it costs, and that the stub describes the extension."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import horus_sim._native
import horus_sim.arm
from horus_sim._native import ArmSolver

STUB = Path(horus_sim._native.__file__).with_name("_core.pyi")


def test_every_exported_name_exists():
    assert [name for name in horus_sim.arm.__all__ if not hasattr(horus_sim.arm, name)] == []


def test_importing_the_arm_loads_no_simulator_and_no_plots():
    program = (
        "import sys, horus_sim.arm; print('mujoco' in sys.modules, 'matplotlib' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert result.stdout.split() == [b"False", b"False"]


def test_the_stub_names_the_methods():
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    (stub,) = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "ArmSolver"]
    stubbed = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    real = {name for name in vars(ArmSolver) if not name.startswith("_")} | {"__init__"}
    assert stubbed == real


def test_the_extension_refuses_wrong_shapes():
    one, ends = np.eye(4)[np.newaxis], np.stack((np.eye(4), np.eye(4)))
    joint = np.array([[0.0, 0.0, 0.0, -1.0, 1.0]])
    solver = ArmSolver(joint, one, one, ends)
    for wrong in (
        lambda: ArmSolver(np.zeros((1, 4)), one, one, ends),
        lambda: ArmSolver(joint, one, one, one),
        lambda: solver.forward(np.zeros(2)),
        lambda: solver.forward(np.zeros(1, np.float32)),  # pyright: ignore[reportArgumentType]
        lambda: solver.forward_batch(np.zeros((3, 2))),
        lambda: solver.solve(np.zeros(4), None, False, 1e-6, 1e-6, 0.0, 0, 0),
        lambda: solver.solve_batch(np.zeros((2, 4)), None, False, 1e-6, 1e-6, 0.0, 0, 0, 1),
    ):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError, match="1 to 32 joints"):
        ArmSolver(np.zeros((0, 5)), np.zeros((0, 4, 4)), np.zeros((0, 4, 4)), ends)
    with pytest.raises(ValueError, match="lower bound is above"):
        ArmSolver(np.array([[0.0, 0.0, 0.0, 1.0, -1.0]]), one, one, ends)
