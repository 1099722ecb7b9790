"""Tilescope from Python: what a CUDA GEMM kernel does, tile by tile, as Python objects.

    import tilescope as ts

    ts.kernels()                                             # the ladder
    g = ts.Gemm("mma_multistage", 512, tile={"stages": 3})   # a kernel, its problem, its tile
    ts.model(g), ts.emulate(g), ts.trace(g), ts.bench(g)     # what the command line answers
    ts.map_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")["A"].array()

A thin layer over the programs `tilescope-cli` and `tilescope`: no layout is computed here. Answers
keep what the program said in `document`. What fails raises a TilescopeError with the program's one
sentence. NumPy is needed where arrays are asked for. docs/python.md has more.
"""
from __future__ import annotations

from .benches import (Bench, Comparison, Device, Part, Why, bench, compare, devices, doctor, sweep)
from .counts import Emulation, Finding, Global, Shared, Verified
from .errors import BadRequest, Cancelled, Failed, Missing, TilescopeError
from .maps import Banks, Map, Operand, Swizzle, banks, instructions, map_of, maps, swizzle
from .models import Kernel, Level, Model, Slider, kernels, model
from .pictures import svg
from .programs import commands, program
from .requests import Gemm
from .runs import In, Out, Run, emulate, run
from .steps import Register, Step, step
from .tables import Table
from .traces import Event, Trace, trace
from .worker import Answer, Worker

__all__ = [
    "Answer", "BadRequest", "Banks", "Bench", "Cancelled", "Comparison", "Device", "Emulation", "Event",
    "Failed", "Finding", "Gemm", "Global", "In", "Kernel", "Level", "Map", "Missing", "Model",
    "Operand", "Out", "Part", "Register", "Run", "Shared", "Slider", "Step", "Swizzle", "Table",
    "TilescopeError", "Trace", "Verified", "Why", "Worker", "banks", "bench", "commands", "compare",
    "devices", "doctor", "emulate", "instructions", "kernels", "map_of", "maps", "model", "program",
    "run", "step", "svg", "swizzle", "sweep", "trace", "version",
]


def version() -> str:
    """The version of the programs, "0.1.0": of package and programs it is one."""
    from .programs import run as run_program
    return run_program(["--version"])[0].strip()
