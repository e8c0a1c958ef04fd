# shellcheck shell=bash
# What the scripts share; to be sourced. Leaves the shell in the project's folder.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# shellcheck disable=SC2034  # used by those who source this
# Everything the project needs to be built, tested and checked on Debian 12.
packages=(
  clang-19 libclang-rt-19-dev lld-19 g++ cmake ninja-build
  libboost-fiber-dev libboost-context-dev libabsl-dev nlohmann-json3-dev libcli11-dev libvalijson-dev libutf8proc-dev
  catch2 unicode-data libbenchmark-dev
  pkg-config dpkg-dev
)
# shellcheck disable=SC2034
# What makes and looks at HTML reports. Node.js often comes from elsewhere than Debian, and then with an npm that is no package.
page_packages=()
command -v node >/dev/null || page_packages+=(nodejs)
command -v npm >/dev/null || page_packages+=(npm)
# shellcheck disable=SC2034
browser_packages=(chromium)
# shellcheck disable=SC2034
# promtool, which reads what is written for Prometheus.
parser_packages=(prometheus)
# shellcheck disable=SC2034
check_packages=(clang-format-19 clang-tidy-19 shellcheck)

say() { printf '\n== %s\n' "$*"; }

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# install PACKAGE...: installs those that are missing, asks nothing, and needs no network if none is.
install() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "This is no Debian: going on with what is here. Needed are the equivalents of: $*"
    return
  fi
  local package missing=()
  for package in "$@"; do
    # The empty answer of an unknown package counts as missing.
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true) == installed ]] || missing+=("$package")
  done
  if ((${#missing[@]} == 0)); then
    say "All $# packages are installed"
    return
  fi
  say "Installing ${missing[*]}"
  local as_root=()
  if ((EUID != 0)); then
    sudo -n true 2>/dev/null || fail "Packages are missing and only root can install them: run sudo $0, or sudo apt-get install ${missing[*]}"
    as_root=(sudo -n)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o APT::Color=0)
  "${apt[@]}" update
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
}

# build PRESET [TARGET...]: configures and builds, by default everything.
build() {
  local preset=$1 targets=()
  shift
  (($# == 0)) || targets=(--target "$@")
  say "Configuring build/$preset"
  cmake --preset "$preset" --log-level=WARNING
  say "Building build/$preset"
  cmake --build --preset "$preset" "${targets[@]}"
}

elapsed() { printf '%d min %02d s' $((SECONDS / 60)) $((SECONDS % 60)); }
