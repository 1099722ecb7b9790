#!/usr/bin/env python3
"""Checks what the design asks of every file: includes, length, nothing of one machine in it.

  check_structure.py ROOT         0: all well; 1: violations, one a line
  check_structure.py --self-test  proves that each kind of violation is found
"""
import os
import re
import subprocess
import sys
import tempfile

from cpp_text import functions, positional
from rules import (ARITHMETIC, ARITHMETIC_FREE, FORBIDDEN, HARD_LINES, KERNEL_LISTS, KINDS,
                   LONG_FUNCTIONS, MAX_FUNCTION, MAX_LINES, MAX_POSITIONAL, PART_KINDS, POSITIONAL, POSIX, RULES)

SOURCE = (".h", ".cpp", ".c", ".cuh", ".cu", ".glsl", ".vert", ".frag", ".py", ".sh", ".cmake", "")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# Put together from pieces so that this file does not name what it looks for.
MACHINE = [re.compile(p) for p in (
    r"(?<![\w.$~{}])/" + r"root/", r"(?<![\w.$~{}])/" + r"home/\w", r"(?<![\w.$~{}/])/" + r"work/",
    # An address; a package's version of four numbers is pinned with ==.
    r"/opt/" + r"wheels", r"(?<![\w])(?<!==)(?:\d{1,3}\.){3}\d{1,3}(?![\w.])")]
HOSTS = re.compile("|".join((
    "pypi" + r"\.org", "python" + "hosted", "index" + r"-url", "debian" + r"\.org",
    "ubuntu" + r"\.com", "npmjs" + r"\.", "crates" + r"\.io", "conda" + r"\.io",
    "docker" + r"\.io", "ghcr" + r"\.io", "nvcr" + r"\.io", "proxy" + r"\.golang")))


def tracked_files(root):
    """Files that git knows; all files where there is no git."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True,
                                capture_output=True).stdout.decode().split("\0")
        return [f for f in listed if f and os.path.isfile(os.path.join(root, f))]
    except (OSError, subprocess.CalledProcessError):
        found = []
        for folder, folders, names in os.walk(root):
            folders[:] = [f for f in folders if f not in ("build", "out", ".git")]
            found += [os.path.relpath(os.path.join(folder, n), root) for n in names]
        return found


def kind_of(header):
    for kind, prefixes in sorted(KINDS.items(), key=lambda kv: kv[0] != "gl"):
        if any(header.startswith(p) for p in prefixes):
            return kind
    if header in POSIX or header.startswith(("sys/", "linux/", "netinet/", "arpa/")):
        return "std"
    return "std" if re.fullmatch(r"[a-z_0-9]+", header) else "other"


def rule_of(path):
    """The rule of a file; what its * stands for is put into what it may include."""
    for prefix, projects, kinds in RULES:
        match = re.match(re.escape(prefix).replace(r"\*", "([^/]+)"), path)
        if match:
            name = match.group(1) if match.groups() else ""
            return prefix, projects and tuple(p.replace("*", name) for p in projects), kinds
    return None


def check_includes(root, path, text, problems):
    rule = rule_of(path)
    if rule is None:
        return
    prefix, projects, kinds = rule
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(2)
        where = f"{path}:{number}"
        for folder, inside in FORBIDDEN:
            if path.startswith(folder) and header.startswith(inside):
                problems.append(f"{where}: {folder} must not include {header}")
        top = header.split("/")[0]
        is_project = ("/" in header and os.path.isdir(os.path.join(root, top))) or (
            match.group(1) == '"')
        if is_project:
            beside = os.path.join(os.path.dirname(path), header)
            if "/" not in header and not path.startswith(("tests/", "bench/")) and \
                    os.path.isfile(os.path.join(root, beside)):
                problems.append(f"{where}: name {header} from the root: {os.path.normpath(beside)}")
            elif projects is not None and not header.startswith(projects) and \
                    kind_of(header) not in (kinds or ()):
                problems.append(f"{where}: {prefix} may not include {header}")
        elif kinds is not None and kind_of(header) not in kinds:
            problems.append(f"{where}: {prefix} may not include <{header}> ({kind_of(header)})")


def check_text(path, text, problems):
    if path.endswith((".md", "LICENSE")) and not path.startswith("docs/"):
        patterns = MACHINE[:4]
    else:
        patterns = MACHINE
    for number, line in enumerate(text.splitlines(), 1):
        for pattern in patterns:
            if found := pattern.search(line):
                problems.append(f"{path}:{number}: names something of one machine: {found.group(0)}")
        if found := HOSTS.search(line):
            problems.append(f"{path}:{number}: names a registry's host: {found.group(0)}")


def check_first_include(root, path, text, problems):
    """A header that its own .cpp includes first compiles alone; tests/structure/CMakeLists.txt has
    the rest compiled."""
    own = os.path.splitext(path)[0] + ".h"
    if not path.endswith(".cpp") or path.startswith(("tests/", "bench/")) or \
            not os.path.isfile(os.path.join(root, own)):
        return
    first = next((m.group(2) for m in map(INCLUDE.match, text.splitlines()) if m), "nothing")
    if first != own:
        problems.append(f"{path}: includes {first} before {own}, which may then lean on it")


def check_functions(path, text, problems, long_ones):
    for line, lines, head in functions(text):
        if lines > MAX_FUNCTION:
            named = re.search(r"([\w:~]+)\s*\(", head)
            name = named.group(1) if named else head
            if f"{path}: {name}" in LONG_FUNCTIONS:
                long_ones.add(f"{path}: {name}")
            else:
                problems.append(f"{path}:{line}: {name} has {lines} lines; split it by concern "
                                f"(limit {MAX_FUNCTION})")


def check_positional(path, text, problems, wide_ones):
    for line, values in positional(text, MAX_POSITIONAL):
        if path in POSITIONAL:
            wide_ones.add(path)
        else:
            problems.append(f"{path}:{line}: {values} values without the names of their members "
                            f"(limit {MAX_POSITIONAL}); write .name = value")


def kernel_ids(root):
    folder = os.path.join(root, "kernels")
    ids = set()
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if re.match(r"\d\d_.*\.cuh$", name):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                ids.update(re.findall(r'\.id = "(\w+)"', file.read()))
    return ids


def check_kernel_lists(path, text, ids, problems):
    if not path.startswith("tests/") or path in KERNEL_LISTS:
        return
    for match in re.finditer(r'[{(]((?:\s*"\w+"\s*,?){2,})[})]', text):
        if set(re.findall(r'"(\w+)"', match.group(1))) <= ids:
            line = text.count("\n", 0, match.start()) + 1
            problems.append(f"{path}:{line}: a list of kernels; loop over kernel_table() "
                            "(tests/every_kernel.h)")


def check_arithmetic(path, text, problems):
    """What depends on a kernel's levels is asked of their table."""
    if path.startswith(ARITHMETIC_FREE):
        return
    asked = len(re.findall(r"\bmath\(\)", text))
    allowed, reason = ARITHMETIC.get(path, (0, ""))
    if asked != allowed:
        known = f"{allowed} ({reason})" if reason else "none"
        problems.append(f"{path}: asks a plan for math() {asked} times, known: {known}; counts, "
                        "extents and places are in core/layout/hierarchy.h; a word, a rate or a "
                        "gate is named in tests/structure/rules.py")


