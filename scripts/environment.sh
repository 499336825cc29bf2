# shellcheck shell=bash
# Finds the tools, makes .venv and keeps it current. Sourced by run.sh, test.sh and the scripts beside it; runs nothing.
#
#   PYTHON   interpreter to make .venv with (else the first of python3.13, 3.12, 3.11, python3 that works)
#   CXX      C++20 compiler (else the first of c++, g++, clang++ that works)

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
venv="$root/.venv"
stamp="$venv/horus-stamp"   # digest of what is installed, written when pip is done; extras; modules
constraints="$root/scripts/constraints.txt" # versions of what is installed, written by scripts/lock.sh
TORCH='torch==2.13.0' # the release that the training is tested with; a newer one may bring gigabytes for GPUs
origin="$venv/horus-origin" # the folder that .venv was made in, written when .venv is complete

say() {
  printf '%s\n' "$*" >&2
}

die() {
  say "error: $*"
  exit 1
}

say_what_to_install() {
  say 'What to install:'
  say '  Debian, Ubuntu: sudo apt-get install g++ python3-venv python3-dev'
  say '  Fedora:         sudo dnf install gcc-c++ python3-devel'
  say '  macOS:          xcode-select --install && brew install python@3.13'
}

# Prints why the interpreter $1 cannot be used, or nothing.
python_problem() {
  "$1" -I - 2>/dev/null <<'PYTHON_CODE' || echo 'does not run'
import sys

def problem():
    if sys.version_info < (3, 11):
        return "is Python %d.%d.%d, too old" % sys.version_info[:3]
    import importlib.util
    import pathlib
    import sysconfig

    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            return "has no module %s (Debian: python3-venv)" % module
    if not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists():
        return "has no header Python.h (Debian: python3-dev)"
    return ""

print(problem())
PYTHON_CODE
}

# Sets `python` to an interpreter that can make .venv; fails, and sets `python_failures` to the reasons, if there is none.
find_python() {
  local problem
  python=''
  python_failures=''
  if [[ -n "${PYTHON:-}" ]]; then
    set -- "$PYTHON"
  else
    set -- python3.13 python3.12 python3.11 python3
  fi
  for python in "$@"; do
    if command -v "$python" >/dev/null; then
      problem="$(python_problem "$python")"
    else
      problem='is not on the PATH'
    fi
    [[ -n "$problem" ]] || return 0
    python_failures+="  $python $problem"$'\n'
  done
  return 1
}

require_python() {
  find_python && return
  say 'error: Horus Sim needs Python 3.11 or newer with venv and headers; none of these is:'
  say "$python_failures"
  say_what_to_install
  say "To use an interpreter that is elsewhere: PYTHON=/path/to/python3.12 $0"
  exit 1
}

# Whether the command $1 compiles and links C++20.
compiles_cpp20() {
  local folder status=0
  folder="$(mktemp -d)"
  cat >"$folder/probe.cpp" <<'CPP_CODE'
#include <concepts>
#include <span>
template <std::floating_point T> T first(std::span<const T> values) { return values[0]; }
int main() {
  const double values[] = {0.0};
  return static_cast<int>(first(std::span<const double>(values)));
}
CPP_CODE
  # Unquoted: CXX may hold several words, such as "ccache g++".
  # shellcheck disable=SC2086
  $1 -std=c++20 "$folder/probe.cpp" -o "$folder/probe" >"$folder/log" 2>&1 || status=1
  rm -rf "$folder"
  return "$status"
}

# Exports CXX, a compiler that works; fails if there is none.
find_compiler() {
  local candidate
  if [[ -n "${CXX:-}" ]]; then
    compiles_cpp20 "$CXX"
    return
  fi
  for candidate in c++ g++ clang++; do
    if command -v "$candidate" >/dev/null && compiles_cpp20 "$candidate"; then
      export CXX="$candidate"
      return 0
    fi
  done
  return 1
}

require_compiler() {
  find_compiler && return
  if [[ -n "${CXX:-}" ]]; then
    say "error: CXX='$CXX' does not compile a small C++20 program; unset CXX or name another compiler."
  else
    say 'error: Horus Sim needs a C++20 compiler (g++ 11, clang++ 14 or newer); none of c++, g++, clang++ works.'
  fi
  say_what_to_install
  exit 1
}

