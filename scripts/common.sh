# Sourced by the other scripts: where things are, and how they speak.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
third_party=$root/third_party
export GGML_DIRECTX_SOFTWARE="${GGML_DIRECTX_SOFTWARE:-1}" # Mesa's llvmpipe will do

say() {
    printf '\033[1m==> %s\033[0m\n' "$*" >&2
}

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# Compilers take about 1 GB each at their worst.
jobs() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/MemAvailable/ { print int($2 / 1000000) }' /proc/meminfo)
    echo $((memory > 0 && memory < cores ? memory : cores))
}
