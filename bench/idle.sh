#!/bin/bash
# bench/idle.sh [BIN]: what the window takes while nobody touches it: processor time over 20 s, memory
# of the window and of all its worker's processes. Needs a display: tools/with_display bench/idle.sh
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=${1:-$root/build/release/bin}
export XDG_CONFIG_HOME=$(mktemp -d)
begin=$(date +%s%N)
"$bin/tilescope" --fresh &
window=$!
trap 'kill $window 2>/dev/null || true' EXIT
if command -v xdotool >/dev/null; then
  # Not --sync: that looks twice a second.
  until xdotool search --onlyvisible --pid "$window" >/dev/null 2>&1; do
    kill -0 "$window"  # else there is nothing to wait for
    sleep 0.01
  done
  echo "start to visible window: $((($(date +%s%N) - begin) / 1000000)) ms"
fi
sleep 15  # the first kernel is compiled, traced, counted, its neighbours compiled ahead
ticks() { awk '{print $14 + $15}' "/proc/$window/stat"; }
first=$(ticks)
sleep 20
last=$(ticks)
echo "idle: $(awk -v t=$((last - first)) -v hz="$(getconf CLK_TCK)" 'BEGIN {printf "%.1f", t / hz / 20 * 100}') % of a core"
resident() { awk '/^VmRSS/ {print $2}' "/proc/$1/status"; }
echo "window: $(($(resident "$window") / 1024)) MB resident"
# The worker is in a session of its own: found by its program's name and parentage.
for pid in $(pgrep -f "tilescope-cli worker|worker --role"); do
  echo "worker $(tr '\0' ' ' <"/proc/$pid/cmdline" | sed 's/.*worker//'): $(($(resident "$pid") / 1024)) MB resident"
done
