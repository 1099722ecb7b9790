#!/bin/bash
# installed_test.sh SOURCE BUILD CACHE: installs what was built into a folder of its own, sees that
# nothing in it names the checkout, the build or the cache, and runs it with checkout and build out
# of reach. 77: nothing is built to be installed.
set -eu
source=$1 build=$2 cache=$3
if [[ "${4:-}" != hidden ]]; then
  [[ -x "$build/bin/tilescope-cli" ]] || { echo "there is no tilescope-cli to install"; exit 77; }
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  cmake --install "$build" --prefix "$scratch/tilescope" >"$scratch/install.log"
  for folder in "$source" "$build" "$cache"; do
    if grep -rlaF -e "$folder/" "$scratch/tilescope"; then
      echo "these name $folder"
      exit 1
    fi
  done
  # The checkout's own tools are needed once it is hidden, and so is the compiler of kernels: it
  # lies in the cache of whoever runs the programs.
  cp "$0" "$source/tools/with_display" "$source/tests/ui/check_png.py" "$scratch"
  mkdir -p "$scratch/home/.cache/tilescope"
  for wheel in "$cache"/cuda-wheels-*; do
    [[ -e "$wheel" ]] && ln -s "$wheel" "$scratch/home/.cache/tilescope/"
  done
  here=(env -i HOME="$scratch/home" PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8
    bash "$scratch/${0##*/}" "$source" "$build" "$cache" hidden "$scratch")
  cd "$scratch"
  if unshare --mount true 2>/dev/null; then
    unshare --mount "${here[@]}"
  elif unshare --map-root-user --mount true 2>/dev/null; then
    unshare --map-root-user --mount "${here[@]}"
  else
    echo "no mount namespace here: the checkout stays in reach"
    "${here[@]}" reachable
  fi
  exit
fi

scratch=$5
if [[ "${6:-}" != reachable ]]; then
  for folder in "$build" "$source"; do
    mount -t tmpfs none "$folder"
    [[ -z "$(ls -A "$folder")" ]]
  done
fi
bin=$scratch/tilescope/bin
fail() {
  echo "$1"
  exit 1
}

"$bin/tilescope-cli" kernels | tee kernels.txt
grep -q mma_multistage kernels.txt || fail "its kernels are missing"
"$bin/tilescope-cli" bench --device recorded --kernel mma_multistage --size 8192 | tee bench.txt
grep -q "(recorded)" bench.txt || fail "its recordings are missing"
# Pictures have the fonts that came with it, on a machine without any.
if ls "$scratch"/tilescope/share/tilescope/assets/fonts/* >/dev/null 2>&1; then
  echo '<fontconfig/>' >none.conf
  FONTCONFIG_FILE=$scratch/none.conf "$bin/tilescope-cli" render --panel fragment --out own.svg
  FONTCONFIG_FILE=$scratch/none.conf TILESCOPE_ASSETS=$scratch "$bin/tilescope-cli" render --panel fragment \
    --out none.svg
  cmp -s own.svg none.svg && fail "its fonts are not used"
fi
share=$scratch/tilescope/share
gzip -dc "$share/man/man1/tilescope-cli.1.gz" | grep -q '^.SS render' || fail "its manual page has no commands"
# Completion of a command, an option, a value that has a few, and a kernel.
. "$share/bash-completion/completions/tilescope-cli"
completed() {
  COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2)) COMPREPLY=()
  _tilescope_cli
  [[ " ${COMPREPLY[*]} " == *" $1 "* ]] || fail "${*:2} is not completed to $1: ${COMPREPLY[*]}"
}
completed render tilescope-cli rend
completed --panel tilescope-cli render --pa
completed 64B tilescope-cli swizzle --mode 6
completed mma_multistage tilescope-cli bench --kernel mma_m
completed light tilescope-cli render --theme l
if [[ -x "$bin/tilescope" ]]; then
  _tilescope_cli() { _tilescope; }
  completed explore tilescope --layout ex
fi
code=0
"$bin/tilescope-cli" emulate --size 128 >emulate.txt 2>&1 || code=$?
cat emulate.txt
if [[ -n "$(ls -A "$scratch/home/.cache/tilescope" | grep cuda-wheels)" ]]; then
  [[ $code -eq 0 ]] || fail "it finds no compiler of kernels, though there is one"
fi
if [[ -x "$bin/tilescope" ]] && command -v Xvfb >/dev/null; then
  "$scratch/with_display" -s 1280x800 "$bin/tilescope" --render --size 1200x700 --out window.png \
    2>window.log || { cat window.log; fail "the window is not drawn"; }
  cat window.log
  python3 "$scratch/check_png.py" window.png 1200x700
  grep -i font window.log && fail "its fonts are missing"
fi
exit 0
