#!/bin/bash
# wheel_test.sh SOURCE BUILD CACHE: the commands of docs/python.md make a wheel and install it; then it is
# installed into a virtual environment of its own and used with checkout, build, cache and compilers
# out of reach: all that it needs is in it, in NVIDIA's wheels beside it, or the system's.
# 77: nothing is built to be packed, or no package registry can be reached.
set -eu
source=$1 build=$2 cache=$3
if [[ "${4:-}" != hidden ]]; then
  [[ -x "$build/bin/tilescope" ]] || { echo "there is no tilescope to pack"; exit 77; }
  [[ "$build" == "$source/build/release" ]] || { echo "tools/package packs build/release alone"; exit 77; }
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch" "$source/out/try"' EXIT
  # The first block of commands in the document, as it stands there.
  sed -n '/^```sh$/,/^```$/{/^```/d;p}' "$source/docs/python.md" >"$scratch/commands.sh"
  grep -q "^tools/package" "$scratch/commands.sh" || { echo "docs/python.md has no commands"; exit 1; }
  rm -rf "$source/out/try"
  (cd "$source" && bash -eux "$scratch/commands.sh") >"$scratch/commands.log" 2>&1 ||
    { cat "$scratch/commands.log"; exit 1; }
  cat "$scratch/commands.log"
  grep -q "Emulation of naive: right" "$scratch/commands.log"
  wheel=$(ls "$source"/out/tilescope-*.whl)
  # Nothing of this machine in it, nor a registry's host; licences are as their authors wrote them.
  PYTHONPATH="$source/tests/structure" PYTHONDONTWRITEBYTECODE=1 python3 - "$wheel" "$source/" "$build/" \
    "$cache/" "${HOME:-/nowhere}/" <<'PYTHON'
import sys
import zipfile

from check_structure import HOSTS

wrong = []
with zipfile.ZipFile(sys.argv[1]) as wheel:
    names = [name for name in wheel.namelist() if "/licenses/" not in name]
    for name in names:
        text = wheel.read(name).decode("latin-1")
        wrong += [f"{name} names {folder}" for folder in sys.argv[2:] if folder in text]
        wrong += [f"{name} names {host.group(0)}" for host in HOSTS.finditer(text)]
if wrong or "tilescope/bin/tilescope-cli" not in names:
    sys.exit("\n".join(wrong) or "the wheel has no programs")
PYTHON

  cp "$0" "$source/tools/with_display" "$source/tests/ui/check_png.py" "$wheel" "$scratch"
  mkdir "$scratch/home"
  here=(env -i HOME="$scratch/home" PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8
    PIP_CACHE_DIR="$(python3 -m pip cache dir 2>/dev/null || echo "$scratch/pip")"
    bash "$scratch/${0##*/}" "$source" "$build" "$cache" hidden "$scratch")
  cd "$scratch"
  if unshare --mount true 2>/dev/null; then
    unshare --mount "${here[@]}"
  elif unshare --map-root-user --mount true 2>/dev/null; then
    unshare --map-root-user --mount "${here[@]}"
  else
    echo "no mount namespace here: checkout and compilers stay in reach"
    "${here[@]}" reachable
  fi
  exit
fi

scratch=$5
cd "$scratch"
fail() {
  echo "$1"
  exit 1
}
if [[ "${6:-}" != reachable ]]; then
  for folder in "$build" "$source" "$cache" /usr/local/cuda*; do
    [[ ! -d "$folder" ]] || mount -t tmpfs none "$(readlink -f "$folder")"
  done
  for compiler in /usr/bin/{cc,c++,gcc,g++,clang,clang++}{,-[0-9]*} /usr/bin/x86_64-linux-gnu-g{cc,++}{,-[0-9]*}; do
    [[ -e "$compiler" ]] && mount --bind /dev/null "$(readlink -f "$compiler")" || true
  done
  if cc --version >/dev/null 2>&1; then fail "there is a compiler"; fi
fi

python3 -m venv environment
bin=$scratch/environment/bin
begun=$SECONDS
"$bin/pip" install --quiet --disable-pip-version-check ./tilescope-*.whl numpy
installed=$((SECONDS - begun))
if command -v xdotool >/dev/null; then
  # Said, not judged: how long it takes until the window is there.
  begun=$SECONDS
  "$scratch/with_display" -s 1280x800 bash -c '"$1" --fresh & xdotool search --sync --onlyvisible \
    --name "^Tilescope" >/dev/null; kill $!; wait $! 2>/dev/null; true' - "$bin/tilescope"
  echo "installed in $installed s with downloads, window after $((SECONDS - begun)) s more"
fi
"$scratch/with_display" -s 1280x800 "$bin/tilescope" --render --size 1200x700 --out window.png \
  2>window.log || { cat window.log; fail "the window is not drawn"; }
cat window.log
python3 "$scratch/check_png.py" window.png 1200x700
grep -i font window.log && fail "its fonts are missing"

# On a server without a display's libraries these work all the same.
for program in tilescope-cli tilescope-draw; do
  ldd "$("$bin/python" -c "import tilescope; print(tilescope.program('$program'))")" | grep -E "libX|libxcb|libGL|not found" &&
    fail "$program needs what not every machine has"
done
"$bin/tilescope-cli" kernels | grep -q mma_multistage || fail "its kernels are missing"
"$bin/tilescope-cli" bench --device recorded --kernel mma_multistage --size 8192 | tee bench.txt
grep -q "(recorded)" bench.txt || fail "its recordings are missing"
"$bin/python" - <<'PYTHON'
import numpy as np
import tilescope as ts

found = {part.what: part for part in ts.doctor()}
for part in found.values():
    print(part.what, part.state, part.version)
assert ts.program().startswith(ts.__path__[0]), ts.program()
for kernel in ts.kernels():  # compiled by the wheel's NVRTC, with the wheel's headers
    ran = ts.emulate(kernel.id, 128)
    assert ran.ok, ran
traced = ts.trace("mma_multistage", 256)
assert (traced.addresses() >= 0).any()
assert "</svg>" in traced._repr_svg_()
assert "</svg>" in ts.map_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")._repr_svg_()
with open("double.cu", "w") as f:
    f.write("#include <cuda_fp16.h>\n"
            'extern "C" __global__ void twice(__half* x) { x[threadIdx.x] = x[threadIdx.x] * __half(2); }\n')
x = np.arange(32, dtype=np.float16)
assert (ts.run("double.cu", x, grid=(1,), block=(32,)).arrays[0] == 2 * x).all()
print("all of it works")
PYTHON
