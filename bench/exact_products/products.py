#!/usr/bin/env python3
"""Tensor-core products of every form on a card against the emulator's, bit for bit.

  products.py make DIR [WORDS [SEED [COLUMNS]]]  kernels and operands of all forms, random and adversarial ones;
                                      about so many words of results a form (4096); each n of wgmma up to COLUMNS
  products.py emulate CLI DIR ARCH    what the emulator makes of them: DIR/NAME.right
  card DIR                            what a card makes of them (card.cu): DIR/NAME.card
  products.py compare DIR             ends with 1 if one word differs
  products.py record DIR FILE         writes down hashes of operands and of the card's results
  products.py check CLI FILE [all]    the emulator against such a record, without a card: of wgmma n 8 and 16, or all
"""
import concurrent.futures
import hashlib
import os
import subprocess
import sys
import tempfile

from forms import ptx, warp_forms, warpgroup_forms
from operands import KINDS, Operands


def all_forms(columns):
    return warp_forms() + warpgroup_forms(range(8, columns + 1, 8))


def make(folder, words=4096, seed=29, columns=256):
    os.makedirs(folder, exist_ok=True)
    operands = Operands(seed)
    lines = []
    for form in all_forms(columns):
        count = max(len(KINDS), words // form.out_words())
        at = os.path.join(folder, form.name)
        with open(at + ".ptx", "w", encoding="ascii") as f:
            f.write(ptx(form, target="sm_90a" if form.n else "sm_90"))
        with open(at + ".in", "wb") as f:
            for i in range(count):
                f.write(operands.tile(form, KINDS[i % len(KINDS)]))
        lines.append(f"{form.name} {count} {form.threads} {form.shared()} {4 * count * form.in_words()} "
                     f"{4 * count * form.out_words()}\n")
    with open(os.path.join(folder, "forms.txt"), "w", encoding="ascii") as f:
        f.writelines(lines)
    print(f"{len(lines)} forms in {folder}")


def forms_in(folder):
    with open(os.path.join(folder, "forms.txt"), encoding="ascii") as f:
        return [(line.split()[0], *map(int, line.split()[1:])) for line in f]


def emulate(cli, folder, arch, chosen=lambda name: True):
    def one(form):
        name, ctas, threads, shared, _, out = form
        at = os.path.join(folder, name)
        subprocess.run([cli, "emulate", "--ptx", at + ".ptx", "--grid", str(ctas), "--block", str(threads),
                        "--shared", str(shared), "--arg", f"in:{at}.in", f"out:{out}", "--arithmetic", arch,
                        "--dump", f"1={at}.right"], check=True, stdout=subprocess.DEVNULL)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(one, [form for form in forms_in(folder) if chosen(form[0])]))


def read(folder, name, end):
    with open(os.path.join(folder, name + end), "rb") as f:
        return f.read()


def compare(folder):
    wrong = words = 0
    for name, ctas, threads, _, _, _ in forms_in(folder):
        right, card = read(folder, name, ".right"), read(folder, name, ".card")
        differ = [i for i in range(0, len(card), 4) if right[i:i + 4] != card[i:i + 4]]
        words += len(card) // 4
        wrong += len(differ)
        if differ:
            at = differ[0]
            tile = at // (len(card) // ctas)
            print(f"{name}: {len(differ)} of {len(card) // 4} words differ; the first is of tile {tile} "
                  f"({KINDS[tile % len(KINDS)]}), thread {at // 4 % threads}: emulator "
                  f"{right[at:at + 4][::-1].hex()}, card {card[at:at + 4][::-1].hex()}")
    print(f"{words - wrong} of {words} words of results of {len(forms_in(folder))} forms are equal in every bit")
    return 1 if wrong else 0


def hashes(folder, end, chosen=lambda name: True):
    return {form[0]: (hashlib.sha256(read(folder, form[0], ".in")).hexdigest()[:16],
                      hashlib.sha256(read(folder, form[0], end)).hexdigest()[:16])
            for form in forms_in(folder) if chosen(form[0])}


def record(folder, path, what):
    with open(path, "w", encoding="ascii") as f:
        f.write(f"{what}\n")
        for name, (given, result) in hashes(folder, ".card").items():
            f.write(f"{name} {given} {result}\n")


def check(cli, path, which=""):
    small = ("wgmma_m64n8k", "wgmma_m64n16k")

    def chosen(name):
        return which == "all" or not name.startswith("wgmma") or name.startswith(small)

    with open(path, encoding="ascii") as f:
        what = f.readline().split()  # WORDS SEED COLUMNS ARCH, then the card
        lines = [line.split() for line in f if chosen(line.split()[0])]
    with tempfile.TemporaryDirectory() as folder:
        make(folder, int(what[0]), int(what[1]), int(what[2]))
        emulate(cli, folder, what[3], chosen)
        found = hashes(folder, ".right", chosen)
    names = {name for name, _, _ in lines}
    if not names or names != set(found):
        print(f"the recording and this program have other forms: {sorted(names ^ set(found))[:5]}")
        return 1
    wrong = 0
    for name, given, result in lines:
        if found[name][0] != given:
            print(f"{name}: these are not the operands that the card had; Python's random may have changed")
            wrong += 1
        elif found[name][1] != result:
            print(f"{name}: the emulator's results are not the card's")
            wrong += 1
    print(f"{len(lines) - wrong} of {len(lines)} forms as on {' '.join(what[4:])}")
    return 1 if wrong else 0


if __name__ == "__main__":
    command, rest = sys.argv[1], sys.argv[2:]
    if command == "make":
        make(rest[0], *map(int, rest[1:]))
    elif command == "emulate":
        emulate(*rest)
    elif command == "record":
        record(rest[0], rest[1], " ".join(rest[2:]))
    else:
        sys.exit({"compare": compare, "check": check}[command](*rest))
