"""The package as a whole: what importing it costs, its version, its type marker."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import json
import subprocess
import sys

import horus_sim


def test_import_loads_nothing_else():
    program = (
        "import json, sys; before = set(sys.modules); import horus_sim; "
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    loaded = json.loads(result.stdout)
    # the finder of an editable installation imports some of the standard library
    own = [name for name in loaded if name.split(".")[0] not in sys.stdlib_module_names]
    assert own == ["horus_sim"]


def test_versions_agree():
    assert importlib.metadata.version("horus-sim") == horus_sim.__version__


def test_type_marker_is_shipped():
    assert importlib.resources.files(horus_sim).joinpath("py.typed").is_file()
