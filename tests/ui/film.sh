#!/bin/bash
# film.sh PROGRAM WITH_DISPLAY: films that --render makes, as WebP and through an ffmpeg, and why there
# is none.
set -u
program=$1 with_display=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "$*" >&2
  exit 1
}
render() {
  "$with_display" -s 640x480 "$program" --fresh --render --panel tiling --size 400x300 --frames 6 \
    --seconds 3 --change '{"edit": {"kernel": "mma_multistage", "size": [256, 256, 256]}}' "$@"
}
render --out "$folder/a.webp" || fail "no film"
python3 - "$folder/a.webp" <<'PYTHON' || exit 1
import struct, sys
data = open(sys.argv[1], "rb").read()
assert data[:4] == b"RIFF" and data[8:12] == b"WEBP" and data[12:16] == b"VP8X", data[:16]
size = [1 + int.from_bytes(data[at:at + 3], "little") for at in (24, 27)]
assert size == [400, 300], size
at, milliseconds, pictures = 12, 0, 0
while at < len(data):
    kind, length = data[at:at + 4], struct.unpack("<I", data[at + 4:at + 8])[0]
    if kind == b"ANMF":
        pictures += 1
        milliseconds += int.from_bytes(data[at + 20:at + 23], "little")
    at += 8 + length + length % 2
assert 2 <= pictures <= 6 and milliseconds == 3000, (pictures, milliseconds)
PYTHON
mkdir "$folder/bin"
cat >"$folder/bin/ffmpeg" <<'FFMPEG'
#!/bin/bash
cat >"${@: -1}"
FFMPEG
chmod +x "$folder/bin/ffmpeg"
PATH="$folder/bin:$PATH" render --out "$folder/a.mp4" || fail "no film by ffmpeg"
[[ $(stat -c %s "$folder/a.mp4") == $((400 * 300 * 4 * 6)) ]] || fail "ffmpeg was not given all pixels"
rm "$folder/bin/ffmpeg"
if command -v ffmpeg >/dev/null; then exit 0; fi
message=$(render --out "$folder/b.mp4" 2>&1)
[[ $? == 4 && $message == *"There is no ffmpeg in \$PATH"* ]] || fail "said: $message"
[[ ! -e "$folder/b.mp4" ]] || fail "a file is left"
