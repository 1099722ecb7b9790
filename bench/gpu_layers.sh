#!/bin/bash
# bench/gpu_layers.sh CLI OUT [SECONDS]   layers on the cards of this machine: one run, many answers
#
# CLI: tilescope-cli; OUT: a folder for its documents, one a layer. TILESCOPE_NCCL names NCCL where the
# loader does not find it. Prints one line per layer: modelled, measured, verified. bench/judge_layers reads
# the folder. NVLink multicast stays off.
set -u
cli=$1 out=$2 seconds=${3:-1.5}
export NCCL_NVLS_ENABLE=0 TORCH_SYMM_MEM_DISABLE_MULTICAST=1 NVSHMEM_DISABLE_NVLS=1
mkdir -p "$out"
cards=$(nvidia-smi -L 2>/dev/null | wc -l)
layer() {  # NAME RANKS OPTION...
  local name=$1 ranks=$2
  shift 2
  [[ $ranks -gt $cards ]] && return
  "$cli" layer "$@" --ranks "$ranks" --device cuda --seconds "$seconds" --json >"$out/$name.json" 2>"$out/$name.err" ||
    { echo "$name: $(tail -1 "$out/$name.err")"; return; }
  rm -f "$out/$name.err"
  python3 - "$out/$name.json" "$name" <<'P'
import json, sys
j = json.load(open(sys.argv[1]))
t = j["total"]
print(sys.argv[2], "modelled", t["modelled_us"], "measured", t["measured_us"], "forward", t["measured_forward_us"],
      "right" if j["verified"]["ok"] else "WRONG", j["verified"]["norm"])
for s in j["steps"]:
    print("   ", s["name"], s["kernel"], s["modelled_us"], s["measured_us"], s["alone_us"])
P
}
qwen=(--tokens 4096 --in 8192 --out 29696)
layer qwen_1 1 column "${qwen[@]}"
for chunks in 1 2 4 8; do
  layer qwen_2_chunks_$chunks 2 column "${qwen[@]}" --chunks $chunks
done
layer qwen_2_serial 2 column "${qwen[@]}" --chunks 4 --no-overlap
# Kernels that stay on their SMs keep a transfer waiting.
for kernel in mma_persistent mma_multistage; do
  layer qwen_2_$kernel 2 column "${qwen[@]}" --chunks 4 --kernel $kernel
done
layer qwen_1_again 1 column "${qwen[@]}"
layer gather_2 2 column "${qwen[@]}" --chunks 4 --gather
layer row_1 1 row "${qwen[@]}"
layer linear_1 1 linear "${qwen[@]}"
for kind in linear row; do layer ${kind}_2 2 $kind "${qwen[@]}" --chunks 4; done
layer mlp_1 1 mlp "${qwen[@]}"
layer mlp_2 2 mlp "${qwen[@]}" --chunks 4
layer llama8b_1 1 mlp --tokens 4096 --in 4096 --out 14336
layer llama8b_2 2 mlp --tokens 4096 --in 4096 --out 14336 --chunks 4
layer gpt2_1 1 mlp --tokens 1024 --in 768 --out 3072
layer gpt2_2 2 mlp --tokens 1024 --in 768 --out 3072
layer ragged_2 2 column --tokens 1001 --in 777 --out 2050 --chunks 3
# The link: sums of tokens x out floats.
for shape in 64x64 256x256 512x512 1024x1024 2048x1024 2048x2048 4096x2048 4096x4096 4096x8192 8192x8192 8192x16384; do
  layer link_$shape 2 row --tokens ${shape%x*} --in 64 --out ${shape#*x} --no-overlap
done
