#!/usr/bin/env python3
"""PTX of other compilers, emulated and checked: right, and nothing found.

  compiled_ptx_test.py COMPILER --cli CLI --cache FOLDER [--only NAME] [--nvcc NVCC]
  compiled_ptx_test.py COMPILER --keep FOLDER --cache FOLDER   writes the PTX of those that the
                                                               ordinary tests run (KEPT)
  compiled_ptx_test.py COMPILER --save FOLDER …                also writes each as a folder for
                                                               bench/foreign_kernels

The inputs are random, another set each run (SEED=N repeats one); the results are compared with
numpy's. The compilers are wheels, pinned in *-packages.txt and fetched once into the cache; one of
them makes CUDA C++, for which there is nvcc (nvcc.py). Exit code 77: not fetched, so nothing was
tried.
"""
import argparse
import ctypes
import importlib
import itertools
import os
import pathlib
import re
import site
import sys
import tempfile

import nvcc
from fetch import fetch

HERE = pathlib.Path(__file__).parent
# By test: the list of its packages, and where its kernels are.
COMPILERS = {
    "triton": ("triton", ["triton_kernels"]),
    "numba": ("numba", ["numba_kernels"]),
    "hopper_triton": ("triton", ["hopper_triton_products", "hopper_triton_tma",
                                 "hopper_triton_others", "gluon_kernels"]),
    "tilelang": ("tilelang", ["tilelang_products", "tilelang_kernels"]),
    "cute": ("cute", ["cute_kernels", "cute_others"]),
}
NEED_NVCC = ("tilelang", )
KEPT = {"triton": ("softmax", "matmul 16x16", "histogram"),
        "numba": ("block_sums", "matmul", "compact")}


def keep(cases, compiler, folder):
    for case in cases:
        name = case.name.split(" ", 1)[1]
        if name not in KEPT.get(compiler, ()):
            continue
        # Numba's names are long; comments say nothing.
        ptx = case.ptx.replace(case.entry, name.split()[0])
        ptx = re.sub(r"[ \t]*//[^\n]*", "", ptx)
        ptx = re.sub(r"\.common[^;]*;", "", ptx)
        ptx = re.sub(r"\n\s*\n+", "\n", ptx).strip() + "\n"
        file = pathlib.Path(folder) / f"{compiler}_{name.replace(' ', '_')}.ptx"
        file.write_text(ptx)
        print(f"{file}: grid {case.grid}, {case.threads} threads, {case.shared} B of shared memory")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("compiler", choices=COMPILERS)
    parser.add_argument("--cli")
    parser.add_argument("--cache", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    parser.add_argument("--save", type=pathlib.Path)
    parser.add_argument("--nvcc", default="")
    o = parser.parse_args()
    listed, modules = COMPILERS[o.compiler]
    packages = fetch(listed, o.cache)
    if packages is None:
        return 77
    found = nvcc.find(o.nvcc, o.cache, True) if o.compiler in NEED_NVCC else None
    if o.compiler in NEED_NVCC and found is None:
        return 77
    scratch = tempfile.TemporaryDirectory()
    os.environ.update(TILESCOPE_TEST_NVCC=str(found), TILELANG_CACHE_DIR=scratch.name,
                      CUTE_DSL_CACHE_DIR=scratch.name, CUTE_DSL_DUMP_DIR=scratch.name,
                      TRITON_CACHE_DIR=scratch.name, TRITON_DISABLE_LINE_INFO="1",
                      TRITON_DEFAULT_FP_FUSION="1")
    for nvvm in packages.glob("nvidia/cu*/lib/libnvvm.so*"):
        ctypes.CDLL(str(nvvm))  # Numba takes what is loaded, before any toolkit's
        os.environ.update(CUDA_HOME=str(nvvm.parents[1]), CUDA_PATH=str(nvvm.parents[1]))
    sys.path[:0] = [str(packages), str(HERE)]
    site.addsitedir(str(packages))  # numba-cuda takes numba.cuda's place by a .pth file
    import numpy as np

    from case import run, save
    seed = int(os.environ.get("SEED", np.random.SeedSequence().entropy % 2**32))
    random = np.random.default_rng(seed)
    cases = itertools.chain.from_iterable(
        importlib.import_module(module).cases(random) for module in modules)
    if o.keep:
        keep(cases, o.compiler, o.keep)
        return 0
    print(f"SEED={seed}")
    wrong, count = 0, 0
    for case in cases:
        if o.only not in case.name:
            continue
        count += 1
        if o.save:
            problems = save(case, o.cli, o.save / case.name.replace(" ", "_").replace(",", ""))
        else:
            with tempfile.TemporaryDirectory() as folder:
                problems = run(case, o.cli, folder)
        print(f"{case.name}: {'right' if not problems else problems[0]}", flush=True)
        for p in problems[1:]:
            print("   ", p)
        wrong += bool(problems)
    print(f"{count - wrong} of {count} are right")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
