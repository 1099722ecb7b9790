#!/bin/bash
# bench/gpu_layers.sh CLI OUT [SECONDS]   layers on the cards of this machine: one run, many answers
#
# CLI: tilescope-cli; OUT: a folder for its documents, one a layer. TILESCOPE_NCCL names NCCL where the
# loader does not find it. Prints a line a layer: modelled, measured, verified. bench/judge_layers reads
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
for chunks in 1 4; do
  layer qwen_2_serial_$chunks 2 column "${qwen[@]}" --chunks $chunks --no-overlap
  layer qwen_2_chunks_$chunks 2 column "${qwen[@]}" --chunks $chunks
done
for spare in 8 16 24; do layer qwen_2_spare_$spare 2 column "${qwen[@]}" --chunks 4 --spare-sms $spare; done
layer qwen_1_again 1 column "${qwen[@]}"
for kind in linear row mlp; do layer ${kind}_2 2 $kind "${qwen[@]}" --chunks 4; done
layer row_1 1 row "${qwen[@]}"
layer mlp_1 1 mlp "${qwen[@]}"
layer gather_2 2 column "${qwen[@]}" --chunks 4 --gather
layer llama8b_1 1 mlp --tokens 4096 --in 4096 --out 14336
layer llama8b_2 2 mlp --tokens 4096 --in 4096 --out 14336 --chunks 4
layer gpt2_1 1 mlp --tokens 1024 --in 768 --out 3072
layer gpt2_2 2 mlp --tokens 1024 --in 768 --out 3072
layer ragged_2 2 column --tokens 1001 --in 777 --out 2050 --chunks 3
layer one_card_of_2 1 linear --tokens 512 --in 1024 --out 2048
