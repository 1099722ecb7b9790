# Sourced by ./web and ./test: builds the page into a folder. Needs $root, tools/install.sh and
# tools/build.sh.

packages_web=(emscripten googletest libzstd-dev "${packages_build[@]}")

# Debian's emscripten needs to be told where Debian's modules of node are; and node's own fetch
# would make it take node for a browser.
export NODE_PATH=/usr/share/nodejs NODE_OPTIONS=--no-experimental-fetch

configure_web() {
  local folder
  folder=$(dirname "$(readlink -f "$(command -v emcc)")")
  configure web "-DCMAKE_TOOLCHAIN_FILE=$folder/cmake/Modules/Platform/Emscripten.cmake" "$@"
}

# build_page FOLDER EXTENT: the whole page. EXTENT as of ptx_pack.
build_page() {
  local out=$1 extent=$2 file
  ensure_packages "$root/build/.packages-web" "${packages_web[@]}" || return 3
  [[ -f "$root/build/web/build.ninja" ]] || configure_web || return 4
  build web tilescope_page tilescope_engine || return 4
  configure release || return 4
  build release ptx_pack || return 4
  mkdir -p "$out/fonts" || return 4
  cp "$root"/page/site/* "$root/assets/desktop/tilescope.svg" "$out/" &&
    cp "$root"/build/web/bin/*.js "$out/" || return 4
  for file in "$root"/build/web/bin/*.wasm; do
    gzip -9 -n -c "$file" >"$out/$(basename "$file").gz" || return 4
  done
  for file in "$root"/build/web/assets/fonts/*; do
    gzip -9 -n -c "$file" >"$out/fonts/$(basename "$file").gz" || return 4
  done
  "$root/build/release/bin/ptx_pack" --out "$out" --extent "$extent" \
    --presets "$root/assets/presets/presets.json" --recordings "$root/assets/recordings"
}
