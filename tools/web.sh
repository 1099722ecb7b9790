# Sourced by ./web and ./test: builds the page into a folder. Needs $root, tools/install.sh and
# tools/build.sh.

packages_web=(emscripten googletest zstd fonttools "${packages_build[@]}")

# Debian's emscripten needs to be told where Debian's modules of node are; and node's own fetch
# would make it take node for a browser.
export NODE_PATH=/usr/share/nodejs NODE_OPTIONS=--no-experimental-fetch

configure_web() {
  local folder
  folder=$(dirname "$(readlink -f "$(command -v emcc)")")
  configure web "-DCMAKE_TOOLCHAIN_FILE=$folder/cmake/Modules/Platform/Emscripten.cmake" "$@"
}

# pack_file FROM TO: compressed as small as it gets, unless that has been done.
pack_file() {
  [[ "$2" -nt "$1" ]] || zstd --ultra -22 --quiet --force -o "$2" "$1"
}

# Letters of European languages, Greek, and the symbols that are drawn; a tenth of the whole fonts.
font_ranges=U+20-7E,U+A0-17F,U+370-3FF,U+2000-209F,U+2190-23FF,U+2500-27BF,U+1D40
# pack_font FROM TO: its letters without what is there for other languages and for print.
pack_font() {
  local few
  few="$root/build/web/$(basename "$1")"
  [[ "$2" -nt "$1" ]] && return
  pyftsubset "$1" --unicodes="$font_ranges" --no-hinting --desubroutinize --layout-features= \
    --output-file="$few" && pack_file "$few" "$2"
}

# build_page FOLDER EXTENT [TARGET...]: the whole page, and targets of its build. EXTENT as of ptx_pack.
build_page() {
  local out=$1 extent=$2 file pack
  shift 2
  ensure_packages "$root/build/.packages-web" "${packages_web[@]}" || return 3
  [[ -f "$root/build/web/build.ninja" ]] || configure_web || return 4
  build web tilescope_page tilescope_engine tilescope_unpack "$@" || return 4
  mkdir -p "$out/fonts" "$out/licences" || return 4
  cp "$root"/page/site/* "$root/assets/desktop/tilescope.svg" "$out/" &&
    cp "$root"/build/web/page/*.js "$out/" &&
    cp "$root"/build/web/licences/*.txt "$out/licences/" || return 4
  for file in "$root"/build/web/page/*.wasm; do
    [[ "$file" == */unpack.wasm ]] && continue
    pack_file "$file" "$out/$(basename "$file").zst" || return 4
  done
  cp "$root/build/web/page/unpack.wasm" "$out/" || return 4
  for file in "$root"/build/web/assets/fonts/*.[ot]tf; do
    case "$file" in
      */wqy-*) pack=pack_file ;;  # cmake/LanguageFont.cmake has made it small
      *) pack=pack_font ;;
    esac
    "$pack" "$file" "$out/fonts/$(basename "$file").zst" || return 4
  done
  "$root/tools/ptx_pack" --out "$out" --extent "$extent" || return 4
  # The lessons to read, each step with a link to where it is tried.
  build release tilescope-draw cli_programs || return 4
  "$root/build/release/bin/tilescope-draw" --lessons --html "$out/lessons" --page ../index.html
}

packages_page_test=(chromium)
packages_page_long=(firefox-esr "${packages_display[@]}")

# test_page [CTEST OPTION...]: the emulator's tests under node, the engine beside the native one, the page in
# Chromium, beside each other. $long: in Firefox too, and all that docs/web.md and the whole packs say.
test_page() {
  local page="$root/build/page" beside
  ensure_packages "$root/build/.packages-page-test" "${packages_page_test[@]}" || return 3
  [[ -z "${long:-}" ]] || ensure_packages "$root/build/.packages-page-long" "${packages_page_long[@]}" || return 3
  build_page "$page" defaults emulator_test || return $?
  build release cli_programs || return 4
  # One more than there are processors: a page waits now and then.
  beside=$(($(nproc) + 1))
  ctest --test-dir "$root/build/web" --output-on-failure --parallel "$beside" "${labels[@]}" "$@"
}
