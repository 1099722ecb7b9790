"""NumPy, where arrays are asked for: the package imports and works without it."""
from __future__ import annotations

from typing import Any

from .errors import Missing


def numpy() -> Any:
    """The module. Raises Missing with the way out where it is not installed."""
    try:
        import numpy as found
    except ImportError as error:
        raise Missing("arrays need NumPy, which is not installed here: pip install numpy", 3) from error
    return found
