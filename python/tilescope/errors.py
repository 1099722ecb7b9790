"""What goes wrong, as exceptions: the programs' own sentence, and which of their exit codes it is.

Source: docs/cli.md, "Exit codes". A check that failed (1: a wrong result, a race) is no exception
but an answer: its object says so (`ok`).
"""
from __future__ import annotations

from typing import Any, Dict, Optional


class TilescopeError(Exception):
    """One sentence with the value, the limit and the way out.

    code:    the exit code of the command line, 2 to 4.
    log:     what the compiler said, say; empty if there is nothing to be shown below the sentence.
    details: what else the programs tell of the error.
    """

    def __init__(self, message: str, code: int = 4, log: str = "",
                 details: Optional[Dict[str, Any]] = None):
        super().__init__(message)
        self.message = message
        self.code = code
        self.log = log
        self.details = details or {}

    def __str__(self) -> str:
        return f"{self.message}\n{self.log}" if self.log else self.message


class BadRequest(TilescopeError, ValueError):
    """Exit code 2: an unknown kernel, an illegal tile, an unreadable file."""


class Missing(TilescopeError):
    """Exit code 3: the device, the library, the display or the program asked for is not there."""


class Failed(TilescopeError):
    """Exit code 4: the kernel, the compiler or the worker failed."""


class Cancelled(Failed):
    """A call of the worker that somebody ended."""


_BY_CODE = {2: BadRequest, 3: Missing, 4: Failed}


def error_of(code: int, message: str, log: str = "",
             details: Optional[Dict[str, Any]] = None) -> TilescopeError:
    """The exception of an exit code; an unknown one is that of a program which failed."""
    return _BY_CODE.get(code, Failed)(message, code, log, details)
