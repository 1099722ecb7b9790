#!/usr/bin/env python3
"""Every NVIDIA atom of the package tensor-layouts against `fragments --all --json`.

  tensor_layouts_test.py CLI      PYTHONPATH holds the package

The package writes CuTe's shape:stride tables down by hand, from CUTLASS: a source that shares no
line with Tilescope. What it lacks, and is therefore not compared here:
  - wgmma's A from registers: its wgmma atoms take A from shared memory ("SS"); the accumulators are
    compared for every n. (tests/layout compares A with the PTX ISA.)
  - wmma, movmatrix, .satfinite, .and.popc, unsigned and mixed integers, m16n8k16 of fp8,
    m8n8k4 with f16 C and f32 D: of these there is no atom.
What it has beyond: dp4a, sparse forms, complex products made of three f64 ones, tcgen05 and sm_120's
forms, which are not in Tilescope's list.
"""
import json
import os
import re
import subprocess
import sys

from tensor_layouts import atoms_nv

MMA_LISTS = ("MMA_ATOMS_SM70", "MMA_ATOMS_SM75", "MMA_ATOMS_SM80", "MMA_ATOMS_SM89",
             "MMA_ATOMS_SM90")
GMMA_LISTS = ("MMA_ATOMS_SM90_GMMA", "MMA_ATOMS_SM90_GMMA_EXT")
COPY_LISTS = ("COPY_ATOMS_SM75", "COPY_ATOMS_SM90")

# As printed in CUTLASS too: lanes step 4 along k and hold 8 values there, so that neighbours share
# elements and k 20 to 31 is held by nobody. The PTX ISA has 8 · (lane % 4).
NOT_A_MAP = {("SM80_16x8x32_S32S4S4S32_TN", "B")}

problems = []
# Programs that are started take most of the time: each so many atoms are asked for by their CuTe name.
NAMED_EVERY = 1 if "TILESCOPE_ALL" in os.environ else 8


def check(condition, message):
    if not condition:
        problems.append(message)
    return condition


def run(cli, *arguments):
    done = subprocess.run([cli, "fragments", "--json", *arguments], capture_output=True, check=True)
    return json.loads(done.stdout)


def check_name(cli, name, ptx, number):
    if number % NAMED_EVERY == 0:
        check(run(cli, "--atom", name)["atom"] == ptx, f"{name}: not found by name")


def atoms_of(lists):
    return [atom for name in lists for atom in getattr(atoms_nv, name)]


known_maps = {}


def layout_map(layout, threads, values, rows, transposed=False):
    """[thread][value] → [row, col] of a column-major offset; `transposed`: [col, row]."""
    key = (str(layout), threads, values, rows, transposed)  # many atoms have the same layout
    if key not in known_maps:
        known_maps[key] = new_layout_map(layout, threads, values, rows, transposed)
    return known_maps[key]


def new_layout_map(layout, threads, values, rows, transposed):
    found = []
    for t in range(threads):
        places = [divmod(layout(t, v), rows) for v in range(values)]
        found.append([[c, r] if transposed else [r, c] for c, r in places])
    return found


def check_operand(atom, name, layout, rows, ours, transposed=False):
    threads = len(ours["map"])
    theirs = layout_map(layout, threads, ours["values"], rows, transposed)
    if (atom.name, name) in NOT_A_MAP:
        held = {tuple(at) for thread in theirs for at in thread}
        check(len(held) < threads * ours["values"], f"{atom.name} {name}: mended; compare it")
        return
    if check(threads * ours["values"] == ours["rows"] * ours["cols"], f"{atom.name} {name}: size"):
        check(theirs == ours["map"], f"{atom.name}: {name} differs")


