"""A program in CuTe's Python language, compiled without a GPU, and how its kernel is launched."""
import os
import re

import numpy as np

# Read as the compiler is imported.
os.environ.update(CUTE_DSL_ARCH="sm_90a", CUTE_DSL_KEEP="ptx")
import cutlass  # noqa: E402
import cutlass.cute as cute  # noqa: E402
from cutlass.cute.runtime import make_fake_compact_tensor  # noqa: E402

from case import Case, map_type, tensor_map  # noqa: E402
from floats import Bits, type_of  # noqa: E402

TYPES = {"float16": cutlass.Float16, "float32": cutlass.Float32, "int32": cutlass.Int32,
         "bf16": cutlass.BFloat16, "e4m3": cutlass.Float8E4M3FN, "e5m2": cutlass.Float8E5M2}
PARAMETER = re.compile(r"\.param (?:\.align \d+ )?\.(\w+) \w+(?:\[(\d+)\])?")


def turned(array):
    return array.T if isinstance(array, Bits) else np.ascontiguousarray(array.T)


def fake(array, by_columns):
    """What stands for it as the program is compiled: type, shape, order."""
    order = tuple(range(len(array.shape)))
    return make_fake_compact_tensor(TYPES[type_of(array)], array.shape,
                                    stride_order=order if by_columns else order[::-1],
                                    assumed_align=16)


def compiled(name, program, tensors, maps, expected, tolerance=0.0, pointers=None):
    """`tensors`: ("in" …, array, whether it lies by columns), in the program's order; `maps`:
    (tensor, box with the dense dimension first, bytes of the swizzle) as the kernel takes them;
    `pointers`: tensors that it takes by address, left out: those without a map. `expected`: by
    tensor. The program has grid, threads, shared and cluster."""
    ptx = cute.compile(program, *(fake(a, columns) for _, a, columns in tensors)).__ptx__
    entry = re.search(r"\.entry (\w+)", ptx).group(1)
    header = ptx[ptx.index(".entry"):ptx.index(")", ptx.index(".entry"))]
    if pointers is None:
        pointers = [i for i in range(len(tensors)) if i not in [m[0] for m in maps]]
    mapped, pointers = iter(maps), iter(pointers)
    takes = []  # by parameter: a map, a tensor, or neither
    for kind, size in PARAMETER.findall(header):
        if size == "128":
            takes.append(next(mapped))
        elif size == "8":
            takes.append(next(pointers))
        else:
            takes.append("bytes:" + "00" * int(size))
    arguments, place = [], {}
    for i, (kind, array, columns) in enumerate(tensors):
        place[i] = len(takes) + i
        arguments.append((kind, turned(array) if columns else array))
    front = []
    for t in takes:
        if isinstance(t, tuple):
            tensor, box, swizzle = t
            _, array, columns = tensors[tensor]
            dims = (array.shape if columns else array.shape[::-1])[:len(box)]
            front.append(tensor_map(place[tensor], map_type(array), dims, box, swizzle))
        else:
            front.append(t if isinstance(t, str) else f"bytes:@{place[t]}")
    outputs = {i: turned(e) if tensors[i][2] else e for i, e in expected.items()}
    return Case("cute " + name, ptx.replace(entry, "kernel"), "kernel", program.grid,
                program.threads, program.shared, front + arguments,
                {place[i]: e for i, e in outputs.items()}, tolerance,
                cluster=program.cluster)
