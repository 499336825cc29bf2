"""Without the extra [train]: policies are evaluated, and training says what to install."""

from __future__ import annotations

import subprocess
import sys

from horus_sim.installation import install_command

SCRIPT = """
import importlib.util
import pathlib
import sys

real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: (
    None if name in ("stable_baselines3", "torch", "tensorboard") else real(name, *rest)
)
import numpy as np
from horus_sim.errors import MissingExtraError
from horus_sim.rl.training import Policy, evaluate, train, train_config
still = Policy(
    "NavigationOpen", {}, ((np.zeros((31, 2), np.float32), np.zeros(2, np.float32)),), "tanh",
    False, -np.ones(2, np.float32), np.ones(2, np.float32), np.zeros(31), np.ones(31),
)
print(evaluate(still, "NavigationOpen", 2, settings={"episode_duration": 0.2}).episodes)
try:
    train(train_config("NavigationOpen"), "run")
except MissingExtraError as error:
    print(error)
print(pathlib.Path("run").exists(), "torch" in sys.modules)
"""


def test_policies_run_and_training_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert result.stderr == ""
    assert result.stdout.splitlines() == [
        "2",
        f"torch is not installed; run: {install_command('train')}",
        "False False",
    ]
