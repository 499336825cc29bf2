#!/usr/bin/env bash
# Writes scripts/constraints.txt anew: the versions of everything that run.sh and test.sh install, for every Python and
# system. Run it to take newer releases, run ./test.sh, and commit the file.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

# Peers of the benchmarks are left out: some hold others back.
readonly EXTRAS=(all decompose dev horus onnx parquet pybullet ray rsl train video warp)

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
require_python
find_uv "$folder"
arguments=()
for extra in "${EXTRAS[@]}"; do
  arguments+=(--extra "$extra")
done
echo "$TORCH" >"$folder/torch.txt"
cp "$root/pyproject.toml" "$folder"
(cd "$folder" && "$uv" pip compile pyproject.toml "${arguments[@]}" --universal --python-version 3.11 --quiet \
  --no-annotate --no-header --constraint torch.txt --output-file found.txt)
{
  echo '# Made by scripts/lock.sh. What run.sh and test.sh install, on every Python and system.'
  # PyTorch is chosen by the scripts; what it brings for GPUs differs between its builds.
  grep -vE '^(torch|triton|nvidia-[a-z0-9-]+|cuda-[a-z-]+)==' "$folder/found.txt"
} >"$root/scripts/constraints.txt"
say "Written: scripts/constraints.txt, $(grep -c == "$root/scripts/constraints.txt") versions."
