#!/usr/bin/env python3
"""Every rung's exported .cu is built by nvcc, without this project, by the command in its head; and
without its options it is built too, or the one error that there is tells the command.

  exported_cu_test.py --cli CLI --cache FOLDER --built FOLDER [--nvcc NVCC] [--all] [--fetch]

  --all    each rung in every layout and type, ragged and with beta, not its defaults alone; without it
           and TILESCOPE_ALL (./test --long) four rungs of a fixed random choice
  --fetch  nvcc as wheels (nvcc-packages.txt), where there is no other

nvcc is the one given, that on PATH, in CUDA_HOME or CUDA_PATH, or one fetched before. On a machine
with a GPU each program runs too, and is to be right and print its TFLOPS. A text that this nvcc has
built before is not built again: --built holds a mark of each, by content. Exit code 77: there is no
nvcc, so nothing was tried.
"""
import argparse
import concurrent.futures
import ctypes
import hashlib
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import nvcc as compiler

TIMEOUT = 300  # seconds per file; it takes four


def gpus():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def cases(cli, everything):
    listed = subprocess.run([cli, "kernels", "--json"], capture_output=True, text=True, check=True)
    kernels = json.loads(listed.stdout)
    if not everything:
        if "TILESCOPE_ALL" not in os.environ:
            kernels = random.Random(26).sample(kernels, min(4, len(kernels)))
        yield from ((kernel["id"], []) for kernel in kernels)
        return
    for kernel in kernels:
        yield kernel["id"], []
        layouts, types = kernel["layouts"], kernel["types"]
        for i in range(max(len(layouts), len(types))):
            more = ["--layout", layouts[i % len(layouts)], "--types",
                    ",".join(types[i % len(types)]), "--size", "127x129x65", "--beta", "0.5",
                    *(["--bias"] if i % 2 == 0 else [])]
            yield kernel["id"], more + (["--c", "col"] if i % 2 else [])


class Builder:
    def __init__(self, o, nvcc, folder):
        self.cli, self.nvcc, self.folder, self.built = o.cli, nvcc, pathlib.Path(folder), o.built
        self.runs = gpus() > 0
        said = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True)
        self.version = said.stdout + subprocess.run(
            ["g++", "--version"], capture_output=True, text=True, check=True).stdout
        # Of a wheel the libraries lie where nvcc's own profile does not look.
        self.libraries = ["-L", str(nvcc.parent.parent / "lib")]

    def command(self, source, program):
        """The one that the file's head tells, for this machine's card if there is one."""
        told = re.search(r"^//   nvcc (.*?) -o ", source.read_text(), re.MULTILINE)
        if not told:
            return None
        flags = shlex.split(told.group(1))
        if self.runs:
            flags = ["-arch=native" if flag.startswith("-arch=") else flag for flag in flags]
        return [self.nvcc, *flags, *self.libraries, "-o", program, source]

    def try_plain(self, source, program):
        """`nvcc FILE.cu`, as whoever does not read the head types it: None, or what is wrong."""
        done = subprocess.run([self.nvcc, *self.libraries, "-o", program, source],
                              capture_output=True, text=True, timeout=TIMEOUT)
        if done.returncode == 0:
            return None
        said = done.stdout + done.stderr
        errors = [line for line in said.splitlines() if re.search(r"[:)] (fatal )?error\b.*:", line)]
        told = re.search(r"^//   (nvcc .*?) -o ", source.read_text(), re.MULTILINE).group(1)
        if len(errors) == 1 and told in errors[0]:
            return None
        return f"plain nvcc gives {len(errors)} errors: {said.strip()[:2000]}"

    def try_one(self, number, kernel, more):
        """None, or what is wrong."""
        name = " ".join([kernel, *more])
        source, program = self.folder / f"{number}.cu", self.folder / str(number)
        exported = subprocess.run([self.cli, "export", "--kernel", kernel, *more, "--out", source],
                                  capture_output=True, text=True)
        if exported.returncode != 0:
            return f"{name}: export: {exported.stderr.strip()}"
        command = self.command(source, program)
        if command is None:
            return f"{name}: its head does not tell how to build it"
        wrong = self.try_plain(source, program)
        if wrong:
            return f"{name}: {wrong}"
        mark = self.built / hashlib.sha256(
            (self.version + " ".join(map(str, command[1:-3])) + source.read_text()).encode()
        ).hexdigest()[:32]
        if mark.exists() and not self.runs:
            return None
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
        if done.returncode != 0 or not program.exists():
            return f"{name}: nvcc: {(done.stdout + done.stderr).strip()[:2000]}"
        if self.runs:
            ran = subprocess.run([program], capture_output=True, text=True, timeout=TIMEOUT)
            text = ran.stdout + ran.stderr
            right = re.search(r"^[1-9]\d* elements compared .*: 0 wrong", text, re.MULTILINE)
            if ran.returncode != 0 or not right or not re.search(r"[\d.]+ TFLOPS", text):
                return f"{name}: {text.strip()[:2000]}"
        mark.touch()
        program.unlink()
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--cache", type=pathlib.Path, required=True)
    parser.add_argument("--built", type=pathlib.Path, required=True)
    parser.add_argument("--nvcc", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--fetch", action="store_true")
    o = parser.parse_args()
    nvcc = compiler.find(o.nvcc, o.cache, o.fetch)
    if nvcc is None:
        print("SKIPPED: no exported kernel was built, as there is no nvcc: it is not on PATH, not "
              "in CUDA_HOME, and not fetched; ./test --long fetches it")
        return 77
    o.built.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        builder = Builder(o, nvcc, folder)
        chosen = list(cases(o.cli, o.all))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            wrong = [w for w in pool.map(lambda c: builder.try_one(c[0], *c[1]),
                                         enumerate(chosen)) if w]
    for sentence in wrong:
        print(sentence)
    kernels = len({kernel for kernel, _ in chosen})
    print(f"{len(chosen) - len(wrong)} of {len(chosen)} programs of {kernels} kernels are built"
          + (", right and timed" if builder.runs else "; there is no GPU to run them on"))
    least = 10 if o.all or "TILESCOPE_ALL" in os.environ else 4
    return 1 if wrong or kernels < least else 0


if __name__ == "__main__":
    sys.exit(main())
