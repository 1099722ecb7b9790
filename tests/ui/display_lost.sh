#!/bin/bash
# display_lost.sh TILESCOPE: the X server dies under the window; the session is saved, one sentence
# says so, the program ends by itself with code 3.
set -eu
program=$1
XDG_CONFIG_HOME=$(mktemp -d)
export XDG_CONFIG_HOME
trap 'rm -rf "$XDG_CONFIG_HOME"; kill "$server" 2>/dev/null || true' EXIT
exec 3< <(exec Xvfb -displayfd 4 -screen 0 1400x900x24 -nolisten tcp -noreset 4>&1 2>/dev/null)
server=$!
read -r -t 30 number <&3
DISPLAY=":$number" "$program" --theme light 2>"$XDG_CONFIG_HOME/messages" &
window=$!
for _ in $(seq 100); do
  DISPLAY=":$number" xdotool search --onlyvisible --name '^Tilescope$' >/dev/null 2>&1 && break
  sleep 0.05
done
sleep 1
kill -KILL "$server"
code=0
wait "$window" || code=$?
cat "$XDG_CONFIG_HOME/messages"
[[ $code -eq 3 ]]
grep -q 'the display went away' "$XDG_CONFIG_HOME/messages"
grep -q '"theme": "light"' "$XDG_CONFIG_HOME/tilescope/window.json"
