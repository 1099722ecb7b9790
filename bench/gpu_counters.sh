#!/bin/bash
# bench/gpu_counters.sh [BIN]: what a card's counters say of the kernels, for docs/performance.md,
# "Counters". Needs a GPU, Nsight Compute (ncu) with the right to read counters, and nvcc for the
# second part. BIN (default build/release/bin) holds tilescope-cli. Prints one line a counter.
#   1. each kernel once at its default tile (and mma_multistage without its swizzle)
#   2. how shared loads of 8 and 16 bytes are served: bench/shared_loads.cu
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=${1:-$root/build/release/bin}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lsu=l1tex__data_pipe_lsu_wavefronts_mem_shared
metrics=dram__bytes_read.sum,dram__bytes_write.sum
metrics+=,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_write.sum
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
metrics+=,$lsu.sum,${lsu}_op_ld.sum,${lsu}_op_st.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
metrics+=,smsp__inst_executed.sum,smsp__inst_executed_pipe_tensor.sum

table() {  # the counters of a CSV report, a line each
  python3 -c '
import csv, sys
rows = [line for line in open(sys.argv[1]) if line.startswith("\"")]
for r in csv.DictReader(rows): print(" ", r["ID"], r["Metric Name"], r["Metric Value"])' "$1"
}
failed=0
for run in "naive 1024" "vectorized 1024" "vectorized 2048" "mma_multistage 1024" \
           "mma_multistage 2048" "mma_multistage 1024 swizzle=0"; do
  read -r kernel size tile <<<"$run"
  echo "$run"
  # The first launch verifies; the second is measured.
  ncu --clock-control none --metrics "$metrics" --csv --target-processes all \
    --kernel-name regex:tilescope_gemm --launch-skip 1 --launch-count 1 \
    "$bin/tilescope-cli" bench --kernel "$kernel" --size "$size" ${tile:+--tile "$tile"} \
    --device cuda:0 --json >"$work/report.csv" || failed=1
  table "$work/report.csv"
done
echo "shared loads: patterns in the order of the launches, 1000 loads each"
nvcc -arch=native -o "$work/shared_loads" "$root/bench/shared_loads.cu" || exit 1
"$work/shared_loads" names
ncu --clock-control none --metrics ${lsu}_op_ld.sum --csv "$work/shared_loads" >"$work/report.csv" ||
  failed=1
table "$work/report.csv"
exit $failed
