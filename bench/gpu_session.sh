#!/bin/bash
# bench/gpu_session.sh [BIN]: on a machine with a GPU, what must hold before anything is recorded;
# bench/record records then.
# Nothing is built or fetched: BIN (default build/release/bin) holds tilescope-cli and gpu_test, made
# elsewhere on the same kind of system. NVRTC is found as usual, or named by TILESCOPE_NVRTC.
# Writes into $OUT (default out/gpu_session):
#   machine.txt      the card, its driver and state
#   gpu_test.json    every kernel right on the card, registers, lane maps (GoogleTest's report)
#   doctor.json      what the worker found
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

part "machine" machine
part "tests on the card" gpu_tests
part "doctor" doctor
part "state after" nvidia-smi --query-gpu=clocks.sm,power.draw,temperature.gpu --format=csv
exit $failed
