#!/bin/bash
# bench/gpu_sweeps.sh [BIN]: the recordings beside those of bench/gpu_session.sh, on a machine with a
# GPU: combinations of sliders at 4096³, then each slider by itself, the others at their defaults, at
# several sizes; and the proof of every lane map. Writes into $OUT (default out/gpu_sweeps):
#   sweeps.jsonl   → assets/recordings/<gpu>-sweeps-<date>.json
#   sliders.jsonl  → assets/recordings/<gpu>-sliders-<date>.json
#   proofs.jsonl   → assets/recordings/proofs-<gpu>-<date>.json
# A sweep goes on where it was stopped. More than ten minutes on an H200: what it is cut off in, the
# next run goes on with.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=${1:-$root/build/release/bin}
out=${OUT:-$root/out/gpu_sweeps}
mkdir -p "$out"
failed=0
sweep() {  # sweep FILE KERNEL SIZE AXIS…
  local file=$1 kernel=$2 size=$3 axes=()
  shift 3
  for axis in "$@"; do axes+=(--axis "$axis"); done
  "$bin/tilescope-cli" sweep --kernel "$kernel" --size "$size" --device cuda:0 "${axes[@]}" \
    --out "$out/$file.jsonl" >/dev/null || failed=1
}
sliders() {  # sliders KERNEL SIZE AXIS…: one axis at a time
  local kernel=$1 size=$2
  shift 2
  for axis in "$@"; do sweep sliders "$kernel" "$size" "$axis"; done
}

sweep sweeps mma_multistage 4096 block_m=64,128,256 block_n=64,128,256 block_k=32,64 warp_m=32,64 \
  warp_n=32,64 stages=2,3,4
sweep sweeps block_tile 4096 block_m=8,16,32 block_n=32,64 block_k=8,16,32
sweep sweeps thread_tile_1d 4096 block_m=64,128 block_n=64,128 block_k=8,16 thread_m=4,8,16
for kernel in thread_tile_2d vectorized double_buffer; do
  sweep sweeps $kernel 4096 block_m=64,128 block_n=64,128 block_k=8,16 thread_m=4,8 thread_n=4,8
done
sweep sweeps double_buffer 4096 block_m=64,128 block_n=128 block_k=8,16 thread_m=8 thread_n=4,8 prefetch=1
sweep sweeps warp_tile 4096 block_m=128,256 block_n=128,256 block_k=8,16 warp_m=64,128 warp_n=32,64 \
  thread_m=4,8 thread_n=4,8 prefetch=0,1
sweep sweeps mma_sync 4096 block_m=64,128,256 block_n=64,128,256 block_k=32,64 warp_m=32,64 warp_n=32,64
sweep sweeps mma_persistent 4096 block_m=64,128,256 block_n=128,256 block_k=32,64 stages=3,4 \
  min_ctas=1,2
sweep sweeps wmma 4096 block_m=64,128 block_n=64,128 block_k=32,64 warp_m=32,64 warp_n=32,64 warps_k=1,2
sweep sweeps mma_stream_k 4096 block_m=64,128,256 block_n=128,256 block_k=32,64 stages=3,4 \
  splits=0,1,2 min_ctas=1,2
# A wave and a bit, and few tiles of a deep k: what sharing out slices is for.
for size in 1536x1536x8192 512x512x16384 128x8192x8192; do
  sweep sweeps mma_stream_k $size splits=0,1,2,4,8,16,32 min_ctas=1,2
done
for size in 1024 2048 4096 8192; do
  sliders mma_multistage $size block_m=32,64,256 block_n=32,64,256 block_k=16,32,128 \
    warp_m=16,32,128 warp_n=16,32,128 stages=2,4,5,6 raster=1,2,4,16,32 swizzle=0
done
for size in 1024 2048 4096 8192; do
  sliders mma_stream_k $size block_m=64,256 block_n=64,256 block_k=32 splits=1,2,4,8 min_ctas=2
done
for size in 1024 4096; do
  for kernel in thread_tile_2d vectorized; do
    sliders $kernel $size block_m=16,32,64,256 block_n=16,32,64,256 block_k=4,16,32 \
      thread_m=1,2,4,16 thread_n=1,2,4,16
  done
done
for size in 1024 2048 4096 8192; do
  sliders wmma $size block_m=32,64 block_n=32,64 block_k=32 warp_m=16,32 warp_n=16,32 warps_k=2
done
for size in 1024 2048; do
  sliders naive $size block_m=8,16,64,128 block_n=1,2,4,16,32
done
"$bin/tilescope-cli" fragments --prove --all --device cuda:0 --record "$out/proofs.jsonl" >/dev/null ||
  failed=1
exit $failed
