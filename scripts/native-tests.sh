#!/usr/bin/env bash
# Builds and runs the C++ unit tests: with AddressSanitizer and UBSan, with ThreadSanitizer, or as released.
#
#   scripts/native-tests.sh                      with the sanitizers
#   scripts/native-tests.sh plain                only these: plain, address,undefined, thread
#
# A sanitizer that the machine lacks is skipped with a message, and is an error where CI=true.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

# ThreadSanitizer aborts ("unexpected memory mapping") on kernels that randomize addresses more than it knows.
without_address_randomization() {
  if command -v setarch >/dev/null && setarch "$(uname -m)" -R true 2>/dev/null; then
    setarch "$(uname -m)" -R "$@"
  else
    "$@"
  fi
}

# Whether a program built with the sanitizers $1 starts here.
sanitizer_works() {
  local folder status=0
  folder="$(mktemp -d)"
  printf 'int main() { return 0; }\n' >"$folder/probe.cpp"
  # Unquoted: CXX may hold several words, such as "ccache g++".
  # shellcheck disable=SC2086
  { $CXX "-fsanitize=$1" "$folder/probe.cpp" -o "$folder/probe" &&
    without_address_randomization "$folder/probe"; } >"$folder/log" 2>&1 || status=1
  if [[ $status -ne 0 ]]; then
    cat "$folder/log" >&2
  fi
  rm -rf "$folder"
  return "$status"
}

refuse_or_skip() {
  say "A program compiled by $CXX with -fsanitize=$1 does not build or run here (see above). Its runtime is in"
  say "  Debian, Ubuntu: libgcc-VERSION-dev for g++ (comes with g++), libclang-rt-VERSION-dev for clang++"
  say "  Fedora:         libasan libubsan libtsan for g++, compiler-rt for clang++"
  if [[ "${CI:-}" == true ]]; then
    die "the C++ tests with -fsanitize=$1 cannot run, and CI=true asks for all of them."
  fi
  say "SKIPPED: C++ tests with -fsanitize=$1"
}

run_variant() {
  local variant="$1" sanitize='' build_type=Release build
  if [[ "$variant" != plain ]]; then
    sanitize="$variant"
    build_type=RelWithDebInfo
    if ! sanitizer_works "$sanitize"; then
      refuse_or_skip "$sanitize"
      return
    fi
  fi
  say "-- C++ tests, $variant"
  build="$root/build/native-${variant/,/-}"
  # CMake refuses a build folder that came along when the repository was moved or copied.
  if [[ -f "$build/CMakeCache.txt" ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
    rm -rf "$build"
  fi
  "$venv/bin/cmake" -S "$root" -B "$build" -G Ninja -DCMAKE_MAKE_PROGRAM="$venv/bin/ninja" --log-level=WARNING \
    -DCMAKE_BUILD_TYPE="$build_type" -DHORUS_NATIVE_TESTS=ON -DHORUS_SANITIZE="$sanitize"
  "$venv/bin/cmake" --build "$build"
  without_address_randomization "$venv/bin/ctest" --test-dir "$build/native" --output-on-failure --no-tests=error
}

ensure_installed all,dev
require_compiler
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=1}"

if [[ $# -eq 0 ]]; then
  # As released the code is tested from Python.
  set -- address,undefined thread
fi
for variant in "$@"; do
  case "$variant" in
    plain | address,undefined | thread) run_variant "$variant" ;;
    *) die "'$variant' is no variant; choose from plain, address,undefined and thread." ;;
  esac
done
