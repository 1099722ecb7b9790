#!/bin/bash
# bench/gpu_own.sh [BIN]: kernels of one's own on a real card: right, timed, and what goes wrong.
# Nothing is built or fetched: BIN (default build/release/bin) holds tilescope-cli, made elsewhere on
# the same kind of system. NVRTC and CUDA's headers are found as usual, or named by TILESCOPE_NVRTC.
# Writes what each run printed into $OUT/own.txt (default out/gpu_own) and prints one line a run:
# "ok" where exit code and words are as expected. Ends with 0 if all are. Takes some three minutes.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${OUT:-$root/out/gpu_own}
device=${DEVICE:-cuda:0}
mkdir -p "$out"
bin=$(realpath "${1:-$root/build/release/bin}") out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$root/tests/own/sources/." "$work"
cd "$work" || exit 1
: >"$out/own.txt"
failed=0

# run NAME CODE WORDS OPTION…: ends with CODE and prints WORDS (an extended regular expression).
run() {
  local name=$1 code=$2 words=$3 got begin=$SECONDS said verdict=ok
  shift 3
  said=$("$bin/tilescope-cli" bench --device "$device" --seconds 0.5 "$@" 2>&1)
  got=$?
  { [[ $got -eq $code ]] && grep -qE -- "$words" <<<"$said"; } || { verdict="NOT AS EXPECTED"; failed=1; }
  printf '== %s: bench %s\n%s\nends with %s (%s expected), words: %s\n\n' "$name" "$*" "$said" "$got" "$code" \
    "$words" >>"$out/own.txt"
  printf '%-15s %-28s %2d s  %s\n' "$verdict" "$name" $((SECONDS - begin)) \
    "$(grep -m1 -E "^($words)|$words" <<<"$said" | cut -c1-150)"
}
gemm() {  # NAME SIZE OPTION…
  local name=$1 size=$2
  shift 2
  run "$name $size" 0 'FLOPS.*elements right' --gemm "$size" --no-counts "$@"
}