def check_exhaustive(path, text, problems):
    """A switch over a part's kind with a default would take a new kind for another."""
    kinds = r"\bcase (?:\w+::)*(" + "|".join(PART_KINDS) + r")::"
    for switch in re.finditer(r"\bswitch \(", text):
        start = text.find("{", switch.end())
        depth, end = 1, start + 1
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        body = text[start:end]
        kind = re.search(kinds, body)
        if kind and "switch (" not in body and re.search(r"\bdefault:", body):
            line = text.count("\n", 0, switch.start()) + 1
            problems.append(f"{path}:{line}: a switch over {kind.group(1)} with a default; name all "
                            "its kinds, and say of one that is not known that it is not")


def check_test_is_built(root, path, problems):
    """A test that no CMakeLists.txt builds is never seen to fail."""
    folder, name = os.path.split(path)
    try:
        with open(os.path.join(root, folder, "CMakeLists.txt"), encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return
    if name not in text and not re.search(r"GLOB[^)]*\*(_test)?\.cpp", text):
        problems.append(f"{path}: is built by nothing; name it in {folder}/CMakeLists.txt")


def check(root):
    problems, warnings = [], []
    long_ones, wide_ones = set(), set()
    files = sorted(tracked_files(root))
    ids = kernel_ids(root)
    for path in files:
        extension = os.path.splitext(path)[1]
        if path.startswith(("assets/", "tests/fuzz/corpus/")) or \
                extension not in SOURCE + (".md", ".txt", ".json", ".in"):
            continue
        try:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read()
        except UnicodeDecodeError:
            if extension in (".h", ".cpp", ".cuh"):
                problems.append(f"{path}: is not UTF-8")
            continue
        check_text(path, text, problems)
        if extension in (".h", ".cpp", ".c", ".cuh", ".cu"):
            check_includes(root, path, text, problems)
            check_first_include(root, path, text, problems)
            check_kernel_lists(path, text, ids, problems)
            check_arithmetic(path, text, problems)
            check_exhaustive(path, text, problems)
            if path.startswith("tests/") and path.endswith("_test.cpp"):
                check_test_is_built(root, path, problems)
            if not path.startswith("tests/emulator/kernels/"):  # what other people wrote
                check_functions(path, text, problems, long_ones)
                check_positional(path, text, problems, wide_ones)
        lines = text.count("\n")
        if extension in (".h", ".cpp", ".cuh", ".py", ".cmake", "") and lines >= MAX_LINES:
            (problems if lines >= HARD_LINES else warnings).append(
                f"{path}: {lines} lines; split it by concern (limit {MAX_LINES})")
    for known, seen in ((LONG_FUNCTIONS, long_ones), (POSITIONAL, wide_ones)):
        problems += [f"{one}: is mended; strike it out in tests/structure/rules.py"
                     for one in sorted(known - seen) if one.split(":")[0] in files]
    return problems, warnings


LONG = "  int a = 0;\n" * MAX_FUNCTION
RIGHT = {  # what must not be found
    "worker/right.cpp": "namespace n {\nclass A {\n" + LONG + "};\nvoid f() { g({1, 2, 3, 4, 5, "
                        "6, 7}); }\n}\n" + LONG,
    "worker/named.cpp": 'A a{.b = 1, .c = "x", .d = 3, .e = 4, .f = 5, .g = 6, .h = true};\n',
    "worker/list.cpp": 'A a{"a", "b", "c", name, call(1), "f", {}, "h"};\n',
    "viz/scene/s.cpp": "switch (a) {\n case Level::cta:\n  break;\n}\n"
                       "switch (b) {\n case Color::red:\n default:\n  break;\n}\n",
    "core/layout/plan.h": "return math() == Math::mma;\n",
    "tests/r.cpp": 'call({"a", "c"});\nTEST("a");\n',
    "tests/built/CMakeLists.txt": "t(SOURCES known_test.cpp)\n",
    "tests/built/known_test.cpp": "\n",
    "tests/globbed/CMakeLists.txt": "file(GLOB all CONFIGURE_DEPENDS ${D}/*_test.cpp)\n",
    "tests/globbed/any_test.cpp": "\n",
    "core/model/own.h": "#pragma once\n",
    "core/model/own.cpp": '#include "core/model/own.h"\n#include <map>\n',
}


def self_test():
    cases = {
        "core/layout/a.h": ("#include <vector>\n", "core/layout/ may not include <vector>"),
        "core/model/a.cpp": ('#include "viz/scene/b.h"\n', "core/model/ may not include viz"),
        "emulator/a.cpp": ('#include "core/layout/a.h"\n', "emulator/ may not include core"),
        "viz/scene/b.h": ("#include <GL/gl.h>\n", "viz/scene/ may not include <GL/gl.h>"),
        "app/shell/a.cpp": ("#include <cuda.h>\n", "app/shell/ may not include <cuda.h>"),
        "app/cli/a.cpp": ("#include <imgui.h>\n", "app/cli/ may not include <imgui.h>"),
        "app/state/a.cpp": ("#include <imgui.h>\n", "app/state/ may not include <imgui.h>"),
        "app/state/b.cpp": ('#include "app/features/l2/b.h"\n', "app/state/ may not include app/f"),
        "app/features/l2/a.cpp": ('#include "app/features/tune/b.h"\n', "may not include app/f"),
        "app/features/l2/b.cpp": ("#include <imgui.h>\n", "may not include <imgui.h>"),
        "app/features/l2/panels/a.cpp": ('#include "app/shell/b.h"\n', "may not include app/shell"),
        "tools/a.sh": ("cp /" + "root/x y\n", "one machine"),
        "tools/b.sh": ("pip --" + "index" + "-url x\n", "registry's host"),
        "worker/long.cpp": ("\n" * HARD_LINES, "split it by concern"),
        "worker/b.cpp": ('#include <map>\n#include "worker/b.h"\n', "before worker/b.h"),
        "worker/f.cpp": ("namespace n {\nA::A(int b) : b_{b}, c_(1) {\n" + LONG + "}\n}\n",
                         "A has 102 lines"),
        "worker/g.cpp": ("const auto g = [](int a) {\n" + LONG + "};\n", "has 102 lines"),
        "worker/p.cpp": ('A a{1, "x;{", 3, 4, 5, 6, 7};\n', "7 values"),
        "kernels/11_own.cuh": ('{.id = "a"}, {.id = "b"}\n', "is mended"),
        "tests/built/lost_test.cpp": ("\n", "is built by nothing"),
        "viz/scene/d.cpp": ("switch (k) {\n case CopyKind::none: {\n }\n default:\n}\n",
                            "switch over CopyKind"),
        "viz/scene/m.cpp": ("const bool mma = plan.math() == Math::mma;\n", "asks a plan for math() 1"),
        "core/model/roofs.cpp": ("double peak() { return 1; }\n", "known: 1 (rate"),
        "tests/e.cpp": ('for (auto id : {"a", "b"}) f(id);\n', "a list of kernels"),
    }
    LONG_FUNCTIONS.add("kernels/11_own.cuh: gone")
    files = {path: text for path, (text, _) in cases.items()} | RIGHT | {"worker/b.h": "\n"}
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        problems, _ = check(root)
    missing = [path for path, (_, expected) in cases.items()
               if not any(p.startswith(path) and expected in p for p in problems)]
    for path in missing:
        print(f"self-test: {path} was not found to be wrong")
    extra = [p for p in problems if p.split(":")[0] not in cases]
    for line in extra:
        print(f"self-test: {line}, although it is not")
    return 1 if missing or extra else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    problems, warnings = check(sys.argv[1])
    for line in warnings:
        print("warning:", line)
    for line in problems:
        print(line)
    print(f"{len(problems)} violations, {len(warnings)} warnings")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
