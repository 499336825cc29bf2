#!/usr/bin/env bash
# Runs horus-sim, after making .venv and installing the package with all extras where that is needed.
#
#   ./run.sh                   a page in the browser with a robot in a warehouse
#   ./run.sh doctor            any command of horus-sim, with its arguments
#   ./run.sh install train     installs optional parts as well; `./run.sh doctor` lists them
#   ./run.sh shell             a shell in which `horus-sim` and `python` are those of .venv
#
# Needs Python 3.11 or newer and a C++20 compiler; says what to install if one is missing. PYTHON and CXX choose others.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/scripts/environment.sh"

if [[ "${1:-}" == install ]]; then
  shift
  install_extras "$@"
  exit
fi
ensure_installed all
if [[ "${1:-}" == shell ]]; then
  shift
  export VIRTUAL_ENV="$venv" PATH="$venv/bin:$PATH"
  unset PYTHONHOME
  say "horus-sim and python are those of $venv here; 'exit' leads back."
  exec "${SHELL:-/bin/sh}" "$@"
fi
exec "$venv/bin/horus-sim" "$@"
