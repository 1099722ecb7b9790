"""A kernel in TileLang, compiled without a GPU: TileLang makes CUDA C++, nvcc its PTX."""
import os
import pathlib
import subprocess
import sys
import tempfile
import types

import numpy as np

from case import Case, tensor_map
from floats import Bits

SUFFIXES = {"float16": "f16", "float32": "f32", "bfloat16": "bf16"}
# CUtensorMapDataType
MAP_TYPES = ("u8", "u16", "u32", "i32", "u64", "i64", "f16", "f32", "f64", "bf16", "f32", "tf32")


class Stub:
    """Whatever name TileLang asks torch for."""

    def __init__(self, name):
        self.name = name

    def __call__(self, *_, **__):
        return self

    def __bool__(self):
        return False

    def __iter__(self):
        return iter(())

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub(f"{self.name}.{name}")


class NoTorch(types.ModuleType):
    """TileLang imports torch, half a gigabyte, for tensors on a card; no tensor is made here."""
    __version__ = "2.9.0"
    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        is_type = name[0].isupper() or name in ("dtype", "device")
        value = type(name, (), {}) if is_type else Stub(name)
        setattr(self, name, value)
        return value


sys.modules.setdefault("torch", NoTorch("torch"))
import tilelang  # noqa: E402
import tilelang.language as T  # noqa: E402, F401
from tilelang import tvm  # noqa: E402

ROOT = pathlib.Path(tilelang.__file__).parent
TARGET = tvm.target.Target({"kind": "cuda", "arch": "sm_90a"})


def ptx_of(source):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "kernel.cu"
        file.write_text(source)
        done = subprocess.run(
            [os.environ["TILESCOPE_TEST_NVCC"], "-ptx", "-arch=sm_90a", "-std=c++20", "-w",
             "-I", ROOT / "src", "-I", ROOT / "3rdparty/cutlass/include",
             "-o", file.with_suffix(".ptx"), file], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError("nvcc: " + done.stderr[:2000])
        return file.with_suffix(".ptx").read_text()


def map_of(index, words):
    """`words`: element type, number of dimensions, address, dimensions, their strides, box, steps,
    interleave, swizzle, promotion, fill."""
    kind, rank, _, *rest = words
    dims, strides, box, steps = (rest[i * rank:(i + 1) * rank] for i in range(4))
    interleave, swizzle, _, fill = rest[4 * rank:]
    if interleave or any(s != 1 for s in steps):
        raise RuntimeError("a tensor map with an interleaved layout or with steps")
    return tensor_map(index, MAP_TYPES[kind], dims, box, 16 << swizzle if swizzle else 0,
                      strides[1:], nan=bool(fill))


def compiled(name, function, buffers, expected, tolerance=0.0, configs=None,
             found=""):
    """`buffers`: by parameter's name ("in" …, array). `expected`: by the same."""
    with tvm.transform.PassContext(opt_level=3, config=configs or {}), TARGET:
        made = tilelang.lower(function, target=TARGET)
    (host, ) = made.host_mod.functions.values()
    (kernel, ) = made.device_mod.functions.values()
    maps = {str(desc): [int(x) if isinstance(x, (int, tvm.tirx.IntImm)) else str(x)
                        for x in list(words)[2:]]
            for desc, words in dict(host.attrs.get("tma_descriptor_args", {})).items()}
    extent = {str(k): int(v) for k, v in kernel.attrs["thread_extent"].items()}
    parameters = [p.name for p in kernel.params]
    arguments, place = [], {}
    for p in parameters:
        if p in maps:
            arguments.append(None)
        else:
            place[p] = len(arguments)
            arguments.append(buffers[p])
    for i, p in enumerate(parameters):
        if p in maps:
            base = maps[p][2]
            if base not in place:
                place[base] = len(arguments)
                arguments.append(buffers[base])
            arguments[i] = map_of(place[base], maps[p])
    threads = int(np.prod([extent.get(f"threadIdx.{a}", 1) for a in "xyz"]))
    cluster = tuple(int(x) for x in kernel.attrs.get("cluster_dims", (1, 1, 1)))
    return Case("tilelang " + name, ptx_of(made.kernel_source),
                str(kernel.attrs["global_symbol"]),
                tuple(extent.get(f"blockIdx.{a}", 1) for a in "xyz"), threads,
                int(kernel.attrs.get("dyn_shared_memory_buf", 0)), arguments,
                {place[p]: e for p, e in expected.items()}, tolerance, cluster=cluster, found=found)


def name_of_type(array):
    """As TileLang calls it."""
    if isinstance(array, Bits):
        return {"bf16": "bfloat16", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2"}[array.type]
    return array.dtype.name
