"""The shared transform conformance suite, which real tf2 passes, through tf2's names."""

import importlib.util
import json
import os
from pathlib import Path

import pytest

from .conformance_adapter import Adapter

_REPOSITORY = Path(__file__).resolve().parents[2]
_FOLDER = Path(os.environ.get("HORUS_SHARED", _REPOSITORY.parent / "shared")) / "tf"


def _cases():
    path = _FOLDER / "conformance.json"
    cases = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    # tf2 does not predict.
    return [case for case in cases if "predict" not in case.get("requires", [])]


@pytest.fixture(scope="session")
def runner(shared_data):
    spec = importlib.util.spec_from_file_location(
        "run_conformance", shared_data("tf/run_conformance.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["name"])
def test_case(runner, case):
    result = runner.run_case(Adapter, case)
    assert result["status"] == "passed", "\n".join(result["bad"][:10])
