"""Where nvcc is."""
import os
import pathlib
import shutil

from fetch import fetch, folder_of


def of_wheels(folder):
    found = sorted(folder.glob("nvidia/*/bin/nvcc")) if folder else []
    return found[0] if found else None


def find(given, cache, may_fetch):
    """The one given, that on PATH, in CUDA_HOME or CUDA_PATH, or one fetched before; else, if it
    may, one that it fetches; else none."""
    roots = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    known = [given, shutil.which("nvcc")] + [f"{root}/bin/nvcc" for root in roots if root]
    for path in known:
        if path and os.access(path, os.X_OK):
            return pathlib.Path(path).resolve()
    return of_wheels(folder_of("nvcc", cache)) or (
        of_wheels(fetch("nvcc", cache)) if may_fetch else None)
