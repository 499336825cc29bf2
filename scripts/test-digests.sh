#!/usr/bin/env bash
# Runs the tests of fixed digests against builds of the C++ core by several compilers, optimization levels and processors.
#
#   scripts/test-digests.sh                        all of these that the machine has the tools for
#   scripts/test-digests.sh g++:-O2 clang++:-O3    only these; the levels are those of the compiler
#   scripts/test-digests.sh aarch64                only for 64-bit ARM, in a Debian for ARM under qemu
#
# The compilers are those on the PATH, such as g++, g++-13, clang++ or clang++-19. For ARM, ARM_ROOT names a folder with
# a Debian for arm64 (else build/digests/arm64, which is made by debootstrap, as root), and qemu-user-static has to be
# registered; ARM_CXX chooses the cross compiler (aarch64-linux-gnu-g++). Nothing is built inside of .venv.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

readonly FOLDER="$root/build/digests"
readonly TESTS=(tests/determinism/test_{transforms,arms,sim2d,sources}.py)
ARM_ROOT="${ARM_ROOT:-$FOLDER/arm64}"
ARM_CXX="${ARM_CXX:-aarch64-linux-gnu-g++}"

# Builds the extension with the compiler $2 and the flags $3 into the folder $1, with further arguments for CMake.
build_core() {
  local folder="$1" compiler="$2" flags="$3"
  shift 3
  # Not Release, which has a level of its own.
  CXX="$compiler" "$venv/bin/cmake" -S "$root" -B "$folder/build" -G Ninja -DCMAKE_MAKE_PROGRAM="$venv/bin/ninja" \
    --log-level=WARNING -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="$flags -DNDEBUG" \
    -DPython_EXECUTABLE="$venv/bin/python" -DSKBUILD_PROJECT_VERSION="$version" "$@" >"$folder/log" 2>&1 &&
    "$venv/bin/cmake" --build "$folder/build" --target _core >>"$folder/log" 2>&1 ||
    die "'$compiler $flags' did not build; see $folder/log."
  # The sources as links, and this core among them.
  rm -rf "$folder/package"
  mkdir -p "$folder/package"
  cp -rs "$root/src/horus_sim" "$folder/package/"
  cp "$folder"/build/native/bindings/_core.*.so "$folder/package/horus_sim/_native/_core.so"
}

run_here() {
  local variant="$1" folder="$FOLDER/${1/:/}" compiler="${1%%:*}" flags="${1#*:}"
  if ! command -v "$compiler" >/dev/null; then
    say "SKIPPED: $variant, there is no $compiler"
    return
  fi
  mkdir -p "$folder"
  say "-- $variant: $("$compiler" --version | head -n 1)"
  build_core "$folder" "$compiler" "$flags"
  # -S: without the links that lead from .venv to the installed core.
  (cd "$root" && PYTHONPATH="$folder/package:$packages" "$venv/bin/python" -S -m pytest -q -p no:cacheprovider "${TESTS[@]}")
}

# A Debian for ARM with the Python packages that the tests need, as they are published for it.
make_arm_root() {
  [[ -x "$ARM_ROOT/usr/bin/python3" ]] ||
    debootstrap --arch=arm64 --variant=minbase --include=python3,python3-dev,libstdc++6 bookworm "$ARM_ROOT"
  [[ -d "$ARM_ROOT/horus-packages/pytest" ]] ||
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile --only-binary=:all: \
      --target "$ARM_ROOT/horus-packages" --python-version 3.11 --platform manylinux_2_28_aarch64 \
      --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 \
      hypothesis msgspec numpy pydantic pytest PyYAML
}

run_arm() {
  local folder="$FOLDER/aarch64" python
  if ! command -v "$ARM_CXX" >/dev/null; then
    say "SKIPPED: aarch64, there is no $ARM_CXX (Debian: g++-aarch64-linux-gnu)"
    return
  fi
  if ! { [[ -x "$ARM_ROOT/usr/bin/python3" ]] || command -v debootstrap >/dev/null; } ||
    [[ ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]]; then
    say 'SKIPPED: aarch64, which needs debootstrap and qemu-user-static, registered with binfmt_misc'
    return
  fi
  mkdir -p "$folder"
  make_arm_root
  say "-- aarch64: $("$ARM_CXX" --version | head -n 1)"
  python="$(basename "$(readlink "$ARM_ROOT/usr/bin/python3")")"
  # Headers of its Python, behind those of the cross compiler.
  build_core "$folder" "$ARM_CXX" "${ARM_FLAGS:--O3} -idirafter $ARM_ROOT/usr/include" \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DPython_INCLUDE_DIR="$ARM_ROOT/usr/include/$python" \
    -DNB_SUFFIX=.arm64.so -DNB_SUFFIX_S=.arm64.so
  rm -rf "$ARM_ROOT/horus"
  mkdir -p "$ARM_ROOT/horus"
  cp -rL "$folder/package/horus_sim" "$ARM_ROOT/horus/"
  cp -r "$root/tests" "$root/native" "$root/pyproject.toml" "$ARM_ROOT/horus/"
  chroot "$ARM_ROOT" sh -c \
    "cd /horus && PYTHONPATH=/horus:/horus-packages python3 -m pytest -q -p no:cacheprovider ${TESTS[*]}"
}

ensure_installed all,dev
version="$("$venv/bin/python" -c 'import horus_sim; print(horus_sim.__version__)')"
packages="$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
if [[ $# -eq 0 ]]; then
  set -- g++:-O2 g++:-O3 clang++:-O2 clang++:-O3 aarch64
fi
failed=()
for variant in "$@"; do
  case "$variant" in
    aarch64) (run_arm) || failed+=("$variant") ;;
    *:-*) (run_here "$variant") || failed+=("$variant") ;;
    *) die "'$variant' is no variant; write COMPILER:-LEVEL, such as g++:-O2, or aarch64." ;;
  esac
done
[[ ${#failed[@]} -eq 0 ]] || die "other bits, or no build, with ${failed[*]}; see above."
