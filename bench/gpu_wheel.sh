#!/bin/bash
# bench/gpu_wheel.sh WHEEL NVIDIA: the wheel on a machine with a GPU and nothing else: installed into an
# empty folder, any toolkit of the machine hidden, seconds from there to the first measured tile.
# NVIDIA: what pip would fetch beside it, for a machine without a network: a tar of the packages' folders
# as site-packages has them, made where they are installed by
#   tar -cJf NVIDIA nvidia nvidia_cuda_nvrtc-*.dist-info nvidia_cuda_runtime-*.dist-info
set -eu
wheel=$(readlink -f "$1") nvidia=$(readlink -f "$2")
if [[ -z "${TILESCOPE_HIDDEN:-}" ]]; then
  TILESCOPE_HIDDEN=1 exec unshare -m "$0" "$wheel" "$nvidia"
fi
for folder in /usr/local/cuda* /opt/nvidia; do
  [[ -d "$folder" && ! -L "$folder" ]] && mount -t tmpfs none "$folder"
done
unset CUDA_HOME CUDA_PATH
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
site=$(mktemp -d) home=$(mktemp -d)
export HOME=$home PYTHONPATH=$site
tar -xf "$nvidia" -C "$site"
seconds() { date +%s.%N; }
took() { echo "$1: $(awk -v a="$2" -v b="$(seconds)" 'BEGIN {printf "%.1f s", b - a}')"; }

begin=$(seconds)
python3 -m pip install --quiet --no-deps --no-index --target "$site" "$wheel"
took "installed (NVIDIA's wheels lay there)" "$begin"
"$site/bin/tilescope-cli" doctor || true
begin=$(seconds)
python3 - <<'PYTHON'
import tilescope as ts
b = ts.bench('mma_multistage', 4096, device='cuda')
print('ok', b.ok, b.standing, f'{b.tflops:.1f} TFLOPS')
PYTHON
took 'first tile' "$begin"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
