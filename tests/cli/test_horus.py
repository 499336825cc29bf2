"""A program of HORUS drives a robot of `sim3d --horus`: the one of the guide, word for word."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "horus.md"
LONGEST_S = 120.0

pytest.importorskip("horus", reason="pip install 'horus-sim[horus]'")


@pytest.fixture
def apart() -> Iterator[dict[str, str]]:
    """An environment whose topics nobody else sees."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    yield os.environ | {"HORUS_NAMESPACE": name, "HORUS_SESSION_ID": name}
    shutil.rmtree(Path("/dev/shm") / f"horus_{name}", ignore_errors=True)  # noqa: S108


def test_the_program_of_the_guide_drives_the_robot(apart: dict[str, str], tmp_path: Path):
    program = re.findall(r"```python no-run\n(.*?)```", GUIDE.read_text(), re.DOTALL)[0]
    start = "from horus_sim.cli.program import sim3d; sim3d()"
    command = [sys.executable, "-c", start, "warehouse", "--headless", "--horus"]
    with subprocess.Popen(command, env=apart, stdout=subprocess.PIPE, text=True) as simulator:
        try:
            assert simulator.stdout is not None
            lines = [simulator.stdout.readline() for _ in range(2)]
            assert "topics of HORUS under the same names" in lines[1]
            driver = subprocess.run(
                [sys.executable, "-c", program],
                env=apart,
                cwd=tmp_path,
                capture_output=True,
                text=True,
                timeout=LONGEST_S,
                check=False,
            )
        finally:
            simulator.terminate()
            simulator.wait(LONGEST_S)
    assert driver.returncode == 0, driver.stderr
    found = re.fullmatch(r"(.*) m ahead; the scanner is at \[(.*), (.*), (.*)\]\n", driver.stdout)
    assert found is not None, driver.stdout
    ahead, x, _, z = map(float, found.groups())
    assert 0.5 <= ahead < 0.7
    # The scanner is 3 cm behind the axle and 18 cm above the floor, on a robot that drives on.
    assert x == pytest.approx(ahead - 0.032, abs=0.05)
    assert z == pytest.approx(0.18, abs=0.02)
