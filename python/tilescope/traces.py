"""Traces: what one CTA does, in the order of the kernel's PTX."""
from __future__ import annotations

import struct
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from .arrays import numpy
from .errors import Failed
from .pictures import svg
from .requests import Gemm, Size, gemm_of, of_this_machine
from .tables import Table
from .worker import Answer, Progress, shared_worker

# The records of worker/messages/messages_trace.cpp, as they lie in the frames: little-endian.
_EVENT = struct.Struct("<3I4i2I4iHBbB3x")
_FIELDS = ("epoch", "index", "count", "line", "ptx_line", "k_step", "stage", "lanes", "elements",
           "first_access", "group", "groups_done", "loop", "warp", "kind", "matrix", "shared")
_TYPES = ("<u4",) * 3 + ("<i4",) * 4 + ("<u4",) * 2 + ("<i4",) * 4 + ("<u2", "u1", "i1", "u1")
_ACCESS = struct.Struct("<BbBxi3hHQi4x")
_LANES = struct.Struct("<32Q")
_BOX = 20  # bytes of a rectangle that an access has touched
_HAS_ADDRESSES = 2
_NO_ADDRESS = 2**64 - 1


@dataclass(frozen=True)
class Event:
    """`count` like warp instructions in a row. None is what there is not: of a wait the matrix, say.

    epoch, index: between which barriers, and the how many-th there of the warp.
    line, ptx_line: of the kernel's source and of its PTX. lanes: mask of the first.
    k_step, stage: which slice of k, which part of shared memory. elements: of the matrix, all lanes.
    """

    epoch: int
    index: int
    warp: int
    kind: str
    count: int
    line: Optional[int]
    ptx_line: int
    k_step: Optional[int]
    stage: Optional[int]
    lanes: int
    matrix: Optional[str]
    elements: int


@dataclass(frozen=True)
class Trace:
    """The events of one CTA's work item: prologue, the first slices of k, the chosen one, the last one
    and the epilogue. In a notebook it shows itself as a picture.

    cta:    blockIdx. tile: row and column of the block tile that it computes.
    kinds:  names of kinds of events, in the order of the numbers in array()["kind"].
    """

    request: Gemm
    kernel: str
    cta: Tuple[int, ...]
    item: int
    tile: Tuple[int, int]
    warps: int
    epochs: int
    k_slices: int
    recorded_k_steps: List[int]
    kinds: List[str]
    revision: str
    document: Dict[str, Any]
    _events: bytes
    _accesses: bytes

    @cached_property
    def events(self) -> "Table[Event]":
        """By epoch, then warp, then index."""
        def some(value: int) -> Optional[int]:
            return value if value >= 0 else None

        rows = []
        for r in _EVENT.iter_unpack(self._events):
            e = dict(zip(_FIELDS, r))
            matrix = "ABC"[e["matrix"]] if e["matrix"] >= 0 else None
            rows.append(Event(e["epoch"], e["index"], e["warp"], self.kinds[e["kind"]], e["count"],
                              e["line"] or None, e["ptx_line"], some(e["k_step"]),
                              some(e["stage"]), e["lanes"], matrix, e["elements"]))
        return Table([f.name for f in fields(Event)], rows)

    def array(self) -> Any:
        """NumPy structured array [events]: numbers as the worker has them. kind: into `kinds`;
        matrix: 0 A, 1 B, 2 C; −1: none; line 0: none."""
        np = numpy()
        kind = np.dtype({"names": list(_FIELDS), "formats": list(_TYPES), "itemsize": _EVENT.size})
        return np.frombuffer(self._events, dtype=kind)

    def addresses(self) -> Any:
        """NumPy int64 array [events, 32]: where each lane's access of an event begins, of global memory
        as bytes from the matrix's begin, of shared memory as bytes; −1 where a lane touches nothing.
        An event that stands for several instructions has the first one's."""
        np = numpy()
        found = np.full((len(self._events) // _EVENT.size, 32), -1, dtype=np.int64)
        of_access = self._lane_addresses()
        for event, first in enumerate(self.array()["first_access"]):
            lanes = of_access.get(int(first))
            if lanes is not None:
                found[event] = [-1 if at == _NO_ADDRESS else at for at in lanes]
        return found

    def _lane_addresses(self) -> Dict[int, Tuple[int, ...]]:
        found, at, number = {}, 0, 0
        while at < len(self._accesses):
            record = _ACCESS.unpack_from(self._accesses, at)
            flags, touched = record[2], record[7]
            at += _ACCESS.size
            if flags & _HAS_ADDRESSES:
                found[number] = _LANES.unpack_from(self._accesses, at)
                at += _LANES.size
            at += touched * _BOX
            number += 1
        return found

    def svg(self, theme: str = "light", size: Optional[Sequence[int]] = None) -> str:
        """The timeline, of the CTA and with the slice of k that were asked for. size: in pixels; without
        it as high as a row for each warp takes."""
        return svg("timeline", state=self.document["state"], theme=theme,
                   size=size or (1200, 64 + 24 * self.warps))

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        events = len(self._events) // _EVENT.size
        return f"<Trace of {self.kernel}, CTA {self.cta}: {events} events, {self.warps} warps>"


def _whole(answer: Answer, part: str, count: str, size: int) -> bytes:
    """A part whose records are all there."""
    data = answer.parts.get(part, b"")
    if len(data) != answer.value[count] * size:
        raise Failed(f"the trace has {len(data)} bytes of events where {answer.value[count]} of {size} "
                     "bytes were announced: package and program are of different versions")
    return data


def trace(kernel: Union[None, str, Gemm] = None, size: Optional[Size] = None, *,
          cta: Sequence[int] = (0, 0), item: int = 0, k_step: Optional[int] = None,
          progress: Optional[Progress] = None, **options: Any) -> Trace:
    """The events of one CTA of a kernel of the ladder, executed by the emulator.

    kernel, size, options: a Gemm, or its members.
    cta: its blockIdx. item: which of its work items, where it has several. k_step: this slice of k and
    its neighbours are recorded, too.
    Raises BadRequest for what cannot be, Failed for a fault.
    """
    request = of_this_machine(gemm_of(kernel, size, options), "trace")
    asked = request.message()
    at = [*cta, 0, 0][:3]
    asked.update(cta=at, item=item)
    if k_step is not None:
        asked["k_step"] = k_step
    worker = shared_worker(request.kernel_dir)
    answer = worker.call("trace", asked, device="emulator", progress=progress)
    d = answer.value
    events = _whole(answer, "trace.events", "event_count", _EVENT.size)
    tile = (d["tile"][0], d["tile"][1])
    document = {**d, "state": request.state(tile, k_step)}
    return Trace(request, asked["kernel"], tuple(d["cta"]), d["item"], tile, d["warps"], d["epochs"],
                 d["k_slices"], d["recorded_k_steps"], d["kinds"], d["revision"], document, events,
                 answer.parts.get("trace.raw", b""))