cat >bad.cu <<'CU'
#include <cassert>
#include <cstdio>
__global__ void hangs(const float* in, float* out) {
  volatile const float* at = in;
  while (at[threadIdx.x] > -100.0f) {}
  out[threadIdx.x] = 1;
}
__global__ void faults(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x + (1 << 30)]; }
__global__ void misaligned(const float* in, float* out) {
  out[threadIdx.x] = *reinterpret_cast<const float*>(reinterpret_cast<const char*>(in) + 2);
}
__global__ void asserts(const float* in, float* out) {
  assert(in[threadIdx.x] > 100);
  out[threadIdx.x] = 1;
}
__global__ void prints(const float* in, float* out) {
  if (threadIdx.x == 3) printf("from thread %d: Content-Length: 99\n", threadIdx.x);
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void doubles(const float* in, float* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
__global__ void copies_through_shared(const float* in, float* out) {
  extern __shared__ float held[];
  held[25000 + threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = held[25000 + threadIdx.x];
}
// A launch that finds the tickets of the one before does something else.
__global__ void takes_tickets(unsigned* next, const float* in, float* out) {
  __shared__ unsigned mine;
  if (threadIdx.x == 0) mine = atomicAdd(next, 1);
  __syncthreads();
  if (mine >= gridDim.x) __trap();
  out[mine * 32 + threadIdx.x] = in[mine * 32 + threadIdx.x];
}
__global__ void wrong(int M, int N, int K, const float* A, const float* B, float* C) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[col * K + k];
  C[row * N + col] = sum;
}
int main() { doubles<<<1, 32>>>(nullptr, nullptr); }
__global__ void __cluster_dims__(2, 1, 1) clustered(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
CU
small=(--grid 1 --block 32 --arg buf:f32:1x32:random:in buf:f32:1x32:zeros:out --no-counts)
"$bin/tilescope-cli" doctor | grep -iE 'driver|nvrtc|cublas' | cut -c1-140

for size in 128 512 1024 2048; do gemm naive $size --cu sgemm.cu --entry sgemm_naive; done
for size in 256 1024 2048 4096; do
  gemm 'shared block' $size --cu sgemm.cu --entry 'sgemm_shared_block<32>'
  gemm '2D block tiling' $size --cu sgemm.cu --entry 'sgemm2DBlocktiling<128,128,8,8,8>'
done
gemm '2D block tiling' 8192 --cu sgemm.cu --entry 'sgemm2DBlocktiling<128,128,8,8,8>'
gemm '2D, skinny' 256x4096x4096 --cu sgemm.cu --entry 'sgemm2DBlocktiling<128,128,8,8,8>'
gemm '2D, alpha and beta' 1024 --cu sgemm.cu --entry 'sgemm2DBlocktiling<128,128,8,8,8>' --alpha 2 --beta 0.5
for size in 256 1024 4096; do gemm 'wmma, half' $size --cu wmma.cu; done
run 'counted and checked' 0 '65,536 of 65,536 elements right' --cu sgemm.cu --gemm 256 \
  --entry 'sgemm2DBlocktiling<128,128,8,8,8>'
run 'a rung, beside it' 0 'TFLOPS \(measured\)' --kernel thread_tile_2d --size 4096 --no-counts
run 'wrong C' 1 'it is right for --layout TN' --cu bad.cu --entry wrong --gemm 1024 --shared 0 --grid 64,64 --block 16,16 --no-counts
run 'wrong C, large' 1 'it is right for --layout TN' --cu bad.cu --entry wrong --gemm 4096 --shared 0 --grid 256,256 \
  --block 16,16 --no-counts
run 'never ends' 4 'hangs.* was not done after 3 s' --cu bad.cu --entry hangs --time-limit 3 "${small[@]}"
# Where it lies decides how the card calls it.
run 'illegal address' 4 'Kernel faulted: (illegal address|an address of the wrong memory space) in faults' --cu bad.cu --entry faults "${small[@]}"
run 'misaligned' 4 'Kernel faulted: misaligned address' --cu bad.cu --entry misaligned "${small[@]}"
run 'an assertion' 4 'Kernel faulted: an assertion failed' --cu bad.cu --entry asserts "${small[@]}"
run 'right after faults' 0 'elements right' --cu sgemm.cu --entry sgemm_naive --gemm 256 --no-counts
run 'prints' 0 'from thread 3: Content-Length: 99' --cu bad.cu --entry prints "${small[@]}"
for bytes in 102400 232448; do
  run "$bytes B of shared memory" 0 'µs \(measured\)' --cu bad.cu --entry copies_through_shared --shared $bytes \
    "${small[@]}"
done
tickets=(--cu bad.cu --entry takes_tickets --grid 8 --block 32 --no-counts
  --arg buf:u32:1x1:zeros:inout buf:f32:8x32:random:in buf:f32:8x32:zeros:out)
run 'tickets' 0 'µs \(measured\)' "${tickets[@]}"
run 'too much shared memory' 2 'of them dynamic' "${tickets[@]}" --shared 232448
run 'too much memory' 3 'needs .* free' --cu bad.cu --entry prints --grid 1 --block 32 --no-counts \
  --arg buf:f32:131072x131000:random:inout buf:f32:131072x131000:random:inout
run 'clusters' 4 'cluster' --cu bad.cu --entry clustered "${small[@]}"
expected=(--cu sgemm.cu --entry 'sgemm2DBlocktiling<128,128,8,8,8>' --gemm 1024 --no-counts)
run 'as another kernel has it' 0 'FLOPS.*elements right' "${expected[@]}" --expect-kernel sgemm_naive
run 'not as another kernel has it' 1 'wrong result' --cu bad.cu --entry prints --expect-kernel doubles "${small[@]}"
run 'a .ptx' 0 'µs \(measured\)' --ptx scale.ptx --grid 2 --arg buf:f32:1x128:index:in out:512 f32:2 --no-counts
"$bin/tilescope-cli" bench --device "$device" --seconds 0.5 --cu sgemm.cu --entry 'sgemm2DBlocktiling<128,128,8,8,8>' \
  --gemm 4096 --no-counts --json >"$out/own.json" 2>>"$out/own.txt"
exit $failed
