#!/usr/bin/env python3
"""Checks what the design asks of every file: includes, length, names, nothing of one machine in it.

  check_structure.py ROOT         0: all well; 1: violations, one a line
  check_structure.py --self-test  proves that each kind of violation is found
"""
import ast
import functools
import os
import re
import subprocess
import sys

from circles import circles, include_graph, room_graph
from cpp_text import closing, functions, positional, without_text
from paths import Tree, missing_paths
from rules import (ARITHMETIC, ARITHMETIC_FREE, FILE_FOLDERS, FILE_WORDS, FORBIDDEN, HARD_LINES,
                   KERNEL_LISTS, KINDS, LONG_FUNCTIONS, MAX_FUNCTION, MAX_LINES, MAX_POSITIONAL, NOT_YET,
                   PART_KINDS, POSITIONAL, POSIX, PYTHON_RULES, PYTHON_VERSION, RULES, SPEAKS_OF_OTHERS, STREAMS)

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


@functools.lru_cache(maxsize=None)
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


def check_python(path, text, problems):
    """python/ is read by the oldest Python that it is for, and imports what its rule allows."""
    allowed = next((packages for prefix, packages in PYTHON_RULES if path.startswith(prefix)), None)
    if allowed is None:
        return
    try:
        tree = ast.parse(text, feature_version=PYTHON_VERSION)
    except SyntaxError as error:
        problems.append(f"{path}:{error.lineno}: {error.msg}, for Python "
                        f"{'.'.join(map(str, PYTHON_VERSION))}")
        return
    for node in ast.walk(tree):
        names = [name.name for name in node.names] if isinstance(node, ast.Import) else \
            [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
        for name in names:
            top = name.split(".")[0]
            if top not in sys.stdlib_module_names and top not in allowed:
                problems.append(f"{path}:{node.lineno}: python/ may not import {top} here")


def check_text(path, text, problems):
    if path.endswith((".md", "LICENSE")) and not path.startswith("docs/"):
        patterns = MACHINE[:4]
    else:
        patterns = MACHINE
    if not any(pattern.search(text) for pattern in (*patterns, HOSTS)):
        return
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


def check_files(path, text, problems):
    if not path.startswith(FILE_FOLDERS) or path.startswith("core/files/") or path in STREAMS:
        return
    for number, line in enumerate(text.splitlines(), 1):
        for word in FILE_WORDS:
            if word in line and "#include" not in line:
                problems.append(f"{path}:{number}: {word} outside of core/files, which reads, "
                                "replaces and locks files")


_ID = re.compile(r'\bid = "(\w+)"|_info\(\s*\d+,\s*"(\w+)"')


def kernel_ids(root, problems):
    """The kernels' ids, as each file of kernels/ gives its own."""
    folder = os.path.join(root, "kernels")
    ids = set()
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if not re.match(r"\d\d_.*\.cuh$", name):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            found = {a or b for a, b in _ID.findall(file.read())}
        if len(found) != 1:
            problems.append(f"kernels/{name}: gives {len(found)} ids; one kernel a file, as "
                            'info.id = "name" or float_info(N, "name", …)')
        ids |= found
    return ids


_ITEM = r'(?:"(\w+)"|[\[{(][^"()\[\]{}]*"(\w+)"[^()\[\]{}]*[\]})])'
_ITEMS = re.compile(rf"(?={_ITEM},\s*{_ITEM})")


def check_kernel_lists(path, text, ids, problems):
    """Two that follow one another are a list: "a", "b", or {"a", 1}, {"b", 2}."""
    if not path.startswith("tests/") or path in KERNEL_LISTS:
        return
    for match in _ITEMS.finditer(text):
        if {name for name in match.groups() if name} <= ids:
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
    code = without_text(text)
    for switch in re.finditer(r"\bswitch \(", code):
        start = code.find("{", switch.end())
        body = code[start:closing(code, start) + 1]
        kind = re.search(kinds, body)
        if kind and "switch (" not in body and re.search(r"\bdefault:", body):
            line = code.count("\n", 0, switch.start()) + 1
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


def check_header_names(files, problems):
    """A header's name stands once in the whole tree: it says which is meant."""
    places = {}
    for path in files:
        if path.endswith((".h", ".cuh")):
            places.setdefault(os.path.basename(path), []).append(path)
    for paths in places.values():
        if len(paths) > 1:
            problems.append(f"{paths[-1]}: is named as {paths[0]} is; give it a name of its own")


def room_of(path):
    """The folder that a rule is of, or the file; None: tests and what has no rule."""
    rule = None if path.startswith(("tests/", "bench/")) else rule_of(path)
    if rule is None:
        return None
    folders = rule[0].rstrip("/").count("/") + 1
    return "/".join(path.split("/")[:folders]) if "*" in rule[0] else rule[0]


def check_circles(root, files, problems):
    graph = include_graph(root, files)
    for way in circles(graph):
        problems.append(f"{way[0]}: includes itself: {' → '.join(way)}")
    rooms, examples = room_graph(graph, room_of)
    for way in circles(rooms):
        steps = [" includes ".join(examples[step]) for step in zip(way, way[1:])]
        problems.append(f"{way[0]}: a circle of folders: {' → '.join(way)} ({'; '.join(steps)})")


def check_paths(path, text, tree, problems, unmade):
    if path in SPEAKS_OF_OTHERS:
        return
    for line, named in missing_paths(path, text, tree):
        if named in NOT_YET:
            unmade.add(named)
        else:
            problems.append(f"{path}:{line}: there is no {named}")


def check(root):
    problems, warnings = [], []
    long_ones, wide_ones, unmade = set(), set(), set()
    files = sorted(tracked_files(root))
    ids = kernel_ids(root, problems)
    tree = Tree(files)
    check_header_names(files, problems)
    check_circles(root, files, problems)
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
        check_paths(path, text, tree, problems, unmade)
        if extension == ".py":
            check_python(path, text, problems)
        if extension in (".py", ".sh"):
            check_kernel_lists(path, text, ids, problems)
        if extension in (".h", ".cpp", ".c", ".cuh", ".cu"):
            check_includes(root, path, text, problems)
            check_first_include(root, path, text, problems)
            check_kernel_lists(path, text, ids, problems)
            check_files(path, text, problems)
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
    for known, seen in ((LONG_FUNCTIONS, long_ones), (POSITIONAL, wide_ones),
                        (NOT_YET, unmade)):
        problems += [f"{one}: is mended; strike it out in tests/structure/rules.py"
                     for one in sorted(known - seen)]
    return problems, warnings


def main():
    if sys.argv[1:] == ["--self-test"]:
        from self_test import self_test
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
