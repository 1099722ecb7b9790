"""Runs the sessions of docs/python.md, one after the other, and compares what they print.

docs_test.py; $TILESCOPE_ROOT is the checkout. What is left out of an output stands there as "…" or "...".
Ends with 77 where there is no compiler of kernels.
"""
import doctest
import os
import re
import sys
import tempfile

import tilescope

FLAGS = doctest.ELLIPSIS


def sessions(root):
    with open(os.path.join(root, "docs", "python.md"), encoding="utf-8") as file:
        text = file.read()
    # Lines stay where they are, so that a failure names the document's.
    kept, inside = [], False
    for line in text.split("\n"):
        if line.startswith("```"):
            inside = line == "```pycon"
            kept.append("")
        else:
            kept.append(line if inside else "")
    return "\n".join(kept), len(re.findall(r"^```pycon$", text, re.M))


def main():
    try:
        tilescope.emulate("naive", 64)
    except tilescope.Missing as error:
        print(error)
        sys.exit(77)
    text, count = sessions(os.environ["TILESCOPE_ROOT"])
    test = doctest.DocTestParser().get_doctest(text, {}, "docs/python.md", "docs/python.md", 0)
    if count < 6 or len(test.examples) < 20:
        sys.exit(f"docs/python.md has {count} sessions: is its form another one now?")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        outcome = doctest.DocTestRunner(optionflags=FLAGS).run(test)
        os.chdir("/")
    sys.exit(1 if outcome.failed else 0)


main()
