# Sourced by ./run, ./test and tools/package: configures and builds one preset. Needs $root.

# Paths under the checkout do not count: a second checkout shares what it compiles alike. The other
# two are what ccache asks for where headers are precompiled.
export CCACHE_BASEDIR="$root" CCACHE_SLOPPINESS="pch_defines,time_macros"

# configure PRESET [CMAKE ARGUMENT...]: only when there is nothing to build from yet.
configure() {
  local preset=$1 folder="$root/build/$1" home
  shift
  if [[ -f "$folder/CMakeCache.txt" ]]; then
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$folder/CMakeCache.txt")
    if [[ "$home" != "$root" ]]; then
      echo "tilescope: the checkout was moved; starting build/$preset afresh" >&2
      rm -rf "$folder"
    fi
  fi
  [[ -f "$folder/build.ninja" && $# -eq 0 && ! "$root/CMakePresets.json" -nt "$folder/CMakeCache.txt" ]] &&
    return 0
  echo "tilescope: configuring build/$preset" >&2
  (cd "$root" && cmake --preset "$preset" "$@") >&2 && touch "$folder/CMakeCache.txt"
}

# build PRESET TARGET...: ninja finds out by itself what has changed. Silent when nothing has.
build() {
  local preset=$1 log
  shift
  log="$root/build/$preset/build.log"
  if [[ -t 2 || -n "${CI:-}" || -n "${TILESCOPE_VERBOSE:-}" ]]; then
    # A terminal sees ninja's progress, unless there is nothing to do.
    if ninja -C "$root/build/$preset" -n "$@" 2>/dev/null | tail -n 1 | grep -q 'no work to do'; then
      return 0
    fi
    ninja -C "$root/build/$preset" "$@" >&2
  elif ! ninja -C "$root/build/$preset" "$@" >"$log" 2>&1; then
    grep -i -E -A 12 '(error|FAILED|fatal)' "$log" | head -n 120 >&2
    echo "tilescope: the build failed; all of it is in build/$preset/build.log" >&2
    return 4
  fi
}
