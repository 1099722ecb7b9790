"""A kernel in Triton's language, compiled without a GPU: which parameters its PTX has."""
import dataclasses

import numpy as np
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from case import Case, map_type, tensor_map
from floats import Bits, type_of

TYPES = {"float32": "fp32", "float16": "fp16", "int32": "i32", "int8": "i8", "uint8": "u8",
         "float64": "fp64", "int64": "i64", "bf16": "bf16", "e4m3": "fp8e4nv", "e5m2": "fp8e5"}


@dataclasses.dataclass
class Described:
    """An array that a kernel takes by a tensor descriptor which the host makes."""
    block: tuple
    fill: str = "zero"
    layout: object = None  # of shared memory; Gluon's alone


def strides_of(shape):
    return [int(np.prod(shape[i + 1:])) for i in range(len(shape))]


def compiled(name, kernel, grid, values, constants, expected, tolerance=0.0, target=80,
             source=ASTSource, found="", **options):
    """`values`: by argument in order, ("in" …, array), ("in" …, array, Described), or
    ("i32" | "fp32", number). `expected`: by value."""
    names = list(kernel.arg_names)
    signature, attributes = {}, {}
    for i, (argument, (kind, value, *described)) in enumerate(zip(names, values)):
        if described:
            block = ",".join(map(str, described[0].block))
            layout = f",{described[0].layout!r}" if described[0].layout else ""
            signature[argument] = f"tensordesc<{TYPES[type_of(value)]}[{block}]{layout}>"
        elif isinstance(value, (np.ndarray, Bits)):
            signature[argument] = "*" + TYPES[type_of(value)]
            attributes[(i,)] = [["tt.divisibility", 16]]
        else:
            signature[argument] = kind
            if kind == "i32" and value % 16 == 0:
                attributes[(i,)] = [["tt.divisibility", 16]]
    for constant in constants:
        signature[constant] = "constexpr"
    made = triton.compile(source(fn=kernel, signature=signature, constexprs=constants,
                                 attrs=attributes),
                          target=GPUTarget("cuda", target, 32), options=options)
    ptx = made.asm["ptx"]
    m = made.metadata
    arguments, buffers, place = [], [], {}
    metas = iter(m.tensordesc_meta or ())
    for i, (kind, value, *described) in enumerate(values):
        place[i] = len(arguments)
        if described:
            buffers.append((i, len(arguments), value, next(metas), described[0].fill))
            arguments += [None] + [f"i32:{n}" for n in value.shape]
            arguments += [f"i64:{n}" for n in strides_of(value.shape)]
        elif isinstance(value, (np.ndarray, Bits)):
            arguments.append((kind, value))
        else:
            arguments.append(f"{'f32' if kind == 'fp32' else kind}:{value}")
    # Behind the kernel's own: scratch for descriptors that it makes, and a profiler's.
    header = ptx[ptx.index(".entry"):ptx.index("{", ptx.index(".entry"))]
    hidden = ["u64:0"] * (header.count(".param") - len(arguments))
    if m.global_scratch_size:
        hidden[0] = f"out:{m.global_scratch_size * int(np.prod(grid)) * m.num_ctas}"
    arguments += hidden
    for i, parameter, value, meta, fill in buffers:
        place[i] = len(arguments)
        arguments[parameter] = tensor_map(
            len(arguments), map_type(value), value.shape[::-1], meta["block_size"][::-1],
            (0, 32, 64, 128)[meta["swizzle"]], nan=fill == "nan")
        arguments.append((values[i][0], value))
    return Case(name, ptx, m.name, (grid[0] * m.num_ctas, *grid[1:]), 32 * m.num_warps, m.shared,
                arguments, {place[i]: e for i, e in expected.items()}, tolerance,
                cluster=(m.num_ctas, 1, 1), found=found)
