"""What a run of the emulator has to tell: counts, the verdict on C, and what the checks found."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

from .tables import html_table


class Global(NamedTuple):
    """Of global memory: requests are warp instructions, sectors have 32 bytes."""

    requests: int = 0
    sectors: int = 0
    bytes: Optional[int] = None


class Shared(NamedTuple):
    """Of shared memory: a wavefront serves each of 32 banks once."""

    requests: int = 0
    wavefronts: int = 0
    ideal: int = 0
    bytes: Optional[int] = None

    @property
    def conflicts(self) -> int:
        return self.wavefronts - self.ideal


@dataclass(frozen=True)
class Verified:
    """C compared with double precision: ok if the error's norm is within the tolerance. norm is None
    where C has elements that are NaN or were never written."""

    ok: bool
    norm: Optional[float]
    tolerance: float
    elements: int
    document: Dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """What a check found, at a line of the PTX and of the kernel's source (0: none)."""

    kind: str
    message: str
    ptx_line: int
    line: int
    remark: bool = False  # not wrong, but slow


@dataclass(frozen=True)
class Emulation:
    """A run of the emulator. counts are of the whole problem: exact, or of a sample of CTAs.

    seconds:  of execution alone.
    by_opcode: warp instructions by opcode.
    verified: None for a kernel of one's own whose sheet names no GEMM.
    findings: errors of the checks and remarks on speed.
    document: the answer as it is.
    """

    kernel: str
    ctas: int
    exact: bool
    warp_instructions: int
    lane_instructions: int
    mma: int
    barriers: int
    by_opcode: Dict[str, int]
    global_load: Global
    global_store: Global
    shared_load: Shared
    shared_store: Shared
    bulk_load: Global
    bulk_store: Global
    shared_copy: Shared
    shared_product: Shared
    seconds: float
    threads: int
    verified: Optional[Verified]
    findings: List[Finding] = field(default_factory=list)
    document: Dict[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """C is right, as far as it was verified, and the checks found nothing that is wrong."""
        return (self.verified is None or self.verified.ok) and \
            not any(not one.remark for one in self.findings)

    def _repr_html_(self) -> str:
        rows: List[List[Any]] = []
        for name, g in (("global loads", self.global_load), ("global stores", self.global_store),
                        ("bulk loads", self.bulk_load), ("bulk stores", self.bulk_store)):
            rows.append([name, g.requests, g.sectors, None, g.bytes])
        for name, s in (("shared loads", self.shared_load), ("shared stores", self.shared_store),
                        ("copies to shared", self.shared_copy),
                        ("read by products", self.shared_product)):
            rows.append([name, s.requests, s.wavefronts, s.conflicts, s.bytes])
        head = [self.kernel, "requests", "sectors / wavefronts", "conflicts", "bytes"]
        found = html_table(["kind", "line", "what was found"],
                           [[f.kind, f.line, f.message] for f in self.findings])
        return html_table(head, rows) + (found if self.findings else "")

    def __repr__(self) -> str:
        verdict = "not verified" if self.verified is None else "right" if self.ok else "WRONG"
        return f"<Emulation of {self.kernel}: {verdict}, {self.warp_instructions:,} warp instructions>"


def _finding(f: Mapping[str, Any]) -> Finding:
    return Finding(f["kind"], f.get("message") or f.get("sentence", ""), f["ptx_line"], f["line"],
                   bool(f.get("remark", False)))


def verified_of(found: Optional[Mapping[str, Any]]) -> Optional[Verified]:
    if not found:
        return None
    return Verified(bool(found["ok"]), found.get("norm"), found["tolerance"], found["elements"],
                    dict(found))


def _only(kind: Any, found: Mapping[str, Any]) -> Any:
    return kind(**{name: found[name] for name in kind._fields if name in found})


def emulation_of_answer(kernel: str, answer: Dict[str, Any]) -> Emulation:
    """Of the worker's answer to `emulate` (EmulateResult in worker/messages/messages.h)."""
    c = answer["counted"]
    findings = [_finding(f) for f in answer["checks"]["findings"] + answer["findings"]]
    return Emulation(kernel, c["ctas"], c["exact"], c["warp_instructions"], c["lane_instructions"],
                     c["mma"], c["barriers"], c["by_opcode"], _only(Global, c["global_load"]),
                     _only(Global, c["global_store"]), _only(Shared, c["shared_load"]),
                     _only(Shared, c["shared_store"]), _only(Global, c.get("bulk_load", {})),
                     _only(Global, c.get("bulk_store", {})), _only(Shared, c.get("shared_copy", {})),
                     _only(Shared, c.get("shared_product", {})), answer["seconds"], answer["threads"],
                     verified_of(answer.get("verified")), findings, answer)


def emulation_of_document(kernel: str, d: Dict[str, Any]) -> Emulation:
    """Of what `tilescope-cli emulate --json` prints for a kernel of one's own."""
    checks = (d.get("checks") or {}).get("findings", [])
    findings = [_finding(f) for f in checks + (d.get("findings") or [])]
    return Emulation(kernel, d["ctas"], d.get("exact", True), d["warp_instructions"],
                     d["lane_instructions"], d["mma"], d["barriers"], d["by_opcode"],
                     _only(Global, d["global"]["load"]), _only(Global, d["global"]["store"]),
                     _only(Shared, d["shared"]["load"]), _only(Shared, d["shared"]["store"]),
                     _only(Global, d["global"]["bulk_load"]),
                     _only(Global, d["global"]["bulk_store"]),
                     _only(Shared, d["shared"]["copy"]), _only(Shared, d["shared"]["product"]),
                     d["seconds"], d["threads"], verified_of(d.get("verified")), findings, d)
