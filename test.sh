#!/usr/bin/env bash
# Checks everything, after making .venv and installing the package with all extras and the developers' tools.
#
#   ./test.sh                  formatting, lint, types, layers, C++ tests (plain and with sanitizers), pytest
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

ensure_installed all,dev
cd "$root"
if [[ $# -gt 0 ]]; then
  exec "$venv/bin/python" -m pytest "$@"
fi

step 'lint' "$venv/bin/ruff" check
step 'formatting' "$venv/bin/ruff" format --check
step 'types' "$venv/bin/pyright"
step 'layers' "$venv/bin/lint-imports"
step 'C++ tests' scripts/native-tests.sh
step 'Python tests' "$venv/bin/python" -m pytest -n auto --maxprocesses 4
say 'All checks passed.'
