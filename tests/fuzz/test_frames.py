"""A short run of the frames that are thrown at a running world."""

import importlib.util
import os
import runpy
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "fuzz" / "frames.py"

if importlib.util.find_spec("zenoh") is None:
    if os.environ.get("CI") == "true":
        pytest.fail("zenoh is not installed and CI=true asks for it", pytrace=False)
    pytest.skip("zenoh is not installed: pip install 'horus-sim[zenoh]'", allow_module_level=True)


def test_no_frame_ends_or_disturbs_a_world():
    assert runpy.run_path(str(SCRIPT))["main"](1000, 7) == {}
