"""The ladder of kernels, and what the model says of a tile before anything is compiled or run."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

from .pictures import svg
from .programs import answer_of
from .requests import Gemm, Size, gemm_of
from .tables import Table, html_table


class Slider(NamedTuple):
    name: str
    values: List[int]
    default: int


class Kernel(NamedTuple):
    """A rung: types are those of A, B and C; min_sm a compute capability, 80 for 8.0.

    only_sm: the one compute capability whose cards run it (emulated anywhere), or None.
    """

    id: str
    title: str
    idea: str
    types: List[Tuple[str, ...]]
    layouts: List[str]
    min_sm: int
    sliders: List[Slider]
    only_sm: Optional[int]


def kernels() -> "Table[Kernel]":
    """The ladder, in its order, as the program has it."""
    rows = [Kernel(k["id"], k["title"], k["idea"], [tuple(t) for t in k["types"]], k["layouts"],
                   k["min_sm"], [Slider(**s) for s in k["sliders"]], k["only_sm"])
            for k in answer_of("kernels")]
    return Table(("id", "title", "idea", "layouts", "min_sm"), rows)


class Level(NamedTuple):
    """Bytes that a level of memory moves for the whole problem; exact or modelled."""

    name: str
    read: int
    write: int
    flop_per_byte: Optional[float]
    exact: bool


@dataclass(frozen=True)
class Model:
    """What a tile costs. Source: docs/model.md; each figure's formula is in `formulas`.

    us, low_us, high_us: predicted time of a launch, and between which most lie. Microseconds.
    bound:     what takes that time.
    parts_us:  which parts of the time go where; they add up to `us`.
    document:  the program's answer as it is (docs/cli.md, "model").
    """

    request: Gemm
    kernel: str
    tile: Dict[str, int]
    size: Tuple[int, int, int]
    device: str
    levels: "Table[Level]"
    shared_bytes: int
    threads: int
    grid: Tuple[int, ...]
    ctas_per_sm: int
    limiter: str
    waves: float
    us: float
    low_us: float
    high_us: float
    tflops: float
    bound: str
    parts_us: Dict[str, float]
    formulas: Dict[str, Dict[str, Any]]
    document: Dict[str, Any]

    def svg(self, theme: str = "light") -> str:
        """The tiling at four levels."""
        return svg("tiling", state=self.request.state(), theme=theme)

    def _repr_html_(self) -> str:
        rows = [("time", f"{self.us:.4g} µs ({self.low_us:.4g} to {self.high_us:.4g})"),
                ("bound by", self.bound), ("TFLOPS", self.tflops),
                ("CTAs per SM", self.ctas_per_sm), ("limited by", self.limiter),
                ("waves", self.waves), ("shared memory, bytes per CTA", self.shared_bytes)]
        return html_table([self.kernel, self.device], rows) + self.levels._repr_html_()

    def __repr__(self) -> str:
        m, n, k = self.size
        return f"<Model of {self.kernel}, {m}×{n}×{k}: ~{self.us:.4g} µs on {self.device}>"


def model(kernel: Union[None, str, Gemm] = None, size: Optional[Size] = None,
          registers: Optional[int] = None, **options: Any) -> Model:
    """Bytes per level, occupancy, waves and time of a tile on a card.

    kernel, size, options: a Gemm, or its members. The device is the card that is modelled: of the
    emulator the program's usual one, "recorded:NAME" the one of a recording.
    registers: per thread, if known from a compile.
    Raises BadRequest for a tile that the kernel cannot have; the sentence has the nearest it can.
    """
    request = gemm_of(kernel, size, options)
    more = [] if registers is None else [f"--registers={registers}"]
    d = answer_of("model", *request.flags(), *more)
    levels = Table(("name", "read", "write", "flop_per_byte", "exact"),
                   [Level(name, x["read"], x["write"], x["flop_per_byte"], x["exact"])
                    for name, x in d["levels"].items()])
    time, occupancy = d["time"], d["occupancy"]
    return Model(request, d["kernel"], d["tile"], tuple(d["size"]), d["device"], levels,
                 d["shared_bytes"], d["threads"], tuple(d["grid"]), occupancy["ctas_per_sm"],
                 occupancy["limiter"], d["waves"]["count"], time["us"], time["low_us"],
                 time["high_us"], time["tflops"], time["bound"], time["parts_us"], d["formulas"], d)
