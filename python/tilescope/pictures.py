"""Pictures, drawn by the programs: `tilescope-cli render` as SVG, which needs no display."""
from __future__ import annotations

import os
import re
import tempfile
import zlib
from typing import Sequence

from .errors import TilescopeError, error_of
from .programs import answer_of


def svg(panel: str, *, state: str = "", size: Sequence[int] = (1200, 700), theme: str = "light",
        options: Sequence[str] = ()) -> str:
    """A panel that is one picture, as SVG text.

    panel: its id, "tiling", "timeline", "fragment", "roofline", …; one that is drawn with widgets
           raises BadRequest, whose sentence names those that are not.
    state: a state file's text (Gemm.state()); empty: what the window starts with.
    size:  width and height in pixels.
    """
    with tempfile.TemporaryDirectory(prefix="tilescope-") as folder:
        out = os.path.join(folder, "picture.svg")
        arguments = ["--panel", panel, "--out", out, "--theme", theme,
                     "--size", "x".join(str(n) for n in size), *options]
        if state:
            file = os.path.join(folder, "state.json")
            with open(file, "w", encoding="utf-8") as to:
                to.write(state)
            arguments += ["--state", file]
        try:
            answer_of("render", *arguments)
        except TilescopeError as error:
            # The program that draws has said why, in a sentence of its own.
            said = error.log.partition("\n")[0].partition(": ")[2]
            raise error_of(error.code, said or error.message) from error
        with open(out, encoding="utf-8") as drawn:
            return _alone(drawn.read())


def _alone(picture: str) -> str:
    """With names of its own: a notebook puts all its pictures into one document, where a glyph is found
    by a name that each of them has."""
    prefix = f"t{zlib.crc32(picture.encode()):08x}-"
    return re.sub(r'(\bid="|\bhref="#|\burl\(#)', lambda found: found.group(1) + prefix, picture)
