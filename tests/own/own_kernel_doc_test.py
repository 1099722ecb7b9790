"""Runs the commands of docs/own_kernel.md and compares what they print with what stands there.

own_kernel_doc_test.py CLI SOURCE_DIR. A line "    $ ./run …" is a command, with "# ends with N" behind it
where its exit code is not 0; the lines of its block below are what it prints, on either output, in that
order. "…" stands for any text, alone on a line for any lines.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile


def commands(text):
    """(command, exit code, lines that it prints)"""
    found, current = [], None
    for line in text.split("\n"):
        if line.startswith("    $ ./run "):
            command, _, note = line[len("    $ ./run "):].partition("    # ends with ")
            current = []
            found.append((command, int(note or 0), current))
        elif line.startswith("    ") and current is not None:
            current.append(line[4:])
        else:
            current = None
    return found


def pattern_of(line):
    return ".*".join(re.escape(part) for part in line.split("…"))


def printed(expected, output):
    """The first expected line that does not come behind the ones before it; None: all do."""
    at = 0
    for line in expected:
        if line == "…":
            continue
        pattern = re.compile("^" + pattern_of(line) + "$")
        while at < len(output) and not pattern.match(output[at]):
            at += 1
        if at == len(output):
            return line
        at += 1
    return None


def main():
    cli, source = os.path.abspath(sys.argv[1]), sys.argv[2]
    with open(os.path.join(source, "docs", "own_kernel.md"), encoding="utf-8") as f:
        todo = commands(f.read())
    if len(todo) < 6:
        sys.exit("docs/own_kernel.md has too few commands: is its form another one now?")
    if subprocess.run([cli, "emulate", "--size", "64", "--kernel", "naive"], capture_output=True).returncode == 3:
        print("needs NVRTC")
        sys.exit(77)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        work = os.path.join(folder, "sources")
        shutil.copytree(os.path.join(source, "tests", "own", "sources"), work)
        for command, code, expected in todo:
            # The shell's quotes, and no ./run of a checkout.
            ran = subprocess.run(["bash", "-c", '"$0" ' + command, cli], cwd=work, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            missing = printed(expected, ran.stdout.split("\n"))
            if ran.returncode != code or missing is not None:
                wrong += 1
                print(f"$ {command}\n{ran.stdout}\nended with {ran.returncode}, not {code}; "
                      f"not printed: {missing!r}")
    sys.exit(1 if wrong else 0)


main()
