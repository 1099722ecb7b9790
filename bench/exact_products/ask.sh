#!/bin/bash
# bench/exact_products/ask.sh CLI RUNGS DIR [CARD]: on a machine with a card of compute capability 9.0, all products and C of
# each rung in every bit. CLI is tilescope-cli, RUNGS bench_exact_rungs, CARD the program of card.cu (made here by nvcc if it
# is left out). What comes back lies in DIR: record.txt, rungs.txt.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cli=$1 rungs=$2 out=$3 card=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
if [ -z "$card" ]; then
  card=$work/card
  nvcc -O2 -o "$card" "$here/card.cu" -lcuda || exit 1
fi
name=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tr -d ',')
failed=0
# The record that tests compare with; then more of the same, once.
for words in 4096 65536; do
  columns=256
  [ $words = 65536 ] && columns=16
  python3 "$here/products.py" make "$work/$words" $words 29 $columns &&
    "$card" "$work/$words" &&
    python3 "$here/products.py" emulate "$cli" "$work/$words" sm_90 &&
    python3 "$here/products.py" compare "$work/$words" || failed=1
done
python3 "$here/products.py" record "$work/4096" "$out/record.txt" 4096 29 256 sm_90 "$name" "$(date +%F)"
"$rungs" 20 >"$out/rungs.txt" 2>&1 || failed=1
cat "$out/rungs.txt"
exit $failed
