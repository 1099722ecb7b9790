"""Arrays of the short floats that numpy has no type for: their bits, and what those mean."""
import dataclasses
import functools

import numpy as np

# By type: of the bits, those of exponent and fraction, whether the largest exponent is of numbers,
# too (e4m3 has no infinities, and NaN is all ones).
FORMS = {"bf16": (np.uint16, 8, 7, False), "e5m2": (np.uint8, 5, 2, False),
         "e4m3": (np.uint8, 4, 3, True)}


@dataclasses.dataclass
class Bits:
    type: str
    codes: np.ndarray

    @property
    def nbytes(self):
        return self.codes.nbytes

    @property
    def shape(self):
        return self.codes.shape

    @property
    def T(self):
        return Bits(self.type, np.ascontiguousarray(self.codes.T))

    def tobytes(self):
        return np.ascontiguousarray(self.codes).tobytes()

    def values(self):
        return table(self.type)[self.codes]


@functools.cache
def table(kind):
    """The value of each code."""
    bits, exponent, fraction, finite = FORMS[kind]
    codes = np.arange(2 ** (1 + exponent + fraction))
    e = codes >> fraction & (2 ** exponent - 1)
    f = (codes & (2 ** fraction - 1)) / 2 ** fraction
    bias = 2 ** (exponent - 1) - 1
    value = np.where(e == 0, f * 2.0 ** (1 - bias), (1 + f) * 2.0 ** (e - bias))
    if finite:
        value[(codes & 2 ** (exponent + fraction) - 1) == 2 ** (exponent + fraction) - 1] = np.nan
    else:
        value = np.where(e == 2 ** exponent - 1, np.where(f == 0, np.inf, np.nan), value)
    return np.where(codes >> (exponent + fraction), -value, value)


@functools.cache
def ordered(kind):
    values = table(kind)
    codes = np.flatnonzero(np.isfinite(values) & ~(np.signbit(values) & (values == 0)))
    codes = codes[np.argsort(values[codes])]
    return values[codes], codes


def coded(array, kind):
    """Each number as the nearest one that the type has; of two as near the one with even bits."""
    values, codes = ordered(kind)
    array = np.asarray(array, dtype=np.float64)
    above = np.clip(np.searchsorted(values, array), 1, len(values) - 1)
    to_lower, to_upper = array - values[above - 1], values[above] - array
    lower = (to_lower < to_upper) | ((to_lower == to_upper) & (codes[above] & 1 == 1))
    return Bits(kind, codes[np.where(lower, above - 1, above)].astype(FORMS[kind][0]))


def type_of(array):
    """"float16", "bf16", …"""
    return array.type if isinstance(array, Bits) else array.dtype.name


def values_of(array):
    return array.values() if isinstance(array, Bits) else array.astype(np.float64)
