#!/bin/bash
# bench/gpu_session.sh [BIN]: on a machine with a GPU, everything that a recording needs, in one go.
# Nothing is built or fetched: BIN (default build/release/bin) holds tilescope-cli and gpu_test, made
# elsewhere on the same kind of system. NVRTC is found as usual, or named by TILESCOPE_NVRTC.
# Writes into $OUT (default out/gpu_session):
#   machine.txt      the card, its driver and state
#   gpu_test.json    every kernel right on the card, registers, lane maps (GoogleTest's report)
#   slider.json      from a moved slider to the first TFLOPS
#   doctor.json      what the worker found
#   recordings.json  each kernel at each size next to cuBLASLt, a line of JSON each (docs/recordings.md)
# Ends with 0 if every part ran; what failed is named on stderr, and the rest still runs.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=${1:-$root/build/release/bin}
export OUT=${OUT:-$root/out/gpu_session}
mkdir -p "$OUT"
failed=0
part() {  # part NAME COMMAND…
  local name=$1
  shift
  echo "gpu_session: $name" >&2
  "$@" || { echo "gpu_session: $name failed ($?)" >&2; failed=1; }
}

machine() { nvidia-smi -q >"$OUT/machine.txt"; }
gpu_tests() { "$bin/gpu_test" --gtest_output=json:"$OUT/gpu_test.json" >"$OUT/gpu_test.txt" 2>&1; }
doctor() { "$bin/tilescope-cli" doctor --json >"$OUT/doctor.json"; }
record() {  # record KERNEL SIZE: appends one line
  local answer
  answer=$("$bin/tilescope-cli" bench --json --device cuda:0 --kernel "$1" --size "$2") || return
  printf '%s' "$answer" | python3 -c '
import json, sys
for result in json.load(sys.stdin):
    print(json.dumps(result))' >>"$OUT/recordings.json"
}

part "machine" machine
part "tests on the card" gpu_tests
part "doctor" doctor
rm -f "$OUT/recordings.json"
ladder=$("$bin/tilescope-cli" kernels --json |
  python3 -c 'import json, sys; print(*(k["id"] for k in json.load(sys.stdin)))')
slow=" naive coalesced block_tile thread_tile_1d "  # take minutes at the largest size and show nothing new there
for kernel in $ladder; do
  for size in 1024 2048 4096 8192; do
    [[ "$size" = 8192 && "$slow" == *" $kernel "* ]] && continue
    part "$kernel at $size" record "$kernel" "$size"
  done
done
part "state after" nvidia-smi --query-gpu=clocks.sm,power.draw,temperature.gpu --format=csv
exit $failed
