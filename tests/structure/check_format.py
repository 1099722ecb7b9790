#!/usr/bin/env python3
"""Checks that all C++ is as clang-format writes it.

  check_format.py ROOT [KNOWN] 0: all is; 1: files that are not; 77: no clang-format of the major version
                               that decides
  check_format.py --self-test  proves that a file that is not is found

KNOWN: a file that remembers what has been looked at, by content: such is not looked at again.
Major versions format differently: the one of Debian 12 decides.
"""
import hashlib
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


def digests(program, root, files):
    """Of each file with all that decides: it is as it was when its digest is."""
    decides = subprocess.run([program, "--version"], capture_output=True).stdout
    with open(os.path.join(root, ".clang-format"), "rb") as style:
        decides += style.read()
    found = {}
    for file in files:
        with open(os.path.join(root, file), "rb") as source:
            found[file] = hashlib.sha256(decides + file.encode() + source.read()).hexdigest()
    return found


def unknown_unformatted(program, root, files, known):
    """As unformatted(), of what `known` does not name; then it names what is right."""
    of = digests(program, root, files)
    seen = set()
    if os.path.exists(known):
        with open(known, encoding="ascii") as lines:
            seen = set(lines.read().split())
    found = unformatted(program, root, [f for f in files if of[f] not in seen])
    with open(known + ".new", "w", encoding="ascii") as lines:
        lines.write("\n".join(sorted(digest for f, digest in of.items() if f not in found)))
    os.replace(known + ".new", known)
    return found


def self_test(program):
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as root:
        shutil.copy(os.path.join(here, "..", "..", ".clang-format"), root)
        for name, text in (("right.cpp", "int a = 1;\n"), ("wrong.cpp", "int  a=1;\n")):
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(text)
        files, known = files_of(root), os.path.join(root, "known")
        if unformatted(program, root, files) != ["wrong.cpp"]:
            return 1
        # What was wrong is not remembered as right, nor what was right once it is another text.
        for wrong in (["wrong.cpp"], ["wrong.cpp"], ["right.cpp", "wrong.cpp"]):
            if len(wrong) == 2:
                shutil.copy(os.path.join(root, "wrong.cpp"), os.path.join(root, "right.cpp"))
            if unknown_unformatted(program, root, files, known) != wrong:
                return 1
        return 0


def main():
    program, reason = clang_format()
    if program is None:
        print(reason)
        return SKIPPED
    if sys.argv[1:] == ["--self-test"]:
        return self_test(program)
    root, *known = sys.argv[1:]
    files = files_of(root)
    found = (unknown_unformatted(program, root, files, *known) if known
             else unformatted(program, root, files))
    for path in found:
        print(f"{path}: not as clang-format {MAJOR} writes it; clang-format -i {path}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
