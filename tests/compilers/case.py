"""A kernel of another compiler, compiled: its PTX, how it is launched, what must come out."""
import dataclasses
import json
import pathlib
import subprocess

import numpy as np


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


def run(case, cli, folder, check=True):
    """Emulates it; a list of what is wrong."""
    folder = pathlib.Path(folder)
    (folder / "kernel.ptx").write_text(case.ptx)
    command = [cli, "emulate", "--ptx", folder / "kernel.ptx", "--entry", case.entry, "--json",
               "--grid", ",".join(map(str, case.grid)), "--block", case.threads,
               "--shared", case.shared]
    command += ["--check"] if check else []
    for i, argument in enumerate(case.arguments):
        if isinstance(argument, tuple):
            kind, array = argument
            if kind == "out":
                argument = f"out:{array.nbytes}"
            else:
                (folder / f"{i}.bin").write_bytes(np.ascontiguousarray(array).tobytes())
                argument = f"{kind}:{folder / f'{i}.bin'}"
        command += ["--arg", argument]
    for i in case.expected:
        command += ["--dump", f"{i}={folder / f'out{i}.bin'}"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    document = json.loads(done.stdout) if done.stdout else {}
    if done.returncode != 0:
        errors = [f["message"] for f in document.get("error", {}).get("findings", [])
                  if not f["remark"]]
        return errors[:3] or [done.stderr.strip()]
    wrong = []
    for i, expected in case.expected.items():
        raw = (folder / f"out{i}.bin").read_bytes()
        got = np.frombuffer(raw, dtype=expected.dtype).reshape(expected.shape)
        if expected.dtype.kind == "f":
            wide, truth = got.astype(np.float64), expected.astype(np.float64)
            bad = ~(np.abs(wide - truth) <= case.tolerance * (1 + np.abs(truth)))
        else:
            bad = got != expected
        if bad.any():
            at = tuple(int(x) for x in np.argwhere(bad)[0])
            wrong.append(f"argument {i}: {int(bad.sum())} of {bad.size} elements differ; at {at} "
                         f"{got[at]} is not {expected[at]}")
    return wrong
