"""What is asked about: a kernel of the ladder, its tile, its problem and where it runs."""
from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from .errors import BadRequest
from .programs import answer_of

Size = Union[int, str, Sequence[int]]


def _listed(values: Union[str, Sequence[Any]], between: str) -> str:
    return values if isinstance(values, str) else between.join(str(v) for v in values)


@dataclass(frozen=True)
class Gemm:
    """C = alpha · A·B + beta · C by a kernel of the ladder. What is left out is the program's own.

    kernel: an id, as kernels() lists them.
    size:   (m, n, k): rows of C, columns of C, depth; or one number for all three.
    tile:   sliders by name, {"block_m": 128}; the others keep the kernel's defaults.
    layout: "NN", "NT", "TN" or "TT": A, then B; N = column-major, T = row-major, as cuBLAS counts.
    types:  of A, B and C, ("f16", "f16", "f32").
    c:      "row" or "col": how C lies in memory.
    lda, ldb, ldc: leading dimensions in elements.
    device: "emulator", "cuda", "cuda:N", "recorded", "recorded:NAME" or "ssh:HOST/cuda:N".
    kernel_dir: a folder of kernels in place of those in the program.

    Nothing is checked before it is asked: a request that cannot be raises BadRequest then, with the
    program's own sentence.
    """

    kernel: Optional[str] = None
    size: Optional[Size] = None
    tile: Mapping[str, int] = field(default_factory=dict)
    layout: Optional[str] = None
    types: Optional[Union[str, Sequence[str]]] = None
    c: Optional[str] = None
    alpha: Optional[float] = None
    beta: Optional[float] = None
    bias: bool = False
    lda: Optional[int] = None
    ldb: Optional[int] = None
    ldc: Optional[int] = None
    device: Optional[str] = None
    kernel_dir: Optional[str] = None

    def but(self, **changes: Any) -> "Gemm":
        """The same with other members: `g.but(size=2048)`. Of a tile the named sliders change."""
        if "tile" in changes:
            changes["tile"] = {**self.tile, **changes["tile"]}
        return replace(self, **changes)

    def flags(self) -> List[str]:
        """As options of the command line."""
        given: List[str] = []

        def add(name: str, value: Any) -> None:
            if value is not None:
                given.append(f"--{name}={value}")

        add("kernel", self.kernel)
        if self.size is not None:
            add("size", self.size if isinstance(self.size, int) else _listed(self.size, "x"))
        add("layout", self.layout)
        if self.types is not None:
            add("types", _listed(self.types, ","))
        if self.tile:
            add("tile", ",".join(f"{name}={value}" for name, value in self.tile.items()))
        for name in ("c", "alpha", "beta", "lda", "ldb", "ldc", "device"):
            add(name, getattr(self, name))
        add("kernel-dir", self.kernel_dir)
        if self.bias:
            given.append("--bias")
        return given

    def message(self) -> Dict[str, Any]:
        """As calls of the worker have it: kernel, whole tile, problem, sms (`tilescope-cli request`)."""
        return answer_of("request", *self.flags())

    def state(self, cta: Sequence[int] = (), k_step: Optional[int] = None) -> str:
        """As a state file, which the window opens and pictures are drawn from. JSON.

        cta: row and column of the block tile that is selected. k_step: the slice looked at.
        """
        asked = self.message()
        problem = asked["problem"]
        edit = {"kernel": asked["kernel"], "tile": asked["tile"],
                "size": [problem["m"], problem["n"], problem["k"]],
                "types": [problem["type_a"], problem["type_b"], problem["type_c"]],
                "c": problem["order_c"], "alpha": problem.get("alpha", 1),
                "beta": problem.get("beta", 0), "bias": problem.get("bias", False)}
        if self.layout:
            edit["layout"] = self.layout
        state: Dict[str, Any] = {"tilescope": 1, "edit": edit}
        if cta:
            state["selection"] = {"cta": list(cta)[:2]}
        if k_step is not None:
            state["playhead"] = {"k_step": k_step}
        return json.dumps(state)


def of_this_machine(request: Gemm, what: str) -> Gemm:
    """The same; raises BadRequest where the device is another machine's: `what` runs here."""
    if (request.device or "").startswith("ssh:"):
        raise BadRequest(f"{what} runs on this machine, and the device is {request.device}: leave device "
                         f"out, or ask there, with tilescope-cli {what} --device {request.device}", 2)
    return request


def gemm_of(kernel: Union[None, str, Gemm], size: Optional[Size], options: Mapping[str, Any]) -> Gemm:
    """What the functions of this package take: a Gemm, or the members of one."""
    if isinstance(kernel, Gemm):
        more = dict(options) if size is None else {**options, "size": size}
        return kernel.but(**more) if more else kernel
    return Gemm(kernel, size, **options)
