#!/usr/bin/env bash
# Installs the Debian packages that are missing, and nothing if none is.
#
#   scripts/system-deps.sh             what building and testing need (the same as: build)
#   scripts/system-deps.sh gl browser  these groups: build, cache (compiles once for all checkouts), gl (cameras),
#                                      browser (tests of the pages), or all
#
# Uses sudo unless it runs as root. On systems without apt-get it only says what is missing.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

# group | package | what for | check: succeeds when the package is not needed
readonly TABLE='
build   | g++             | compiles the C++ core                 | find_compiler
build   | python3-venv    | makes .venv                           | find_python
build   | python3-dev     | headers to compile the extension with | find_python
cache   | ccache          | keeps compiled C++ between checkouts  | has_ccache
gl      | libegl1         | cameras in 3D without a display       | has_library libEGL.so.1
gl      | libgl1-mesa-dri | cameras in 3D without a GPU           | has_package libgl1-mesa-dri
browser | chromium-headless-shell | tests of the browser pages    | has_browser
'

has_library() {
  PATH="$PATH:/sbin:/usr/sbin" ldconfig -p | grep "^[[:space:]]*$1 " >/dev/null
}

has_package() {
  [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

has_ccache() {
  command -v ccache
} >/dev/null

# The headless shell opens a page in half the time of the whole browser, which serves where there is no such package.
has_browser() {
  command -v chromium-headless-shell ||
    { ! command -v apt-get && { command -v chromium || command -v chromium-browser || command -v google-chrome; }; }
} >/dev/null

is_known_to_apt() {
  [[ -n "$(apt-cache show "$1" 2>/dev/null)" ]]
}

as_root() {
  if [[ "$(id -u)" -eq 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "'$*' needs root and there is no sudo; run it as root."
  fi
}

groups=" ${*:-build} "
for group in $groups; do
  case "$group" in
    build | cache | gl | browser | all) ;;
    *) die "'$group' is no group of packages; choose from build, cache, gl, browser and all." ;;
  esac
done

missing=()
while IFS='|' read -r group package purpose check; do
  group="${group// /}"
  package="${package// /}"
  [[ -n "$package" && ("$groups" == *" $group "* || "$groups" == *" all "*) ]] || continue
  read -r purpose <<<"$purpose" # trims
  read -r -a command <<<"$check"
  if ! "${command[@]}"; then
    say "missing: $package ($purpose)"
    missing+=("$package")
  fi
done <<<"$TABLE"

if [[ ${#missing[@]} -eq 0 ]]; then
  say "System packages:${groups}complete."
elif ! command -v apt-get >/dev/null; then
  say 'This is not a Debian system: nothing was installed; install the above with its own package manager.'
else
  as_root apt-get update --quiet
  for i in "${!missing[@]}"; do
    if [[ "${missing[$i]}" == chromium-headless-shell ]] && ! is_known_to_apt chromium-headless-shell; then
      missing[i]=chromium
    fi
  done
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends "${missing[@]}"
fi
