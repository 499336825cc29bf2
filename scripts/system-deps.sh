#!/usr/bin/env bash
# Installs the packages of Debian, Ubuntu or Fedora that are missing, and nothing if none is.
#
#   scripts/system-deps.sh             what building and testing need (the same as: build)
#   scripts/system-deps.sh gl browser  these groups: build, cache (compiles once for all checkouts), gl (cameras),
#                                      browser (tests of the pages), or all
#
# Uses sudo unless it runs as root. On systems without apt-get and dnf it only says what is missing.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

# group | package of Debian | of Fedora | what for | check: succeeds when the package is not needed
readonly TABLE='
build   | g++             | gcc-c++           | compiles the C++ core                 | find_compiler
build   | python3-venv    | python3           | makes .venv                           | find_python
build   | python3-dev     | python3-devel     | headers to compile the extension with | find_python
cache   | ccache          | ccache            | keeps compiled C++ between checkouts  | has_ccache
gl      | libegl1         | mesa-libEGL       | cameras in 3D without a display       | has_library libEGL.so.1
gl      | libopengl0      | libglvnd-opengl   | cameras in 3D                         | has_library libOpenGL.so.0
gl      | libgl1-mesa-dri | mesa-dri-drivers  | cameras in 3D without a GPU           | has_package libgl1-mesa-dri mesa-dri-drivers
browser | chromium-headless-shell | chromium | tests of the browser pages     | has_browser
'

# apt-get, dnf, or empty where neither is there.
manager="$(command -v apt-get || command -v dnf || true)"
manager="${manager##*/}"

has_library() {
  PATH="$PATH:/sbin:/usr/sbin" ldconfig -p | grep "^[[:space:]]*$1 " >/dev/null
}

# Whether the package $1 of Debian, or $2 of Fedora, is installed.
has_package() {
  if [[ "$manager" == dnf ]]; then
    rpm --query "$2" >/dev/null 2>&1
  else
    [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
  fi
}

has_ccache() {
  command -v ccache
} >/dev/null

# The headless shell opens a page in half the time of the whole browser, which serves where there is no such package.
has_browser() {
  command -v chromium-headless-shell ||
    { [[ "$manager" != apt-get ]] && { command -v chromium || command -v chromium-browser || command -v google-chrome; }; }
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
while IFS='|' read -r group package of_fedora purpose check; do
  group="${group// /}"
  package="${package// /}"
  [[ "$manager" != dnf ]] || package="${of_fedora// /}"
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
elif [[ "$manager" == dnf ]]; then
  as_root dnf install --assumeyes --quiet "${missing[@]}"
elif [[ -z "$manager" ]]; then
  say 'There is neither apt-get nor dnf: nothing was installed; install the above with the package manager of this system.'
else
  as_root apt-get update --quiet
  for i in "${!missing[@]}"; do
    if [[ "${missing[$i]}" == chromium-headless-shell ]] && ! is_known_to_apt chromium-headless-shell; then
      missing[i]=chromium
    fi
  done
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends "${missing[@]}"
fi
