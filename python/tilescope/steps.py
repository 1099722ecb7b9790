"""Stepping: a launch run to a place, forward or backward, and what is there."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple, Union

from .arrays import numpy
from .programs import answer_of
from .requests import Gemm, Size, gemm_of
from .tables import Table


class Register(NamedTuple):
    """values: bits, one for each of 32 lanes; of a predicate one mask of lanes."""

    warp: int
    name: str
    bits: int
    changed: bool
    values: Tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """found: the last motion came to a stop. place: tick, CTA, warp, line, opcode, …
    document: the program's answer as it is (docs/cli.md, "step")."""

    found: bool
    place: Dict[str, Any]
    registers: "Table[Register]"
    document: Dict[str, Any]

    def register(self, name: str) -> Any:
        """NumPy uint64 array [32]: bits of a register in each lane. Raises KeyError."""
        for one in self.registers:
            if one.name == name:
                return numpy().array(one.values, dtype="uint64")
        there = ", ".join(one.name for one in self.registers)
        raise KeyError(f"there is no register {name!r} here that will be read again; there is {there}")

    def _repr_html_(self) -> str:
        return self.registers._repr_html_()


def step(kernel: Union[None, str, Gemm] = None, size: Optional[Size] = None, *,
         to: Sequence[str] = (), back: bool = False, tick: int = 0, cta: Sequence[int] = (0, 0),
         **options: Any) -> Step:
    """Runs one CTA of a kernel of the ladder to a place.

    to:   motions, one after the other: ["barrier", "step:3"] (docs/stepping.md). back: backward.
    tick: where to begin, as an earlier answer's place["tick"] told it.
    """
    more = [f"--to={motion}" for motion in to]
    more += ["--from", str(tick), "--cta", ",".join(str(n) for n in cta)]
    if back:
        more.append("--back")
    d = answer_of("step", *gemm_of(kernel, size, options).flags(), *more)
    rows = [Register(r["warp"], r["name"], r["bits"], r["changed"], tuple(r["values"]))
            for r in d["registers"] or []]
    return Step(d["found"], d["place"], Table(Register._fields, rows), d)
