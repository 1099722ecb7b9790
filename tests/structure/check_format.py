#!/usr/bin/env python3
"""Checks that all C++ is as clang-format writes it.

  check_format.py ROOT         0: all is; 1: files that are not; 77: no clang-format of the major version
                               that decides
  check_format.py --self-test  proves that a file that is not is found

Major versions format differently: the one of Debian 12 decides.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from check_structure import tracked_files

MAJOR = 14
SKIPPED = 77
NOT_OURS = ("tests/emulator/kernels/",)  # what other people wrote stays as it is


def clang_format():
    """The program, or a sentence that says why there is none."""
    found = []
    for name in (f"clang-format-{MAJOR}", "clang-format"):
        if program := shutil.which(name):
            said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
            version = re.search(r"version (\d+)", said)
            if version and int(version.group(1)) == MAJOR:
                return program, None
            found.append(said.strip())
    there = f"; here is {found[-1]}" if found else " and there is none here"
    return None, f"clang-format {MAJOR} decides{there}: install clang-format-{MAJOR} to check"


def files_of(root):
    return [f for f in tracked_files(root)
            if f.endswith((".h", ".cpp", ".cuh", ".cu")) and not f.startswith(NOT_OURS)]


def unformatted(program, root, files):
    def look(some):
        said = subprocess.run([program, "--style=file", "--dry-run", *some], cwd=root,
                              capture_output=True, text=True).stderr
        return {m.group(1) for m in re.finditer(r"^(.+?):\d+:\d+: (?:warning|error)", said, re.M)}

    step = 32
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = pool.map(look, (files[i:i + step] for i in range(0, len(files), step)))
        return sorted(set().union(*parts))


def self_test(program):
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as root:
        shutil.copy(os.path.join(here, "..", "..", ".clang-format"), root)
        for name, text in (("right.cpp", "int a = 1;\n"), ("wrong.cpp", "int  a=1;\n")):
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(text)
        return 0 if unformatted(program, root, files_of(root)) == ["wrong.cpp"] else 1


def main():
    program, reason = clang_format()
    if program is None:
        print(reason)
        return SKIPPED
    if sys.argv[1:] == ["--self-test"]:
        return self_test(program)
    root = sys.argv[1]
    found = unformatted(program, root, files_of(root))
    for path in found:
        print(f"{path}: not as clang-format {MAJOR} writes it; clang-format -i {path}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
