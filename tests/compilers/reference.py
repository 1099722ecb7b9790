"""Random inputs, and what numpy makes of them in double precision."""
import numpy as np

from floats import coded, values_of


def softmax_rows(s):
    e = np.exp2(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attended(q, k, v, scale, causal):
    s = np.einsum("hid,hjd->hij", values_of(q), values_of(k)) * scale
    if causal:
        s = np.where(np.tri(s.shape[1], dtype=bool), s, -np.inf)
    return softmax_rows(s) @ values_of(v)


def numbers(random, shape, kind):
    if kind == "int8":
        return random.integers(-100, 100, shape).astype(np.int8)
    x = random.standard_normal(shape)
    return x.astype(kind) if kind in ("float16", "float32") else coded(x, kind)


def result(array, kind):
    return array.astype(kind) if kind in ("float16", "float32", "int32") else coded(array, kind)
