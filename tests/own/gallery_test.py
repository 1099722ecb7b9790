"""Planted bugs: each wrong kernel of assets/gallery is found by the kind that its list names, and with its diff put on
nothing is found and the result is right. gallery_test.py CLI FOLDER [--all]"""
import json
import os
import subprocess
import sys
import tempfile

IN_TEST = 3  # of them in ./test, at even distances; all with --all


def patched(text, diff):
    """A unified diff of one file, every line of its context where it says."""
    lines, result, at = text.splitlines(keepends=True), [], 0
    for line in diff.splitlines(keepends=True):
        if line.startswith(("---", "+++")):
            continue
        if line.startswith("@@"):
            begin = int(line.split()[1].split(",")[0][1:]) - 1
            result += lines[at:begin]
            at = begin
        elif line.startswith("+"):
            result.append(line[1:])
        else:
            assert lines[at] == line[1:], f"line {at + 1}: {lines[at]!r} is not {line[1:]!r}"
            if line.startswith(" "):
                result.append(lines[at])
            at += 1
    return "".join(result + lines[at:])


def checked(cli, file):
    done = subprocess.run([cli, "check", file, "--json"], capture_output=True, text=True)
    try:
        told = json.loads(done.stdout)
    except json.JSONDecodeError:
        told = {}
    assert "lines" in told, f"{file}: code {done.returncode}\n{done.stdout[:2000]}\n{done.stderr[:2000]}"
    return done.returncode, told


def kinds_of(told):
    return {finding["kind"] for line in told["lines"] for finding in line["findings"]}


def right(told):
    verdict = told["verified"] or {}
    return verdict.get("ok") or (told["expected"] and all(e["ok"] for e in told["expected"]))


def play(cli, folder, entry, scratch):
    name = entry["id"]
    read = lambda ending: open(os.path.join(folder, name + ending), encoding="utf-8").read()
    code, told = checked(cli, os.path.join(folder, name + ".cu"))
    assert entry["kind"] in kinds_of(told), f"{name}: {entry['kind']} is none of {kinds_of(told)}"
    with open(os.path.join(scratch, name + ".cu"), "w", encoding="utf-8") as file:
        file.write(patched(read(".cu"), read(".diff")))
    with open(os.path.join(scratch, name + ".sheet.json"), "w", encoding="utf-8") as file:
        file.write(read(".sheet.json"))
    code, told = checked(cli, os.path.join(scratch, name + ".cu"))
    assert code == 0 and told["errors"] == 0 and told["remarks"] == 0, f"{name}, mended: {kinds_of(told)}"
    assert right(told), f"{name}, mended: {told['verified']} {told['expected']}"
    print(f"ok: {name}: {entry['kind']}", flush=True)


def main():
    cli, folder = sys.argv[1:3]
    with open(os.path.join(folder, "gallery.json"), encoding="utf-8") as file:
        listed = json.load(file)
    names = {entry["id"] for entry in listed}
    files = {name[:-3] for name in os.listdir(folder) if name.endswith(".cu")}
    assert names == files, f"listed or there, not both: {names ^ files}"
    assert len({entry["title"] for entry in listed}) == len(listed) and all(len(entry["hints"]) >= 2 for entry in listed)
    step = 1 if "--all" in sys.argv else max(1, len(listed) // IN_TEST)
    with tempfile.TemporaryDirectory() as scratch:
        for entry in listed[::step]:
            play(cli, folder, entry, scratch)


main()
