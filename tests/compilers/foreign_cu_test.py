#!/usr/bin/env python3
"""CUDA C++ that other people wrote, opened as somebody would: each file opens, its sheet is guessed
and runs, or one sentence says why not. Nothing crashes, hangs or prints what nobody can read.

  foreign_cu_test.py --cli CLI --cache FOLDER [--files N] [--only PART]

The files are wheels' (foreign-packages.txt), a random part of them (SEED=N repeats one). Exit code
77: not fetched, so nothing was tried.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from fetch import fetch

# Of the packages; what else they include is the compiler's or is not there.
INCLUDE = ("cutlass_library/source/include", "cutlass_library/source/tools/util/include",
           "cutlass_library/source/examples/common", "gsplat/cuda/include")
SECONDS = 300  # of one command, beside others; a file takes a few
LONGEST = 1000  # characters of a sentence, names of files and of template instances included
OF_EACH = 2  # kernels of a file that are tried


class Failed(Exception):
    pass


def told(cli, words):
    """(exit code, document, sentence) of a command with --json."""
    command = list(map(str, [cli, *words, "--json"]))
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise Failed(f"no end after {SECONDS} s: {' '.join(command)}") from None
    if done.returncode not in (0, 1, 2, 3, 4):
        raise Failed(f"exit code {done.returncode}: {' '.join(command)}\n{done.stderr[-500:]}")
    try:
        document = json.loads(done.stdout)
    except ValueError:
        raise Failed(f"no JSON: {' '.join(command)}\n{done.stdout[-300:]}{done.stderr[-300:]}") from None
    if done.returncode == 0:
        return 0, document, ""
    error = document.get("error", {}) if isinstance(document, dict) else {}
    sentence = error.get("message", "")
    if error.get("code") != done.returncode or not sentence.strip() or "\n" in sentence.strip():
        raise Failed(f"no sentence: {' '.join(command)}\n{sentence}")
    return done.returncode, document, sentence


def kernels_of(sentence):
    """The names in "choose A, B<1, 2>, C"."""
    names, depth = [""], 0
    for c in sentence.partition("; choose ")[2]:
        depth += (c in "<({") - (c in ">)}")
        if c == "," and depth == 0:
            names.append("")
        else:
            names[-1] += c
    return [name.strip() for name in names if name.strip()]


def run_kernel(cli, command, entry, folder):
    """What became of one kernel: the sheet that is guessed for it, run and traced."""
    sheet = folder / "kernel.sheet.json"
    sheet.unlink(missing_ok=True)
    wanted = ["--entry", entry] if entry else []
    code, _, why = told(cli, ["emulate", *command, *wanted, "--write-sheet", sheet])
    if not sheet.exists():
        return "ran" if code == 0 else "refused", why
    # A wrong guess ends in a fault that is told; the checks look at what ran until then.
    code, _, why = told(cli, ["emulate", *command, "--sheet", sheet])
    if code == 0:
        trace, _, why = told(cli, ["trace", *command, "--sheet", sheet, "--cta", "0,0"])
        if trace != 0:
            raise Failed(f"ran, but has no trace: {why}")
        return "ran", ""
    return ("faulted" if "CTA (" in why else "refused"), why


def open_file(cli, file, options, folder):
    """[(outcome, sentence)] of its kernels."""
    command = ["--cu", file, *options]
    sheet = folder / "file.sheet.json"
    sheet.unlink(missing_ok=True)
    code, _, why = told(cli, ["emulate", *command, "--write-sheet", sheet])
    several = kernels_of(why)
    if several:
        return [run_kernel(cli, command, name, folder) for name in several[:OF_EACH]]
    if code == 0 or sheet.exists():
        return [run_kernel(cli, command, None, folder)]
    if len(why) > LONGEST and "<" not in why:
        raise Failed(f"{file}: {len(why)} characters are no sentence: {why}")
    return [("refused", why)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--cache", type=pathlib.Path, required=True)
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--only", default="")
    o = parser.parse_args()
    packages = fetch("foreign", o.cache)
    if packages is None:
        return 77
    files = sorted(f for f in packages.rglob("*.cu") if o.only in str(f))
    seed = int(os.environ.get("SEED", random.randrange(2**32)))
    print(f"SEED={seed}")
    files = random.Random(seed).sample(files, min(o.files, len(files)))
    options = [word for folder in INCLUDE for word in ("-I", packages / folder)]
    outcomes, failures = collections.Counter(), []
    for file in files:
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = open_file(o.cli, file, options, pathlib.Path(folder))
            except Failed as why:
                failures.append(f"{file.relative_to(packages)}: {why}")
                print("FAILED", failures[-1], flush=True)
                continue
        for outcome, why in found:
            outcomes[outcome] += 1
            print(f"{outcome:8} {file.relative_to(packages)} {why[:160]}", flush=True)
    print(dict(outcomes))
    if not o.only and outcomes["ran"] + outcomes["faulted"] < len(files) // 8:
        failures.append(f"only {dict(outcomes)} of {len(files)} files came as far as a run")
    for failure in failures:
        print(failure)
    return 1 if failures or not files else 0


if __name__ == "__main__":
    sys.exit(main())
