#!/usr/bin/env bash
# The proof that Horus Sim installs from its wheel: on a Debian that has Python and nothing else, without a compiler and
# without network, the command line checks itself, drives through a warehouse and serves a page.
#
#   scripts/test-fresh-root.sh WHEEL            with the extras that need no more than Python: [all]
#   scripts/test-fresh-root.sh WHEEL bookworm   in another suite of Debian than trixie
#
# The root is made by debootstrap once and stays as it was; what a run writes is thrown away. The wheels of what Horus Sim
# depends on are fetched first, into a folder that is all that pip sees afterwards. Needs the rights of root; HORUS_ROOTS
# and DEBIAN_MIRROR as in scripts/debian-roots.sh.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/debian-roots.sh
source "$(dirname "${BASH_SOURCE[0]}")/debian-roots.sh"

[[ $# -ge 1 && $# -le 2 ]] || die 'name the wheel to test; usage: scripts/test-fresh-root.sh WHEEL [SUITE]'
wheel="$1"
suite="${2:-trixie}"
[[ -f "$wheel" && "$wheel" == *.whl ]] || die "'$wheel' is no wheel; scripts/build-wheels.sh makes one."
require_roots
make_root "fresh-$suite" "$suite" python3,python3-venv

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
wheelhouse="$roots/wheelhouse-$suite"
mkdir -p "$wheelhouse" "$roots/pip-cache"
rm -f "$wheelhouse"/horus_sim-*
cp "$wheel" "$wheelhouse"

say "-- fetching what horus-sim[all] depends on, as wheels"
# shellcheck disable=SC2016 # expanded in the root
enter_root "fresh-$suite" "$work/fetching" '
python3 -m venv /tools
/tools/bin/pip download --quiet --only-binary :all: --dest /wheelhouse "$(echo /wheelhouse/horus_sim-*.whl)[all]"
' "$wheelhouse:/wheelhouse" "$roots/pip-cache:/root/.cache/pip" || die 'the dependencies could not be fetched, see above.'

say "-- a fresh $suite without compiler and network"
# shellcheck disable=SC2016
offline=true enter_root "fresh-$suite" "$work/fresh" '
for program in cc c++ gcc g++ clang clang++ cmake make; do
  if command -v "$program"; then echo "error: the root has a compiler" >&2; exit 1; fi
done
if python3 -c "import socket; socket.create_connection((\"1.1.1.1\", 443), 2)" 2>/dev/null; then
  echo "error: the root has a network" >&2; exit 1
fi
cat /etc/debian_version; python3 --version
python3 -m venv /venv
/venv/bin/pip install --quiet --no-index --find-links /wheelhouse "horus-sim[all]"
echo "-- horus-sim doctor"
/venv/bin/horus-sim doctor
echo "-- horus-sim sim3d warehouse --headless --duration 10"
/venv/bin/horus-sim sim3d warehouse --headless --duration 10
echo "-- horus-sim sim3d warehouse --no-open --port 8765"
/venv/bin/horus-sim sim3d warehouse --no-open --port 8765 >/tmp/server.log 2>&1 &
server=$!
/venv/bin/python - <<PYTHON_CODE || { cat /tmp/server.log >&2; exit 1; }
import http.cookiejar, pathlib, re, time, urllib.parse, urllib.request

# The address comes with the token that the page asks for, once the server listens.
log, give_up = pathlib.Path("/tmp/server.log"), time.monotonic() + 120
while (found := re.search(r"http://127\.0\.0\.1:8765/\S*", log.read_text())) is None:
    assert time.monotonic() < give_up, "the server does not start"
    time.sleep(0.2)
address = found[0]
browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
page = browser.open(address, timeout=120).read().decode()
title = re.search("<title>(.*?)</title>", page, re.DOTALL)
assert title is not None and "Horus Sim" in title[1], page[:500]
parts = sorted(set(re.findall(r"(?:src|href)=\"([^\"#]+)\"", page)))
elsewhere = [part for part in parts if part.startswith(("http:", "https:", "//"))]
assert not elsewhere, f"the page asks the network for {elsewhere}"
for part in parts:
    browser.open(urllib.parse.urljoin(address, part), timeout=120).read()
print(f"served: {len(page)} bytes titled {title[1]!r}, and {len(parts)} files that it names")
PYTHON_CODE
kill "$server"
code=0
wait "$server" || code=$?
[[ $code == 0 || $code == 143 ]] || { cat /tmp/server.log >&2; echo "error: the server ended with $code" >&2; exit 1; }
' "$wheelhouse:/wheelhouse:ro" || die 'the wheel does not serve on a fresh machine, see above.'
say 'Passed.'
