"""Maps: which lane holds which element of an instruction's operands; where chunks of shared memory go.

Every index comes from the program (`tilescope-cli fragments`, `swizzle`, `banks`), which compiles the
same functions into the kernels.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .arrays import numpy
from .pictures import svg
from .programs import answer_of
from .tables import html_table


@dataclass(frozen=True)
class Operand:
    """One operand of an instruction: A as [m, k], B as [k, n], C as [m, n].

    map: [lane][value] → (row, col). Value v lies in register v // values_per_register, low bits
    first. bits: of an element.
    """

    name: str
    rows: int
    cols: int
    bits: int
    values: int
    values_per_register: int
    map: List[List[Tuple[int, ...]]]

    def array(self) -> Any:
        """NumPy int array [lanes, values, 2]: row and column."""
        return numpy().array(self.map, dtype=int)

    def owners(self) -> Any:
        """NumPy int array [rows, cols, 2]: lane and value that hold each element; −1 where no lane
        of the map does. Of an element that several hold the first."""
        found = numpy().full((self.rows, self.cols, 2), -1, dtype=int)
        for lane, values in enumerate(self.map):
            for value, (row, col) in enumerate(values):
                if found[row, col, 0] < 0:
                    found[row, col] = lane, value
        return found

    def _repr_html_(self) -> str:
        head = ["lane"] + [f"value {v}" for v in range(self.values)]
        return html_table(head, [[lane] + [f"{self.name}{list(at)}" for at in values]
                                 for lane, values in enumerate(self.map)])


@dataclass(frozen=True)
class Map:
    """An instruction's maps. In a notebook it shows itself as a picture.

    operands: by name; of wgmma B is None, a descriptor of shared memory. Empty for ldmatrix,
              stmatrix and movmatrix, whose `document` has "matrices", "address" and "map".
    lanes:    that the maps are indexed by, where they are not 0, 1, 2, …
    document: the program's answer as it is (docs/cli.md, "fragments").
    """

    atom: str
    shape: Tuple[int, ...]
    types: Dict[str, str]
    threads: int
    operands: Dict[str, Optional[Operand]]
    lanes: Optional[List[int]]
    document: Dict[str, Any]

    def __getitem__(self, operand: str) -> Operand:
        """map_of(…)["A"]. Raises KeyError with the operands that there are."""
        found = self.operands.get(operand)
        if found is None:
            there = ", ".join(name for name, one in self.operands.items() if one) or "none"
            raise KeyError(f"{self.atom} has no map of {operand!r}; it has {there}")
        return found

    def svg(self, theme: str = "light", size: Sequence[int] = (1200, 700)) -> str:
        """The operands, each element with its lane. size: in pixels."""
        return svg("fragment", theme=theme, size=size, options=["--atom", self.atom])

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"Map({self.atom!r})"


def _operand(name: str, found: Optional[Dict[str, Any]]) -> Optional[Operand]:
    if found is None:
        return None
    values = [[tuple(at) for at in lane] for lane in found["map"]]
    return Operand(name, found["rows"], found["cols"], found["bits"], found["values"],
                   found["values_per_register"], values)


def _map(document: Dict[str, Any]) -> Map:
    operands = {name: _operand(name, one) for name, one in document.get("operands", {}).items()}
    return Map(document["atom"], tuple(document.get("shape", ())), document.get("types", {}),
               document.get("threads", 32), operands, document.get("lanes"), document)


def instructions(*words: str) -> List[str]:
    """PTX names of the instructions that have all these words: instructions("fp8", "hopper").
    Without words all of them. Raises BadRequest if none has."""
    search = ["--search", *words] if words else []
    return answer_of("fragments", "--list", *search)


def map_of(atom: str) -> Map:
    """The maps of one instruction, by its PTX name or CuTe's. Raises BadRequest, whose sentence has
    the nearest names, if there is none."""
    return _map(answer_of("fragments", "--atom", atom))


def maps(*words: str) -> List[Map]:
    """The maps of all instructions that have all these words; of none: of all there are."""
    search = ["--search", *words] if words else []
    return [_map(one) for one in answer_of("fragments", "--all", *search)]


@dataclass(frozen=True)
class Swizzle:
    """Eight rows of `row_bytes` in chunks of 16 bytes: chunk_table[row][chunk] → physical chunk."""

    mode: str
    row_bytes: int
    chunk_table: List[List[int]]
    document: Dict[str, Any]

    def array(self) -> Any:
        """NumPy int array [8, chunks]."""
        return numpy().array(self.chunk_table, dtype=int)

    def _repr_html_(self) -> str:
        head = ["row"] + [f"chunk {i}" for i in range(len(self.chunk_table[0]))]
        return html_table(head, [[i] + row for i, row in enumerate(self.chunk_table)])


def swizzle(mode: str = "128B", pad: int = 0) -> Swizzle:
    """Where chunks go. mode: "32B", "64B", "128B" or "none", then with `pad` bytes after each row."""
    found = answer_of("swizzle", f"--mode={mode}", f"--pad={pad}")
    return Swizzle(found["mode"], found["row_bytes"], found["chunk_table"], found)


@dataclass(frozen=True)
class Banks:
    """Wavefronts of one access of a warp to shared memory; conflicts = wavefronts − ideal."""

    wavefronts: int
    ideal: int
    conflicts: int
    per_phase: List[int]


def banks(access: str, stride: int, base: int = 0, swizzle_mode: str = "") -> Banks:
    """access: "lds.32", "ldmatrix.x4", …; stride: bytes from lane to lane or from row to row; base:
    bytes from an address that is aligned to 1024 to lane 0's."""
    more = [f"--swizzle={swizzle_mode}"] if swizzle_mode else []
    found = answer_of("banks", f"--access={access}", f"--stride={stride}", f"--base={base}", *more)
    return Banks(found["wavefronts"], found["ideal"], found["conflicts"], found["per_phase"])
