#!/bin/bash
# each_panel.sh TILESCOPE FOLDER CHECK_PNG: every panel alone, in both themes, at two scales; without
# TILESCOPE_ALL every ninth of them: other tests of the window open all.
set -eu
program=$1 folder=$2 check=$3
# A small problem: it is emulated whole in a moment, and each picture waits for that.
state=$folder/each_panel.json
cat >"$state" <<'END'
{"tilescope": 1, "edit": {"kernel": "mma_multistage", "size": [256, 256, 256], "layout": "TN",
 "tile": {"block_m": 128, "block_n": 128, "block_k": 64, "warp_m": 64, "warp_n": 64, "swizzle": 1,
          "stages": 3, "raster": 8}}}
END
mapfile -t panels < <("$program" --list-panels)
step=9 first=1
[[ -n "${TILESCOPE_ALL:-}" ]] && step=1 first=0
for ((i = first; i < ${#panels[@]}; i += step)); do
  panel=${panels[i]}
  "$program" --render --panel "$panel" --state "$state" --size 800x600 --theme dark --out "$folder/$panel.png" &
  dark=$!
  "$program" --render --panel "$panel" --state "$state" --size 1600x1200 --scale 2 \
    --theme light --out "$folder/${panel}_light_2x.png"
  wait $dark
  python3 "$check" "$folder/$panel.png" 800x600
  python3 "$check" "$folder/${panel}_light_2x.png" 1600x1200
done
# An unknown panel is bad usage, and says which there are.
if message=$("$program" --render --panel no_such --out "$folder/x.png" 2>&1); then exit 1; fi
[[ "$message" == *"there are: window"* ]]
