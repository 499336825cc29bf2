#!/usr/bin/env bash
# Tests with the lowest versions that pyproject.toml allows, in an environment of its own.
#
#   scripts/test-lowest.sh            the tests that need no browser
#   scripts/test-lowest.sh tests/tf   pytest with these arguments
#
# HORUS_LOWEST names the folder of the environment (else ~/.cache/horus-sim/lowest), which is kept for the next time.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

venv="${HORUS_LOWEST:-${XDG_CACHE_HOME:-$HOME/.cache}/horus-sim/lowest}"
[[ $# -gt 0 ]] || set -- tests --ignore=tests/ui --ignore=tests/test_scripts.py -n 3

require_python
require_compiler
mkdir -p "$(dirname "$venv")"
"$python" -m venv "$venv"
find_uv "$venv"
cp "$root/pyproject.toml" "$venv"
version="$("$venv/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
(cd "$venv" && "$uv" pip compile pyproject.toml --extra all --extra parquet --resolution lowest-direct --quiet \
  --python-version "$version" --no-annotate --no-header --output-file lowest.txt)
say 'The lowest versions:'
grep -iE '^(numpy|scipy|mujoco|pydantic|typer|trimesh|nicegui|gymnasium|eclipse-zenoh|foxglove-sdk)==' "$venv/lowest.txt" >&2
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$venv/lowest.txt"
# The tools of the tests, at their versions of now unless the package itself uses them.
readarray -t tools < <("$venv/bin/python" - "$root/pyproject.toml" <<'PYTHON_CODE'
import pathlib
import sys
import tomllib

extras = tomllib.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))["project"]["optional-dependencies"]
print(*(each for each in extras["dev"] if not each.startswith(("pre-commit", "pyright", "ruff"))), sep="\n")
PYTHON_CODE
)
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -c "$venv/lowest.txt" "${tools[@]}"
# shellcheck disable=SC2046 # one requirement a word
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check $(build_requirements)
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
  --config-settings=build-dir="$venv/build" "$root"
cd "$root"
exec "$venv/bin/python" -m pytest "$@"
