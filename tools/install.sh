# Sourced by ./run, ./test and tools/package: installs the Debian or Ubuntu packages that are missing.
# Everything is said on stderr: stdout belongs to the program that is run afterwards.

packages_build=(g++ cmake ninja-build ccache pkg-config python3 python3-pip
  libglfw3-dev libfreetype-dev libgl-dev nlohmann-json3-dev libcli11-dev libspdlog-dev libfmt-dev
  libuv1-dev libsqlite3-dev zlib1g-dev libcairo2-dev libwebp-dev libgtest-dev librapidcheck-dev
  fonts-inter fonts-jetbrains-mono fonts-wqy-microhei libharfbuzz-bin)
packages_display=(xvfb libgl1-mesa-dri libgl1)  # a window without a screen
packages_package=(dpkg-dev file)  # tools/package
packages_test=(xdotool python3-xlib python3-numpy clang-format dpkg-dev openmpi-bin openssh-server openssh-client)
packages_long=(slurmctld slurmd slurm-client munge mmdebstrap)  # ./test --long; its tests skip without
packages_32=(g++-multilib)  # core and emulator with -m32: ./test --long
packages_tidy=(clang clang-tidy)  # ./test --tidy, --long
packages_clang=(clang)  # ./test --clang
packages_fuzz=(clang libclang-rt-dev)  # tests/fuzz/fuzz alone

# missing_packages NAME...: prints those that are not installed.
missing_packages() {
  local installed name
  installed=" $(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    awk '$2 == "installed" {printf "%s ", $1}') "
  for name in "$@"; do
    [[ "$installed" == *" $name "* ]] || printf '%s ' "$name"
  done
}

# ensure_packages STAMP NAME...: a stamp that lists the same names saves the question.
ensure_packages() {
  local stamp=$1 missing list
  shift
  list="$*"
  [[ -f "$stamp" && "$(<"$stamp")" == "$list" ]] && return 0
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "tilescope: no apt-get here; assuming what these Debian packages hold is installed:" >&2
    echo "  $list" >&2
    for tool in g++ cmake ninja python3; do
      if ! command -v "$tool" >/dev/null; then
        echo "tilescope: $tool is missing; install the equivalents of the packages above" >&2
        return 3
      fi
    done
    return 0
  fi
  missing=$(missing_packages "$@")
  if [[ -n "${missing// /}" ]]; then
    local -a as_root=()
    if [[ $(id -u) -ne 0 ]]; then
      if ! command -v sudo >/dev/null; then
        echo "tilescope: as root, install: apt-get install $missing" >&2
        return 3
      fi
      as_root=(sudo)
    fi
    echo "tilescope: installing $missing" >&2
    # shellcheck disable=SC2086
    if ! { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
           "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
             apt-get install -q -y --no-install-recommends $missing; } >&2; then
      echo "tilescope: apt-get could not install: $missing" >&2
      return 3
    fi
  fi
  mkdir -p "$(dirname "$stamp")"
  printf '%s' "$list" >"$stamp"
}
