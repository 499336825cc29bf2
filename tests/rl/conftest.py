"""What tests of reinforcement learning share."""

from __future__ import annotations

import os

import gymnasium
import pytest

import horus_sim.rl as rl
from horus_sim.errors import RenderError
from horus_sim.rl.task_files import definitions
from horus_sim.sim3d.rendering.gl import choose_backend


@pytest.fixture
def restored_tasks(monkeypatch):
    """Tasks that a test defines are unknown after it."""
    rl.task_names()
    monkeypatch.setattr(definitions, "_definitions", dict(definitions._definitions))
    known = set(gymnasium.registry)
    yield
    for name in set(gymnasium.registry) - known:
        del gymnasium.registry[name]


@pytest.fixture(scope="session")
def needs_gl():
    """Skips where there is no OpenGL; fails there where CI=true."""
    try:
        choose_backend()
    except RenderError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))