def check_mma(ours, cli):
    """The warp's atoms, by PTX name; CuTe's name must find the same instruction."""
    done = 0
    for atom in atoms_of(MMA_LISTS):
        if "complex" in atom.ptx:
            continue
        entry = ours.get(atom.ptx)
        if not check(entry is not None, f"{atom.name}: no {atom.ptx} in the list"):
            continue
        m, n, k = atom.shape_mnk
        check(entry["shape"] == [m, n, k], f"{atom.name}: shape")
        operands = entry["operands"]
        check_operand(atom, "A", atom.a_layout, m, operands["A"])
        check_operand(atom, "B", atom.b_layout, n, operands["B"], transposed=True)  # (n, k) there
        check_operand(atom, "C", atom.c_layout, m, operands["C"])
        if atom.thr_id is not None:
            lanes = [atom.thr_id(t) for t in range(len(operands["A"]["map"]))]
            check(entry.get("lanes") == lanes, f"{atom.name}: lanes {entry.get('lanes')}")
        check_name(cli, atom.name, atom.ptx, done)
        done += 1
    return done


def check_wgmma(ours):
    """Accumulators: each atom by its types, then the layout of each n against every type."""
    named = 0
    for atom in atoms_of(GMMA_LISTS):
        match = re.fullmatch(r"SM90_\d+x\d+x\d+_(F16|F32|S32)(\w+?)\2_SS", atom.name)
        if not check(match is not None, f"{atom.name}: types not understood"):
            continue
        d, ab = (t.lower() for t in match.groups())
        types = f".{d}.{ab}.{ab}"
        ptx = atom.ptx if atom.ptx.endswith(types) else atom.ptx + types
        entry = ours.get(ptx)
        if check(entry is not None, f"{atom.name}: no {ptx} in the list"):
            check_operand(atom, "C", atom.c_layout, 64, entry["operands"]["C"])
            named += 1
    maps = {}
    for name, entry in ours.items():
        if not name.startswith("wgmma"):
            continue
        n = entry["shape"][1]
        if n not in maps:
            layout = atoms_nv.make_gmma_atom_ss(n).c_layout
            maps[n] = layout_map(layout, 128, n // 2, 64)
        check(entry["operands"]["C"]["map"] == maps[n], f"{name}: C differs")
        check(entry["operands"]["B"] is None and entry["threads"] == 128, f"{name}: B, threads")
    return named, len(maps)


def check_copies(ours, cli):
    """ldmatrix and stmatrix: bit offsets in stacked rows of 128 bits."""
    done = 0
    for atom in atoms_of(COPY_LISTS):
        kind, trans = re.fullmatch(r"SM\d+_U\d+x\d+_(LDSM|STSM)_([NT])", atom.name).groups()
        matrices = int(re.search(r"\.x(\d)", atom.ptx).group(1))
        ptx = "{}.sync.aligned.m8n8.x{}{}.shared.b16".format(
            "ldmatrix" if kind == "LDSM" else "stmatrix", matrices, ".trans" if trans == "T" else "")
        entry = ours.get(ptx)
        if not check(entry is not None, f"{atom.name}: no {ptx} in the list"):
            continue
        load = kind == "LDSM"
        registers = atom.dst_layout_bits if load else atom.src_layout_bits
        addresses = atom.src_layout_bits if load else atom.dst_layout_bits
        theirs = []
        for lane in range(32):
            places = [divmod(registers(lane, 16 * v), 128) for v in range(2 * matrices)]
            theirs.append([[row // 8, row % 8, bit // 16] for row, bit in places])
        check(theirs == entry["map"], f"{atom.name}: registers differ")
        rows = [addresses(lane, 0) // 128 for lane in range(8 * matrices)]
        check([[row // 8, row % 8] for row in rows] == entry["address"],
              f"{atom.name}: addresses differ")
        check_name(cli, atom.name, ptx, done)
        done += 1
    return done


def main():
    cli = sys.argv[1]
    ours = {entry["atom"]: entry for entry in run(cli, "--all")}
    mma = check_mma(ours, cli)
    named, widths = check_wgmma(ours)
    copies = check_copies(ours, cli)
    for problem in problems:
        print(problem)
    print(f"compared {mma} mma atoms, {named} wgmma atoms and {widths} widths, {copies} copies")
    # The package's lists, so that one that was renamed or emptied does not pass unseen.
    counted = (mma, named, widths, copies) == (39, 37, 32, 12)
    if not counted:
        print("that is not what version 0.3.2 holds")
    return 1 if problems or not counted else 0


if __name__ == "__main__":
    sys.exit(main())
