"""Tables: rows that can be walked, indexed and handed to others, and that a notebook shows as one."""
from __future__ import annotations

import html
from typing import Any, Dict, Generic, Iterator, List, Sequence, Tuple, TypeVar, overload

Row = TypeVar("Row")


def text_of(value: Any) -> str:
    """A cell's text: what was not measured is empty, whole numbers are grouped."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    if isinstance(value, dict):
        return ", ".join(f"{k} {text_of(v)}" for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(str(v) if isinstance(v, int) else text_of(v) for v in value)
    return str(value)


def html_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """An HTML table; numbers stand right."""
    def cell(value: Any) -> str:
        right = isinstance(value, (int, float)) and not isinstance(value, bool)
        style = ' style="text-align:right"' if right else ' style="text-align:left"'
        return f"<td{style}>{html.escape(text_of(value))}</td>"

    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(cell(v) for v in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Table(Sequence[Row], Generic[Row]):
    """Rows that have their columns as attributes (NamedTuples, dataclasses)."""

    def __init__(self, columns: Sequence[str], rows: Sequence[Row]):
        self.columns: Tuple[str, ...] = tuple(columns)
        self._rows: List[Row] = list(rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> "Table[Row]": ...

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Table(self.columns, self._rows[index])
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def cells(self) -> List[List[Any]]:
        """[rows][columns]"""
        return [[getattr(row, name) for name in self.columns] for row in self._rows]

    def records(self) -> List[Dict[str, Any]]:
        """A dictionary a row: what pandas.DataFrame takes."""
        return [dict(zip(self.columns, row)) for row in self.cells()]

    def column(self, name: str):
        """NumPy array [rows] of one column."""
        from .arrays import numpy  # only where arrays are asked for
        return numpy().array([getattr(row, name) for row in self._rows])

    def _repr_html_(self) -> str:
        return html_table(self.columns, self.cells())

    def __repr__(self) -> str:
        lines = [[text_of(v) for v in row] for row in [list(self.columns)] + self.cells()]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip()
                         for line in lines)
