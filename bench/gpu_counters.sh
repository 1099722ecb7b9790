#!/bin/bash
# bench/gpu_counters.sh [BIN]: what a card's counters say of the kernels, for docs/performance.md,
# "Counters". Needs a GPU, Nsight Compute (ncu) with the right to read counters, and nvcc for the
# second part. BIN (default build/release/bin) holds tilescope-cli. Prints one line per counter.
#   1. each kernel once at its default tile (and mma_multistage without its swizzle)
#   2. how shared loads of 8 and 16 bytes are served: bench/shared_loads.cu
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=${1:-$root/build/release/bin}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lsu=l1tex__data_pipe_lsu_wavefronts_mem_shared

table() {  # the counters of a CSV report, a line each
  python3 -c '
import csv, sys
rows = [line for line in open(sys.argv[1]) if line.startswith("\"")]
for r in csv.DictReader(rows): print(" ", r["ID"], r["Metric Name"], r["Metric Value"])' "$1"
}
counters() {  # those of bench --counters --json, a line each
  python3 -c '
import json, sys
for name, value in (json.load(sys.stdin)[0]["counters"] or {}).items(): print(" ", name, value)'
}
failed=0
for run in "naive 1024" "vectorized 1024" "vectorized 2048" "mma_multistage 1024" \
           "mma_multistage 2048" "mma_multistage 1024 swizzle=0"; do
  read -r kernel size tile <<<"$run"
  echo "$run"
  "$bin/tilescope-cli" bench --counters --kernel "$kernel" --size "$size" ${tile:+--tile "$tile"} \
    --device cuda:0 --json >"$work/result.json" || failed=1
  counters <"$work/result.json"
done
echo "shared loads: patterns in the order of the launches, 1000 loads each"
nvcc -arch=native -o "$work/shared_loads" "$root/bench/shared_loads.cu" || exit 1
"$work/shared_loads" names
ncu --clock-control none --metrics ${lsu}_op_ld.sum --csv "$work/shared_loads" >"$work/report.csv" ||
  failed=1
table "$work/report.csv"
exit $failed
