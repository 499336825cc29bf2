#!/usr/bin/env bash
# Tests the wheels with the Pythons that this machine does not have: in roots of Debian, with the extras that have wheels
# for that Python, by the tests that need no browser.
#
#   scripts/test-pythons.sh                   3.11 (bookworm), 3.13 (trixie) and 3.14 (sid)
#   scripts/test-pythons.sh 3.13 /usr/bin/python3.12 -- tests/tf -k lookup
#
# A path is an interpreter of this machine, which is used as it is; what stands behind -- is given to pytest instead of the
# folders of tests. The wheels are those in the folder WHEELS (else dist/), where scripts/build-wheels.sh makes them. Ends
# with a line a Python, and fails if one of them has. Needs the rights of root for roots; HORUS_ROOTS and DEBIAN_MIRROR as in
# scripts/debian-roots.sh.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/debian-roots.sh
source "$(dirname "${BASH_SOURCE[0]}")/debian-roots.sh"

# Runs in /bin/bash with: python, place (to write into), checkout, wheels, shared.
# shellcheck disable=SC2016 # expanded there
readonly RUN_TESTS='
"$python" -m venv "$place/venv"
pip() { "$place/venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
wheel="$("$place/venv/bin/python" -c "
import sys
wanted = \"cp311-cp311\" if sys.version_info < (3, 12) else \"cp312-abi3\"
print(wanted)")"
wheel="$(echo "$wheels"/horus_sim-*-"$wheel"-*.whl)"
[[ -f "$wheel" ]] || { echo "error: there is no $wheel; scripts/build-wheels.sh makes it" >&2; exit 1; }
pip install --only-binary :all: "$wheel"
without=""
for extra in zenoh record video parquet xacro ui decompose plot rl horus; do
  pip install --only-binary :all: "$wheel[$extra]" 2>"$place/pip.log" || without+=" [$extra]"
done
pip install pytest pytest-xdist hypothesis
for tool in imageio mcap-ros2-support playwright pycdr2 pymunk zenoh-ros2-sdk==0.1.8; do
  pip install --only-binary :all: "$tool" 2>"$place/pip.log" || without+=" $tool"
done
cd "$checkout"
export HYPOTHESIS_STORAGE_DIRECTORY="$place/hypothesis" PYTHONDONTWRITEBYTECODE=1 HORUS_SHARED="$shared" PATH="$place/venv/bin:$PATH"
status=0
"$place/venv/bin/python" -m pytest -p no:cacheprovider -q -n 2 --dist worksteal "$@" >"$place/pytest.log" 2>&1 || status=$?
cat "$place/pytest.log"
{
  "$place/venv/bin/python" -c "import platform; print(end=platform.python_version())"
  echo ": $(tail -n 1 "$place/pytest.log")${without:+; not to be had:$without}"
} >"$place/summary"
exit "$status"
'

# What needs a browser, a checkout in which it is installed, or the developers tools.
readonly -a TESTS=(tests
  --ignore-glob='tests/ui/*/test_page*' --ignore=tests/ui/test_serving.py --ignore=tests/ui/views/test_axis.py
  --ignore=tests/test_scripts.py --ignore=tests/installation/test_wheel.py)

# Runs the tests with an interpreter of this machine.
test_interpreter() {
  python="$1" place="$2" checkout="$root" wheels="$wheels" shared="$shared" bash -euo pipefail -c "$RUN_TESTS" tests "${arguments[@]}"
}

# Runs the tests in a root of the suite of Debian that has Python $1.
test_root() {
  local version="$1" layer="$2" quoted suite
  case "$version" in
    3.11) suite=bookworm ;;
    3.13) suite=trixie ;;
    3.14) suite=sid ;;
    *) die "no suite of Debian has Python $version; 3.11, 3.13 and 3.14 have one. Else name an interpreter by its path." ;;
  esac
  require_roots
  make_root "python-$version" "$suite" "python$version,python$version-venv,libegl1,libopengl0,libgl1-mesa-dri,git"
  printf -v quoted ' %q' "${arguments[@]}"
  enter_root "python-$version" "$layer" "python=python$version place=/place checkout=/checkout wheels=/wheels shared=/shared
    set --$quoted
    $RUN_TESTS" "$layer/place:/place" "$root:/checkout:ro" "$wheels:/wheels:ro" "$roots/pip-cache:/root/.cache/pip" "${bound[@]}"
}

wheels="$(cd "${WHEELS:-$root/dist}" 2>/dev/null && pwd -P)" ||
  die "the folder '${WHEELS:-$root/dist}' of wheels does not exist; run: scripts/build-wheels.sh ${WHEELS:-dist}"
shared="${HORUS_SHARED:-$(dirname "$root")/shared}"
bound=()
[[ ! -d "$shared" ]] || bound=("$shared:/shared:ro")

versions=()
while [[ $# -gt 0 && "$1" != -- ]]; do
  versions+=("$1")
  shift
done
[[ $# -eq 0 ]] || shift
arguments=("$@")
[[ ${#arguments[@]} -gt 0 ]] || arguments=("${TESTS[@]}")
[[ ${#versions[@]} -gt 0 ]] || versions=(3.11 3.13 3.14)

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$roots/pip-cache"
status=0
summaries=()
for version in "${versions[@]}"; do
  say "-- Python $version"
  layer="$work/${version//\//_}"
  mkdir -p "$layer/place"
  if [[ "$version" == */* ]]; then
    test_interpreter "$version" "$layer/place" || status=1
  else
    test_root "$version" "$layer" || status=1
  fi
  summaries+=("$(cat "$layer/place/summary" 2>/dev/null || echo "$version: no test ran, see above")")
done
say ''
printf '%s\n' "${summaries[@]}"
exit "$status"
