"""Runs in the emulator: kernels of the ladder, and kernels of one's own with NumPy arrays."""
from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Any, List, Optional, Sequence, Tuple, Union

from .arrays import numpy
from .counts import Emulation, emulation_of_answer, emulation_of_document
from .errors import BadRequest
from .programs import answer_with_code
from .requests import Gemm, Size, gemm_of, of_this_machine
from .worker import Progress, shared_worker


def emulate(kernel: Union[None, str, Gemm] = None, size: Optional[Size] = None, *,
            check: bool = False, seed: Optional[int] = None, progress: Optional[Progress] = None,
            **options: Any) -> Emulation:
    """Runs a kernel of the ladder on the CPU: its own PTX, verified, counted and checked.

    kernel, size, options: a Gemm, or its members.
    check: looks for races and the like in all that runs, not in one CTA of each class; one is then a
           fault. seed: of A and B; without it another one each time.
    progress: told {"stage": "compiling"} and the like.
    Returns an Emulation, whose `ok` says whether C is right; a wrong C is no exception. Raises
    BadRequest for what cannot be, Failed for a fault (out of bounds, a deadlock), whose sentence has
    CTA, warp, lane, address and line.
    """
    request = of_this_machine(gemm_of(kernel, size, options), "emulate")
    asked = request.message()
    if check:
        asked["check"] = True
    if seed is not None:
        asked["seed"] = seed
    worker = shared_worker(request.kernel_dir)
    answer = worker.call("emulate", asked, device="emulator", progress=progress).value
    return emulation_of_answer(asked["kernel"], answer)


@dataclass(frozen=True)
class In:
    """An argument that the kernel may only read."""

    array: Any


@dataclass(frozen=True)
class Out:
    """A buffer that is filled with zeros before the run: its shape and NumPy type."""

    shape: Union[int, Tuple[int, ...]]
    dtype: Any = "float32"


@dataclass(frozen=True)
class Run:
    """What a kernel of one's own did: `arrays` has a new array for each argument that is an array or
    an Out, None for the others, in the order of the arguments."""

    emulation: Emulation
    arrays: List[Any]


def _number(value: Any, place: int) -> str:
    np = numpy()
    if isinstance(value, np.generic):
        kinds = {"i": "i", "u": "u", "f": "f"}
        if value.dtype.kind in kinds:
            return f"{kinds[value.dtype.kind]}{8 * value.dtype.itemsize}:{value.item()}"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadRequest(f"argument {place} is {value!r}: give a NumPy array or number, a whole number "
                         "(i32), a float (f32), In(array), Out(shape) or a SPEC as text", 2)
    return f"i32:{value}" if isinstance(value, int) else f"f32:{value!r}"


def run(file: str, *arguments: Any, grid: Sequence[int], block: Optional[Sequence[int]] = None,
        shared: int = 0, entry: str = "", check: bool = False,
        options: Sequence[str] = (), cluster: Optional[Sequence[int]] = None) -> Run:
    """Runs a kernel of one's own, a .cu or .ptx file, on the CPU.

    arguments: the kernel's parameters in order. A NumPy array is read and written, In(array) read
               alone, Out(shape, dtype) begins as zeros. numpy.int64(5) and the like are numbers of
               their type; 5 is an i32, 1.5 an f32. Text is a SPEC of the command line.
    grid, block: x, y, z; what is left out is 1, and the block the kernel's own if it names one.
    cluster:   CTAs of a cluster, x, y, z; the kernel's own if it is left out.
    shared:    bytes of dynamic shared memory. entry: the kernel's name, if the file has several.
    check:     looks for races, values never written and the like in all that runs.
    options:   others of `tilescope-cli emulate`, ["--arch", "sm_80"].
    Raises BadRequest for a sheet that does not fit the kernel, Failed for a fault or a finding.
    """
    given = ["--cu" if file.endswith((".cu", ".cuh")) else "--ptx", file]
    given += ["--grid", ",".join(str(n) for n in grid), "--shared", str(shared)]
    if block is not None:
        given += ["--block", ",".join(str(n) for n in block)]
    if cluster is not None:
        given += ["--cluster", ",".join(str(n) for n in cluster)]
    if entry:
        given += ["--entry", entry]
    if check:
        given.append("--check")
    with tempfile.TemporaryDirectory(prefix="tilescope-") as folder:
        written = {}
        for place, argument in enumerate(arguments):
            spec, back = _spec(argument, place, folder)
            given.append(f"--arg={spec}")
            if back is not None:
                written[place] = back
                given.append(f"--dump={place}={os.path.join(folder, f'{place}.out')}")
        document, _ = answer_with_code("emulate", *given, *options)
        arrays: List[Any] = [None] * len(arguments)
        for place, (shape, dtype) in written.items():
            raw = numpy().fromfile(os.path.join(folder, f"{place}.out"), dtype=dtype)
            arrays[place] = raw.reshape(shape)
    name = document.get("kernel") or entry or os.path.basename(file)
    return Run(emulation_of_document(name, document), arrays)


def _spec(argument: Any, place: int, folder: str) -> Tuple[str, Optional[Tuple[Any, Any]]]:
    """As the command line has it, and shape and type of what comes back."""
    if isinstance(argument, str):
        return argument, None
    np = numpy()
    if isinstance(argument, Out):
        like = np.empty(argument.shape, dtype=argument.dtype)
        return f"out:{like.nbytes}", (like.shape, like.dtype)
    array = argument.array if isinstance(argument, In) else argument
    if not isinstance(array, np.ndarray):
        return _number(array, place), None
    if array.nbytes == 0 or array.dtype.hasobject:
        raise BadRequest(f"argument {place} is an array of {array.shape} {array.dtype}: a buffer needs "
                         "at least one element, of numbers", 2)
    file = os.path.join(folder, f"{place}.in")
    np.ascontiguousarray(array).tofile(file)
    if isinstance(argument, In):
        return f"in:{file}", None
    return f"inout:{file}", (array.shape, array.dtype)
