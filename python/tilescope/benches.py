"""Measurements: verified, then timed beside NVIDIA's library; and what two of them differ by."""
from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from .counts import Verified, verified_of
from .models import Model, model
from .programs import answer_of, answer_with_code
from .requests import Gemm, Size, gemm_of
from .tables import Table, html_table, text_of
from .worker import shared_worker


@dataclass(frozen=True)
class Bench:
    """One result. What was not measured is None: the emulator measures no time.

    standing: "measured", "recorded", "modelled" or "emulated". date, driver: of the measurement.
    tflops, time_us: median of the samples; spread: as a fraction of the median.
    library, library_tflops: NVIDIA's, on the same problem. of_library: the kernel's part of its speed.
    bytes: per level, as "model", "counted" and "measured" have them.
    document: the program's answer as it is (docs/cli.md, "bench").
    """

    kernel: str
    tile: Dict[str, int]
    size: Tuple[int, int, int]
    device: str
    standing: str
    date: Optional[str]
    driver: Optional[str]
    verified: Optional[Verified]
    tflops: Optional[float]
    spread: Optional[float]
    samples: Optional[int]
    time_us: Optional[float]
    library: Optional[str]
    library_tflops: Optional[float]
    of_library: Optional[float]
    clock_mhz: Optional[float]
    registers: Optional[int]
    spill_bytes: Optional[int]
    bytes: Dict[str, Any]
    document: Dict[str, Any]

    @property
    def ok(self) -> bool:
        """C is right, and the checks found nothing that is wrong."""
        checks = self.document.get("checks") or {}
        return (self.verified is None or self.verified.ok) and not checks.get("findings")

    def _repr_html_(self) -> str:
        rows = [("size", self.size), ("tile", self.tile), ("device", self.device),
                ("standing", self.standing), ("date", self.date),
                ("right", None if self.verified is None else self.verified.ok),
                ("TFLOPS", self.tflops), ("time, µs", self.time_us),
                (self.library or "library, TFLOPS", self.library_tflops),
                ("registers per thread", self.registers)]
        return html_table([self.kernel, ""], rows)

    def __repr__(self) -> str:
        m, n, k = self.size
        speed = "no time" if self.tflops is None else f"{self.tflops:.4g} TFLOPS"
        return f"<Bench of {self.kernel}, {m}×{n}×{k} on {self.device}: {speed}, {self.standing}>"


BENCH_COLUMNS = ("kernel", "size", "tile", "device", "standing", "tflops", "time_us", "of_library",
                 "ok")


def _bench_of(d: Dict[str, Any]) -> Bench:
    library = d.get("library") or {}
    return Bench(kernel=d["kernel"], tile=d["tile"], size=tuple(d["size"]), device=d["device"],
                 standing=d["standing"], date=d.get("date"), driver=d.get("driver"),
                 verified=verified_of(d.get("verified")), tflops=d.get("tflops"),
                 spread=d.get("spread"), samples=d.get("samples"), time_us=d.get("time_us"),
                 library=library.get("name"), library_tflops=library.get("tflops"),
                 of_library=d.get("of_library"), clock_mhz=d.get("clock_mhz"),
                 registers=d.get("registers"), spill_bytes=d.get("spill_bytes"),
                 bytes=d["bytes"], document=d)


def bench(kernel: Union[None, str, Gemm] = None, size: Optional[Size] = None, *,
          seconds: Optional[float] = None, time_limit: Optional[float] = None,
          counters: bool = False, whole: bool = False, **options: Any) -> Bench:
    """Verifies a kernel of the ladder on its device, then measures it there.

    kernel, size, options: a Gemm, or its members.
    seconds: of taking samples. time_limit: seconds of one launch. counters: the card's own, too, in
    a run of their own. whole: the emulator verifies all of C.
    A wrong C is no exception: `ok` says so. Raises Missing where the device is not there.
    """
    more = [f"--{name.replace('_', '-')}={value}"
            for name, value in (("seconds", seconds), ("time_limit", time_limit)) if value is not None]
    more += [flag for flag, wanted in (("--counters", counters), ("--whole", whole)) if wanted]
    document, _ = answer_with_code("bench", *gemm_of(kernel, size, options).flags(), *more)
    return _bench_of(document[0])


def sweep(kernel: Union[None, str, Gemm] = None, size: Optional[Size] = None, *,
          axes: Dict[str, Sequence[int]], **options: Any) -> "Table[Bench]":
    """bench over every combination of slider values: axes={"block_m": [64, 128]}. Tiles that cannot
    be are left out, as the command line says on the standard error."""
    given = [f"--axis={name}=" + ",".join(str(v) for v in values) for name, values in axes.items()]
    with tempfile.TemporaryDirectory(prefix="tilescope-") as folder:
        saved = os.path.join(folder, "sweep.jsonl")
        document, _ = answer_with_code("sweep", *gemm_of(kernel, size, options).flags(), *given,
                                       "--out", saved)
    return Table(BENCH_COLUMNS, [_bench_of(one) for one in document])


class Why(NamedTuple):
    part: str
    us: float


@dataclass(frozen=True)
class Comparison:
    """b against a. why: which parts of the modelled time b has more of than a, µs, largest first; they
    add up to `modelled_us`. measured_us: b's measured time less a's; None unless both have one."""

    a: Bench
    b: Bench
    a_model: Model
    b_model: Model
    why: "Table[Why]"
    modelled_us: float
    measured_us: Optional[float]

    def _repr_html_(self) -> str:
        head = ["", "a", "b"]
        of = (("kernel", "kernel"), ("tile", "tile"), ("TFLOPS", "tflops"), ("time, µs", "time_us"))
        rows: List[List[Any]] = [[n, getattr(self.a, x), getattr(self.b, x)] for n, x in of]
        rows.append(["modelled time, µs", self.a_model.us, self.b_model.us])
        return html_table(head, rows) + self.why._repr_html_()

    def __repr__(self) -> str:
        return (f"<Comparison: b takes {text_of(self.modelled_us)} µs more by the model, "
                f"{text_of(self.measured_us) or 'not'} measured>")


def compare(a: Gemm, b: Gemm) -> Comparison:
    """Benches both on their devices, and splits the difference of their modelled times by what the
    time goes into. The split is the model's also where times are measured, which the two totals show.
    """
    one, other = bench(a), bench(b)
    first, second = model(a), model(b)
    parts = [Why(name, us - first.parts_us.get(name, 0)) for name, us in second.parts_us.items()]
    parts.sort(key=lambda w: -abs(w.us))
    both = one.time_us is not None and other.time_us is not None
    measured = other.time_us - one.time_us if both else None  # type: ignore[operator]
    return Comparison(one, other, first, second, Table(("part", "us"), parts),
                      second.us - first.us, measured)


class Device(NamedTuple):
    """why_not: a sentence with the way out where it is not available."""

    id: str
    name: str
    available: bool
    why_not: str


def devices() -> "Table[Device]":
    """The emulator and the cards of this machine, as the worker finds them."""
    found = shared_worker().call("devices").value["devices"]
    rows = [Device(d["id"], d.get("name", ""), d.get("available", True), d.get("why_not", ""))
            for d in found]
    return Table(Device._fields, rows)


def doctor() -> "Table[Part]":
    """What is there, what is missing and the way out, for driver, NVRTC, display and the rest."""
    rows = [Part(d["what"], d["state"], d.get("version") or "", d.get("fix") or "")
            for d in answer_of("doctor")]
    return Table(Part._fields, rows)


class Part(NamedTuple):
    what: str
    state: str
    version: str
    fix: str
