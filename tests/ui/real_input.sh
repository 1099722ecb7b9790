#!/bin/bash
# real_input.sh TILESCOPE WITH_DISPLAY: the real keyboard, through X11 and GLFW, which the test
# engine goes around; and that what was chosen is there at the next start.
set -eu
if [[ "${3:-}" != inside ]]; then
  exec "$2" -s 1400x900 "$0" "$1" "$2" inside
fi
program=$1
export XDG_CONFIG_HOME
XDG_CONFIG_HOME=$(mktemp -d)
trap 'kill "$window" 2>/dev/null || true; rm -rf "$XDG_CONFIG_HOME"' EXIT

"$program" &
window=$!
for _ in $(seq 200); do
  xdotool search --onlyvisible --name '^Tilescope$' >/dev/null 2>&1 && break
  sleep 0.05
done
sleep 1
xdotool key ctrl+p
sleep 0.7
xdotool type --delay 30 'theme light'
sleep 0.5
xdotool key Return
sleep 0.7
xdotool key ctrl+3
sleep 0.7
xdotool key ctrl+q
for _ in $(seq 100); do
  kill -0 "$window" 2>/dev/null || break
  sleep 0.1
done
wait "$window"  # must have ended with 0
grep -q '"theme": "light"' "$XDG_CONFIG_HOME/tilescope/window.json"
grep -q 'Tune' "$XDG_CONFIG_HOME/tilescope/layout.ini"
