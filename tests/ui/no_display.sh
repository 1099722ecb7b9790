#!/bin/bash
# no_display.sh TILESCOPE: without a display, one sentence with the way out, and code 3.
set -eu
for display in "" ":9731"; do
  code=0
  message=$(env -u WAYLAND_DISPLAY DISPLAY="$display" "$1" 2>&1) || code=$?
  echo "$message"
  [[ $code -eq 3 ]]
  [[ $(grep -c . <<<"$message") -eq 1 ]]
  [[ "$message" == *xvfb-run* ]]
done
