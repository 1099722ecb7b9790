#!/bin/bash
# bench/mma_rounding.sh [PROGRAM]: how a card's matrix products round beside the emulator's, for
# docs/emulator.md. Needs a GPU of compute capability 8.9 or more, and nvcc unless PROGRAM is given,
# made elsewhere by: nvcc -O2 -std=c++17 -arch=sm_90 -o PROGRAM bench/mma_rounding.cu
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "$program" ]; then
  program=$work/mma_rounding
  nvcc -O2 -std=c++17 -arch=native -o "$program" "$root/bench/mma_rounding.cu" || exit 1
fi
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
"$program"
