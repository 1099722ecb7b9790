#!/bin/bash
# bench/film.sh [WxH [FRAMES [BIN]]]: a film of the whole window while it plays, as it is made without a
# screen; seconds of all of it, from the program's start to the file, and of the start alone; bytes.
# Needs a display: tools/with_display bench/film.sh. Must: 30 s for 300 frames at 1280x800.
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
size=${1:-1280x800} frames=${2:-300} bin=${3:-$root/build/release/bin}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
seconds() { # of a command
  local begin
  begin=$(date +%s%N)
  "$@"
  awk -v ns=$(($(date +%s%N) - begin)) 'BEGIN {printf "%.1f", ns / 1e9}'
}
render() { "$bin/tilescope" --render --fresh --size "$size" --out "$@"; }
render "$folder/warm.png" # what is compiled is kept
start=$(seconds render "$folder/start.png")
all=$(seconds render "$folder/film.webp" --frames "$frames" --change '{"playhead": {"loop": false}}')
echo "film of $frames frames, $size: $all s, of which $start s to the first; $(stat -c %s "$folder/film.webp") bytes"
