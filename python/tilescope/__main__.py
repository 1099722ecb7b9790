"""`tilescope`, `tilescope-cli` and `python -m tilescope`: the programs, in place of this process."""
from __future__ import annotations

import ctypes
import os
import sys

from .errors import Missing
from .programs import program


def _become(name: str) -> int:
    try:
        path = program(name)
    except Missing as error:
        print(f"{name}: {error}", file=sys.stderr)
        return error.code
    os.execv(path, [path, *sys.argv[1:]])
    return 4  # never reached: execv raises or does not return


def window() -> int:
    try:
        ctypes.CDLL("libX11.so.6")  # the loader's own message would have no way out
    except OSError:
        print("tilescope: the window needs libX11.so.6, which this system does not have; install it and "
              "OpenGL (in Debian libx11-6 and libgl1), or use tilescope-cli, which needs neither",
              file=sys.stderr)
        return 3
    return _become("tilescope")


def command_line() -> int:
    return _become("tilescope-cli")


if __name__ == "__main__":
    sys.exit(command_line())