# Compiled C++ is kept between checkouts where ccache is installed, in its own folder; CMake reads the first variable.
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER-ccache}"
  # Paths inside a checkout count from its root, so that another one finds what this one compiled.
  export CCACHE_BASEDIR="${CCACHE_BASEDIR-$root}" CCACHE_NOHASHDIR=true
fi

# Prints the digest of what an installation depends on, as seen by the interpreter that is or would be in .venv.
source_digest() {
  "${PYTHON:-$venv/bin/python}" -I "$root/scripts/source_digest.py" 2>/dev/null
}

write_stamp() {
  (printf '%s\n%s\n' "$1" "$2" && cd "$root" && find src -name '*.py') >"$stamp.new"
  mv "$stamp.new" "$stamp"
}

# Whether the finished installation has the digest $1, every extra of the list $2 and no module that is gone by now: an
# editable installation sees new modules by itself, but not that one was removed or became a package.
stamp_covers() {
  local digest extras extra module
  [[ -f "$stamp" ]] || return 1
  {
    read -r digest && [[ "$digest" == "$1" ]] || return 1
    read -r extras || return 1
    for extra in ${2//,/ }; do
      [[ ",$extras," == *",$extra,"* ]] || return 1
    done
    while read -r module; do
      [[ -f "$root/$module" ]] || return 1
    done
  } <"$stamp"
}

# The extras of list $1, and those that an earlier installation had: test.sh's stay when run.sh installs anew.
with_installed_extras() {
  local extras="$1" earlier='' extra
  if [[ -f "$stamp" ]]; then
    earlier="$(sed -n 2p "$stamp")"
  fi
  for extra in ${earlier//,/ }; do
    [[ ",$extras," == *",$extra,"* ]] || extras+=",$extra"
  done
  printf '%s' "$extras"
}

venv_is_healthy() {
  local mine wanted
  [[ -x "$venv/bin/python" && -z "$(python_problem "$venv/bin/python")" ]] || return 1
  # The scripts in a .venv hold its absolute path, so that a moved one is of no use. One made by hand has no such file.
  if [[ -f "$origin" && "$(cat "$origin")" != "$root" ]]; then
    return 1
  fi
  "$venv/bin/python" -m pip --version >/dev/null 2>&1 || return 1
  if [[ -n "${PYTHON:-}" ]]; then
    mine="$("$venv/bin/python" -c 'import sys; print(sys.version)')"
    wanted="$("$PYTHON" -c 'import sys; print(sys.version)' 2>/dev/null)"
    [[ "$mine" == "$wanted" ]]
  fi
}

make_venv() {
  say "Making .venv with $("$python" --version) ..."
  rm -rf "$venv"
  mkdir "$venv"
  echo incomplete >"$origin"
  "$python" -m venv "$venv" || die "'$python -m venv' failed, see above."
  printf '%s\n' "$root" >"$origin"
}

# Takes the lock of this checkout's .venv for the rest of this script, after whoever has it. The lock belongs to the open
# file 9, so that it outlives the interpreter that takes it and ends with the script.
lock_installation() {
  local take='import fcntl, sys; fcntl.flock(9, fcntl.LOCK_EX | (fcntl.LOCK_NB if sys.argv[1:] else 0))'
  exec 9>"$root/.venv.lock"
  if ! "$1" -I -c "$take" at-once 2>/dev/null; then
    say 'Another script is installing into .venv; waiting for it ...'
    "$1" -I -c "$take" || die "'$root/.venv.lock' cannot be locked; see above."
  fi
}

# Sets `uv` to the program of that name, which is installed into the folder $1 where it is not on the PATH.
find_uv() {
  uv="$(command -v uv || true)"
  if [[ -z "$uv" ]]; then
    "$python" -m venv "$1/uv"
    "$1/uv/bin/python" -m pip install --quiet --disable-pip-version-check uv
    uv="$1/uv/bin/uv"
  fi
  # It reads settings of its own, and not those of pip.
  export UV_FIND_LINKS="${UV_FIND_LINKS-${PIP_FIND_LINKS-}}"
}

# What has to be installed before the package can be built, one requirement a line; read by the interpreter $1 or .venv's.
build_requirements() {
  "${1:-$venv/bin/python}" -I - "$root/pyproject.toml" <<'PYTHON_CODE'
import pathlib
import sys
import tomllib

description = tomllib.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
print(*description["build-system"]["requires"], "cmake>=3.26", "ninja>=1.11", sep="\n")
PYTHON_CODE
}

# Shows on a terminal how far the installer has come that writes to the file $1, as long as process $2 runs.
show_progress() {
  local line='' latest began=$SECONDS
  [[ -t 2 ]] || return 0
  while kill -0 "$2" 2>/dev/null; do
    sleep 1
    # Most lines of an installer tell nobody anything; then the last one that does stays.
    latest="$(tail -n 40 "$1" | grep -E '^ *(Collecting|Downloading|Using cached|Installing|Building|\[[0-9]+/[0-9]+\])' | tail -n 1)" ||
      latest=''
    line="${latest:-$line}"
    printf '\r\033[K  %d:%02d  %.70s' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) "${line# }" >&2
  done
  printf '\r\033[K' >&2
}

# Runs `pip install` with the arguments behind $1, which says what is installed; shows its output only if it fails.
pip_install() {
  local what="$1" log="$venv/horus-install.log" installer
  shift
  (cd "$root" && exec "$venv/bin/python" -m pip install --disable-pip-version-check --no-compile --constraint "$constraints" "$@") >>"$log" 2>&1 9>&- &
  installer=$!
  # shellcheck disable=SC2064 # the process of now
  trap "kill $installer 2>/dev/null; exit 130" INT TERM HUP
  show_progress "$log" "$installer"
  if ! wait "$installer"; then
    cat "$log" >&2
    die "pip could not install $what; its output is above and in $log."
  fi
  trap - INT TERM HUP
}

# Installs the package with the extras of list $1 into .venv, unless nothing changed since the last time.
ensure_installed() {
  local digest
  if digest="$(source_digest)" && stamp_covers "$digest" "$1"; then
    return
  fi
  if venv_is_healthy; then python="$venv/bin/python"; else require_python; fi
  lock_installation "$python"
  # Another script may have done it meanwhile.
  if ! digest="$(source_digest)" || ! stamp_covers "$digest" "$1"; then
    install_anew "$1"
  fi
  exec 9>&-
}

# Installs the extras given as arguments, separated by spaces or commas, beside what is there.
install_extras() {
  local extra extras='all' known
  ensure_installed all
  known="$("$venv/bin/python" -I -c 'from importlib import metadata; print(*metadata.metadata("horus-sim").get_all("Provides-Extra"))')"
  for extra in ${*//,/ }; do
    [[ " $known " == *" $extra "* ]] || die "'$extra' is not an optional part of horus-sim; choose from ${known// /, }."
    [[ "$extra" == all ]] || extras+=",$extra"
  done
  [[ -n "${*//,/}" ]] || die "name what to install; choose from ${known// /, }."
  ensure_installed "$extras"
  say "Installed: horus-sim[$extras]."
}

install_anew() {
  local extras digest healthy=true
  venv_is_healthy || healthy=false
  $healthy || require_python
  require_compiler
  $healthy || make_venv
  digest="$(source_digest)" || die "'$venv/bin/python scripts/source_digest.py' failed; delete .venv and try again."
  extras="$(with_installed_extras "$1")"
  write_stamp unfinished "$extras"
  say "Installing horus-sim[$extras] into .venv (minutes the first time, it compiles) ..."
  : >"$venv/horus-install.log"
  # Unquoted: one requirement a word.
  # shellcheck disable=SC2046
  pip_install 'what builds horus-sim' $(build_requirements)
  case ",$extras," in
    *,train,* | *,ray,* | *,rsl,*) pip_install PyTorch "$TORCH" ;;
  esac
  # Without build isolation the compiler sees the same paths each time, so that its cache works.
  pip_install "horus-sim[$extras]" --verbose --no-build-isolation --editable ".[$extras]"
  write_stamp "$digest" "$extras"
}
