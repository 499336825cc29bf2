#!/usr/bin/env bash
# Checks everything, after making .venv and installing the package with all extras and the developers' tools.
#
#   ./test.sh                  formatting, lint, types, layers, C++ tests with sanitizers, pytest
#   ./test.sh tests/tf -k x    pytest alone, with these arguments; paths are relative to the repository
#
# Needs Python 3.11 or newer and a C++20 compiler; says what to install if one is missing. PYTHON and CXX choose others.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/scripts/environment.sh"

step() {
  say "== $1"
  shift
  "$@" || die "'$*' failed, see above."
}

# In CI nothing is skipped that can be installed beside the rest.
extras=all,dev
[[ "${CI:-}" != true ]] || extras+=,onnx,pybullet,ray,rsl,train
ensure_installed "$extras"
cd "$root"
if [[ $# -gt 0 ]]; then
  exec "$venv/bin/python" -m pytest "$@"
fi

step 'lint' "$venv/bin/ruff" check
step 'formatting' "$venv/bin/ruff" format --check
step 'layers' "$venv/bin/lint-imports"
# The types keep one core busy for as long as all the rest of the checks: they run beside it.
types_log="$(mktemp)"
"$venv/bin/pyright" >"$types_log" 2>&1 &
types=$!
trap 'kill "$types" 2>/dev/null || true; rm -f "$types_log"' EXIT
step 'C++ tests' scripts/native-tests.sh
# One more than there are cores: some tests wait. Neighbours share servers and browsers, so that they stay together.
workers="$("$venv/bin/python" -c 'import os; print(min((os.cpu_count() or 1) + 1, 4))')"
step 'Python tests' "$venv/bin/python" -m pytest -n "$workers" --dist worksteal --durations 10 --durations-min 1
types_passed=true
wait "$types" || types_passed=false
step 'types' cat "$types_log"
$types_passed || die "'$venv/bin/pyright' failed, see above."
say 'All checks passed.'
