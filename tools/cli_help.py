"""What a program says for --help, taken apart: for documents, manual pages and completions, so that
commands and options are listed in the programs alone."""
import re
import subprocess


def help_of(program, *command):
    """The blocks of a help text, which empty lines part."""
    run = subprocess.run([program, *command, "--help"], check=True, capture_output=True, text=True)
    return run.stdout.rstrip().split("\n\n")


def heading(block):
    """The name of a group of options; none of a paragraph."""
    first = block.split("\n")[0]
    return first[:-1] if first.endswith(":") and "\n  " in block else None


def commands(program):
    block = next(b for b in help_of(program) if heading(b) == "Commands")
    # A row begins two columns in; what is further in continues the row before.
    return [line.split()[0] for line in block.split("\n")[1:] if line[2] != " "]


def rows(block):
    """[(what stands left, its words)] of a group."""
    found = []
    for line in block.split("\n")[1:]:
        if line[:3].strip():
            name, *words = re.split(r"\s{2,}", line.strip(), maxsplit=1)
            found.append((name, words[0] if words else ""))
        elif found:
            name, words = found[-1]
            found[-1] = name, (words + " " + line.strip()).strip()
    return found


def options(program, *command):
    """[(["-h", "--help"], what its value is called or "", words)] of all groups of a command."""
    found = []
    for block in help_of(program, *command):
        if not heading(block) or heading(block) in ("Commands", "Arguments"):
            continue
        for name, words in rows(block):
            flags, _, value = name.partition(" ")
            if flags.startswith("-"):
                found.append((flags.split(","), value.strip(), words))
    return found
