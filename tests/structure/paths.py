"""Paths and names of files in comments and documents: each must be there."""
import fnmatch
import os
import re

from rules import FILES_ELSEWHERE

_COMMENTS = {
    ".h": r"//[^\n]*|/\*.*?\*/", ".py": r"#[^\n]*|\"\"\".*?\"\"\"", ".md": r".+",
}
for _like, _extensions in ((".h", (".cpp", ".c", ".cuh", ".cu", ".glsl", ".vert", ".frag", ".in")),
                           (".py", (".sh", ".cmake", ".txt", ""))):
    _COMMENTS.update({extension: _COMMENTS[_like] for extension in _extensions})
_COMMENTS = {extension: re.compile(pattern, re.S) for extension, pattern in _COMMENTS.items()}

_NAME = r"[A-Za-z0-9_*][\w*+-]*"
# A path from the root or beside the file; a name with an extension that files of ours have.
_PATH = re.compile(rf"(?<![\w./~$<>{{}}%:\\-])(?:\./)?((?:{_NAME}/)*{_NAME}(?:\.[a-z0-9*]{{1,6}})*/?)(?![\w<{{(/])")
# Of names alone: files of these kinds are ours, others (.json, .cu) are what people have.
_EXTENSIONS = (".h", ".cpp", ".cuh", ".py", ".sh", ".cmake", ".md", ".in", ".glsl", ".vert", ".frag")
_PLACEHOLDER = re.compile(r"[A-Z]{2,}")  # NAME, NN_name, DIR


class Tree:
    """What there is: files, folders, names, and the stems that a file is spoken of by."""

    def __init__(self, files):
        self.files = set(files)
        self.folders = {os.path.dirname(f)[:end] for f in files
                        for end in [m.start() for m in re.finditer("/|$", os.path.dirname(f))]}
        self.tops = {f.split("/")[0] for f in files if "/" in f}
        self.names = {os.path.basename(f) for f in files}
        self.stems = {os.path.splitext(f)[0] for f in files}

    def has(self, path):
        path = path.rstrip("/")
        if "*" in path:
            every = self.files | self.folders
            return bool(fnmatch.filter(every, path) or fnmatch.filter(self.names, path))
        return path in self.files or path in self.folders or path in self.stems


def _comments(path, text):
    pattern = _COMMENTS.get(os.path.splitext(path)[1])
    return ((m.start(), m.group(0)) for m in pattern.finditer(text)) if pattern else ()


def missing_paths(path, text, tree):
    """(line, path) of each in a comment or a document that is not there."""
    folder = os.path.dirname(path)
    for start, comment in _comments(path, text):
        for match in _PATH.finditer(comment):
            named = match.group(1)
            if _PLACEHOLDER.search(named):
                continue
            extension = os.path.splitext(named.rstrip("/"))[1]
            if "/" in named.rstrip("/"):
                ours = named.split("/")[0] in tree.tops
                there = tree.has(named) or tree.has(os.path.join(folder, named))
                # build/ and out/ are made; what else begins otherwise is no path of ours.
                if not ours or there:
                    continue
            elif extension not in _EXTENSIONS or os.path.basename(named) in tree.names or \
                    named in FILES_ELSEWHERE or tree.has(named):
                continue
            yield text.count("\n", 0, start + match.start()) + 1, named
