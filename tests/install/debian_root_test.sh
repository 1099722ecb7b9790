#!/bin/bash
# debian_root_test.sh SOURCE BUILD: the .deb into a fresh Debian root of this release, by apt with what
# it depends on and no compiler; there it is used. 77: no mmdebstrap, no root, or no packages to be had.
set -eu
source=$1 build=$2
command -v mmdebstrap >/dev/null || { echo "there is no mmdebstrap"; exit 77; }
command -v cpack >/dev/null || { echo "there is no cpack"; exit 77; }
[[ "$(id -u)" == 0 ]] || { echo "a root of its own needs root here"; exit 77; }
[[ -x "$build/bin/tilescope" ]] || { echo "there is no tilescope to pack"; exit 77; }
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
scratch=$(mktemp -d)
root=$scratch/root
trap 'rm -rf "$scratch"' EXIT
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$scratch/packages" >"$scratch/cpack.log" ||
  { cat "$scratch/cpack.log"; exit 1; }
# Where this machine has its packages from, the root has its own.
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
  [[ -s "$file" ]] && sources+=("$file")
done
make_root() {
  mmdebstrap --quiet --variant=apt --aptopt='APT::Install-Recommends "false"' "${@:2}" "$release" "$1" \
    "${sources[@]}" >"$scratch/root.log" 2>&1
}
make_root "$scratch/tried" --simulate || { tail -n 5 "$scratch/root.log"; echo "no Debian root can be made here"; exit 77; }
# What the package depends on comes with it; the rest is for looking at it.
make_root "$root" --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount \
  --include="$(ls "$scratch"/packages/*.deb)" --include=bash-completion,man-db,xvfb,libgl1-mesa-dri ||
  { tail -n 30 "$scratch/root.log"; exit 1; }
cp "$source/tools/with_display" "$root/usr/local/bin/"
cat >"$root/try" <<'INSIDE'
set -eu
fail() {
  echo "$1"
  exit 1
}
for tool in gcc cc g++ clang nvcc python3; do
  if command -v $tool; then fail "there is a $tool"; fi
done
tilescope-cli kernels | grep -q mma_multistage || fail "its kernels are missing"
tilescope-cli bench --device recorded --kernel mma_multistage --size 8192 | grep -F "(recorded)" ||
  fail "its recordings are missing"
tilescope-cli render --panel fragment --out fragment.svg
grep -q "</svg>" fragment.svg || fail "no picture"
# NVRTC is none of Debian's main packages: what is missing is said, with the way out.
code=0
tilescope-cli emulate --size 128 2>said.txt || code=$?
cat said.txt
[[ $code == 3 ]] && tail -n 1 said.txt | grep -q "install the wheel nvidia-cuda-nvrtc" ||
  fail "without NVRTC emulate ends with $code"
with_display -s 1280x800 tilescope --render --size 1200x700 --out window.png
[[ $(stat -c %s window.png) -gt 20000 ]] || fail "the window is not drawn"
for page in tilescope tilescope-cli; do
  man --warnings=w "$page" >page.txt 2>warnings.txt
  [[ ! -s warnings.txt ]] || { cat warnings.txt; fail "man $page warns"; }
  grep -q -- --help page.txt || fail "man $page says nothing"
done
grep -q "render" page.txt || fail "its manual page has no commands"
. /usr/share/bash-completion/completions/tilescope-cli
COMP_WORDS=(tilescope-cli rend) COMP_CWORD=1
_tilescope_cli
[[ "${COMPREPLY[*]}" == render ]] || fail "render is not completed: ${COMPREPLY[*]}"
grep -q "^Exec=tilescope" /usr/share/applications/tilescope.desktop || fail "no desktop entry"
[[ -s /usr/share/icons/hicolor/scalable/apps/tilescope.svg ]] || fail "no icon"
INSIDE
# Its own processes and /proc end with it.
unshare --mount --pid --fork --kill-child bash -c '
  mount -t proc proc "$1/proc" && mount -t tmpfs none "$1/tmp" && mkdir -p "$1/root" &&
  exec env -i HOME=/root PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin LC_ALL=C.UTF-8 \
    chroot "$1" bash -c "cd /root && bash /try"' - "$root"
echo "installed, used, nothing but $(du -sm "$root" | cut -f1) MB of Debian beside it"
