"""A kernel of another compiler, compiled: its PTX, how it is launched, what must come out."""
import dataclasses
import json
import pathlib
import subprocess

import numpy as np

from floats import FORMS, Bits, type_of, values_of

# Elements of a tensor map, by the array's type; those of 8 bits are bytes.
MAP_TYPES = {"float32": "f32", "float16": "f16", "int32": "i32", "bf16": "bf16"}


@dataclasses.dataclass
class Case:
    name: str
    ptx: str
    entry: str
    grid: tuple
    threads: int
    shared: int
    # By parameter: ("in" | "inout" | "out", array) or a SPEC of emulate --arg.
    arguments: list
    expected: dict  # argument → array
    tolerance: float = 0.0
    cluster: tuple = (1, 1, 1)
    # The kind of the one finding that is right, where a compiler has left something out.
    found: str = ""


def tensor_map(index, element, dims, box, swizzle=0, strides=(), nan=False):
    """The SPEC of a tensor map of argument `index`; the dense dimension first, strides in bytes
    from the second on."""
    by = "x".join
    return (f"tensormap:{index}:{element}:{by(map(str, dims))}:{by(map(str, box))}"
            + (f":swizzle={swizzle}" if swizzle else "")
            + (f":strides={by(map(str, strides))}" if strides else "")
            + (":fill=nan" if nan else ""))


def map_type(array):
    return MAP_TYPES.get(type_of(array), "u8")


def save(case, cli, folder):
    """The kernel, its launch as a sheet (docs/own_kernel.md) and what the emulator makes of it:
    for bench/foreign_kernels, which runs it on a card."""
    folder.mkdir(parents=True)
    wrong = run(case, cli, folder, check=False)
    arguments = []
    for i, argument in enumerate(case.arguments):
        if isinstance(argument, tuple):
            kind, array = argument
            argument = f"out:{array.nbytes}" if kind == "out" else f"{kind}:{i}.bin"
        arguments.append(argument)
    sheet = {"entry": case.entry, "grid": list(case.grid), "block": [case.threads, 1, 1],
             "shared": case.shared, "args": arguments}
    if case.cluster != (1, 1, 1):
        sheet["cluster"] = list(case.cluster)
    (folder / "sheet.json").write_text(json.dumps(sheet))
    return wrong


def run(case, cli, folder, check=True):
    """Emulates it; a list of what is wrong."""
    folder = pathlib.Path(folder)
    (folder / "kernel.ptx").write_text(case.ptx)
    command = [cli, "emulate", "--ptx", folder / "kernel.ptx", "--entry", case.entry, "--json",
               "--grid", ",".join(map(str, case.grid)), "--block", case.threads,
               "--shared", case.shared]
    if case.cluster != (1, 1, 1):
        command += ["--cluster", ",".join(map(str, case.cluster))]
    command += ["--check"] if check else []
    for i, argument in enumerate(case.arguments):
        if isinstance(argument, tuple):
            kind, array = argument
            if kind == "out":
                argument = f"out:{array.nbytes}"
            else:
                (folder / f"{i}.bin").write_bytes(array.tobytes())
                argument = f"{kind}:{folder / f'{i}.bin'}"
        command += ["--arg", argument]
    for i in case.expected:
        command += ["--dump", f"{i}={folder / f'out{i}.bin'}"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    document = json.loads(done.stdout) if done.stdout else {}
    if done.returncode != 0 or case.found and check:
        errors = [f for f in document.get("error", {}).get("findings", []) if not f["remark"]]
        if check and case.found and {f["kind"] for f in errors} == {case.found}:
            return run(case, cli, folder, check=False)
        return [f["message"] for f in errors[:3]] or [
            done.stderr.strip() or f"the checks do not find a {case.found}"]
    wrong = []
    for i, expected in case.expected.items():
        raw = (folder / f"out{i}.bin").read_bytes()
        if isinstance(expected, Bits):
            got = Bits(expected.type, np.frombuffer(raw, dtype=FORMS[expected.type][0]))
            got, expected = values_of(got).reshape(expected.shape), values_of(expected)
        else:
            got = np.frombuffer(raw, dtype=expected.dtype).reshape(expected.shape)
        if expected.dtype.kind == "f":
            wide, truth = got.astype(np.float64), expected.astype(np.float64)
            same = (wide == truth) | (np.isnan(wide) & np.isnan(truth))
            bad = ~same & ~(np.abs(wide - truth) <= case.tolerance * (1 + np.abs(truth)))
        else:
            bad = got != expected
        if bad.any():
            at = tuple(int(x) for x in np.argwhere(bad)[0])
            wrong.append(f"argument {i}: {int(bad.sum())} of {bad.size} elements differ; at {at} "
                         f"{got[at]} is not {expected[at]}")
    return wrong
