# shellcheck shell=bash
# Roots of Debian, in which wheels are tested: fresh machines in a folder. Sourced by test-fresh-root.sh and
# test-pythons.sh behind environment.sh; runs nothing.
#
#   HORUS_ROOTS     folder that keeps them for the next time (else horus-sim/roots in the user's cache folder)
#   DEBIAN_MIRROR   where debootstrap takes packages from (else debootstrap's own)

roots="${HORUS_ROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/horus-sim/roots}"

require_roots() {
  local program
  [[ "$(uname -s)" == Linux ]] || die 'roots of Debian need Linux.'
  [[ "$(id -u)" -eq 0 ]] || die "making and entering a root needs the rights of root; run: sudo $0"
  for program in debootstrap unshare chroot; do
    command -v "$program" >/dev/null || die "'$program' is not installed (Debian: apt-get install debootstrap util-linux)."
  done
  unshare --mount --pid --net --fork true 2>/dev/null ||
    die "this machine does not let '$0' make namespaces (unshare --mount --pid --net); in a container it needs --privileged."
}

# Makes the root $1 of the suite $2 with the packages $3, separated by commas, unless it is there with these.
make_root() {
  local folder="$roots/$1"
  [[ -f "$folder.complete" && "$(cat "$folder.complete")" == "$2 $3" ]] && return
  say "Making a root of Debian $2 in $folder (minutes, once) ..."
  rm -rf "$folder" "$folder.complete"
  mkdir -p "$roots"
  debootstrap --variant=minbase --include="$3" "$2" "$folder" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} >"$folder.log" 2>&1 || {
    tail -n 20 "$folder.log" >&2
    die "debootstrap could not make Debian $2; its log is in $folder.log, and what is the matter mostly in $folder/debootstrap/debootstrap.log."
  }
  echo "$2 $3" >"$folder.complete"
}

# Runs the shell commands $3 in the root $1 and in namespaces that end with them; what they write goes to a layer $2 above
# the root, which is a folder that keeps it. Further arguments are bound: FOLDER:PLACE, or FOLDER:PLACE:ro.
#   enter_root ROOT LAYER COMMANDS [BIND ...]             with the network of this machine
#   offline=true enter_root ROOT LAYER COMMANDS [BIND ...] with a loopback interface alone
enter_root() {
  local base="$roots/$1" layer="$2" commands="$3"
  local -a net=()
  shift 3
  mkdir -p "$layer/upper" "$layer/work" "$layer/root"
  if [[ "${offline:-false}" == true ]]; then net=(--net); fi
  env OFFLINE="${offline:-false}" unshare --mount --pid --fork --kill-child "${net[@]}" \
    bash -c "$ENTER" enter "$base" "$layer" "$commands" "$@"
}

# What happens in the namespaces, before the root is entered.
# shellcheck disable=SC2016 # expanded there
readonly ENTER='
set -euo pipefail
base="$1" root="$2/root" commands="$3"
mount -t overlay overlay -o "lowerdir=$base,upperdir=$2/upper,workdir=$2/work" "$root"
shift 3
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
bind() {
  if [[ -d "$1" ]]; then mkdir -p "$root/$2"; else mkdir -p "$(dirname "$root/$2")"; touch "$root/$2"; fi
  mount --bind "$1" "$root/$2"
  [[ "${3:-}" != ro ]] || mount -o remount,bind,ro "$root/$2"
}
if $OFFLINE; then
  # By the program of the base system: iproute2 may be missing.
  python3 -c "
import fcntl, socket, struct
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    fcntl.ioctl(s, 0x8914, struct.pack(\"16sH14x\", b\"lo\", 0x49))  # SIOCSIFFLAGS: up, running
"
else
  bind "$(readlink -f /etc/resolv.conf)" etc/resolv.conf ro
  # As the machine trusts, so do those in the root: some reach their registries through a proxy of their own.
  [[ ! -f /etc/ssl/certs/ca-certificates.crt ]] || bind /etc/ssl/certs/ca-certificates.crt etc/ssl/certs/ca-certificates.crt ro
fi
for one in "$@"; do
  IFS=: read -r from to mode <<<"$one"
  bind "$from" "$to" "$mode"
done
exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
  ${PIP_INDEX_URL:+PIP_INDEX_URL="$PIP_INDEX_URL"} ${PIP_CERT:+PIP_CERT="$PIP_CERT"} PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore \
  ${https_proxy:+https_proxy="$https_proxy"} COLUMNS=100 bash -euo pipefail -c "$commands"
'
