# shellcheck shell=bash
# Finds the tools, makes .venv and keeps it current. Sourced by run.sh, test.sh and the scripts beside it; runs nothing.
#
#   PYTHON   interpreter to make .venv with (else the first of python3.13, 3.12, 3.11, python3 that works)
#   CXX      C++20 compiler (else the first of c++, g++, clang++ that works)

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
venv="$root/.venv"
stamp="$venv/horus-stamp"   # digest of what is installed, written when pip is done; extras; modules
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

# Installs the package with the extras of list $1 into .venv, unless nothing changed since the last time.
ensure_installed() {
  local extras digest healthy=true log="$venv/horus-install.log"
  if digest="$(source_digest)" && stamp_covers "$digest" "$1"; then
    return
  fi
  venv_is_healthy || healthy=false
  $healthy || require_python
  require_compiler
  $healthy || make_venv
  digest="$(source_digest)" || die "'$venv/bin/python scripts/source_digest.py' failed; delete .venv and try again."
  extras="$(with_installed_extras "$1")"
  write_stamp unfinished "$extras"
  say "Installing horus-sim[$extras] into .venv (minutes the first time, it compiles) ..."
  if ! (cd "$root" && "$venv/bin/python" -m pip install --disable-pip-version-check --no-compile --editable ".[$extras]") \
    >"$log" 2>&1; then
    cat "$log" >&2
    die "pip could not install horus-sim[$extras]; its output is above and in $log."
  fi
  write_stamp "$digest" "$extras"
}
