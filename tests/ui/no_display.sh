#!/bin/bash
# no_display.sh TILESCOPE: without a display, one sentence with the way out, and code 3; a picture all
# the same where none is needed.
set -eu
for display in "" ":9731"; do
  code=0
  message=$(env -u WAYLAND_DISPLAY DISPLAY="$display" "$1" 2>&1) || code=$?
  echo "$message"
  [[ $code -eq 3 ]]
  [[ $(grep -c . <<<"$message") -eq 1 ]]
  [[ "$message" == *xvfb-run* ]]
done

# A picture that needs none is drawn of a link, too: naive at 100×50×8. A damaged one is one sentence.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
link=tilescope:1.eJyrVkpNySxRslKoVspOLcpLzQEylfISM8tSlXQUlIozq1KBAtGGBgY6CqZAbBFbWwsAlhcOzg
draw=(env -u WAYLAND_DISPLAY -u DISPLAY "$1" --fresh --render --panel tiling --out "$folder/a.svg" --open)
"${draw[@]}" "$link"
grep -q '<svg' "$folder/a.svg"
code=0
message=$("${draw[@]}" "${link:0:40}" 2>&1) || code=$?
[[ $code -eq 2 && "$message" == *"cut off"* && $(grep -c . <<<"$message") -eq 1 ]]
