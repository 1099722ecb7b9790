"""Kernels in Numba's language, as people write them; cases() compiles each without a GPU."""
import re

import numpy as np
from numba import cuda
from numba.cuda import types
from numba.cuda.types import float32, int32

from case import Case

TILE = 16  # a literal in the shapes: what is not is refused


def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


def matmul(a, b, c):
    sa = cuda.shared.array((16, 16), float32)
    sb = cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for start in range(0, a.shape[1], TILE):
        sa[ty, tx] = a[y, start + tx] if y < a.shape[0] and start + tx < a.shape[1] else 0
        sb[ty, tx] = b[start + ty, x] if x < b.shape[1] and start + ty < b.shape[0] else 0
        cuda.syncthreads()
        for k in range(TILE):
            total += sa[ty, k] * sb[k, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


def block_sums(x, out):
    sums = cuda.shared.array(32, float32)
    i = cuda.grid(1)
    v = x[i] if i < x.size else float32(0)
    lane, warp = cuda.threadIdx.x % 32, cuda.threadIdx.x // 32
    offset = 16
    while offset > 0:
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, offset)
        offset //= 2
    if lane == 0:
        sums[warp] = v
    cuda.syncthreads()
    if warp == 0:
        v = sums[lane] if lane < cuda.blockDim.x // 32 else float32(0)
        offset = 16
        while offset > 0:
            v += cuda.shfl_down_sync(0xFFFFFFFF, v, offset)
            offset //= 2
        if lane == 0:
            cuda.atomic.add(out, 0, v)


def histogram(x, bins):
    own = cuda.shared.array(64, int32)
    i = cuda.grid(1)
    if cuda.threadIdx.x < 64:
        own[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    if i < x.size:
        cuda.atomic.add(own, x[i], 1)
    cuda.syncthreads()
    if cuda.threadIdx.x < 64:
        cuda.atomic.add(bins, cuda.threadIdx.x, own[cuda.threadIdx.x])


def stencil(x, y):
    s = cuda.shared.array((18, 18), float32)
    i, j = cuda.grid(2)
    ti, tj = cuda.threadIdx.x + 1, cuda.threadIdx.y + 1
    h, w = x.shape
    if i < h and j < w:
        s[ti, tj] = x[i, j]
        if ti == 1:
            s[0, tj] = x[i - 1, j] if i > 0 else 0
        if ti == TILE or i == h - 1:
            s[ti + 1, tj] = x[i + 1, j] if i < h - 1 else 0
        if tj == 1:
            s[ti, 0] = x[i, j - 1] if j > 0 else 0
        if tj == TILE or j == w - 1:
            s[ti, tj + 1] = x[i, j + 1] if j < w - 1 else 0
    cuda.syncthreads()
    if i < h and j < w:
        y[i, j] = (s[ti, tj] * float32(0.5) + (s[ti - 1, tj] + s[ti + 1, tj] + s[ti, tj - 1] +
                                               s[ti, tj + 1]) * float32(0.125))


def scan(x, y):
    s = cuda.shared.array((2, 128), int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[0, t] = x[i]
    cuda.syncthreads()
    now, step = 0, 1
    while step < 128:
        s[1 - now, t] = s[now, t] + (s[now, t - step] if t >= step else 0)
        now = 1 - now
        step *= 2
        cuda.syncthreads()
    y[i] = s[now, t]


def transpose(x, y):
    s = cuda.shared.array((16, 17), types.float64)
    i, j = cuda.grid(2)
    s[cuda.threadIdx.y, cuda.threadIdx.x] = x[j, i]
    cuda.syncthreads()
    i = cuda.blockIdx.y * TILE + cuda.threadIdx.x
    j = cuda.blockIdx.x * TILE + cuda.threadIdx.y
    y[j, i] = s[cuda.threadIdx.x, cuda.threadIdx.y]


def bitonic_sort(x):
    s = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.blockIdx.x, t]
    size = 2
    while size <= 256:
        step = size // 2
        while step > 0:
            cuda.syncthreads()
            other = t ^ step
            if other > t:
                up = (t & size) == 0
                if (s[t] > s[other]) == up:
                    s[t], s[other] = s[other], s[t]
            step //= 2
        size *= 2
    cuda.syncthreads()
    x[cuda.blockIdx.x, t] = s[t]


def mandelbrot(x0, y0, step, out, most):
    i, j = cuda.grid(2)
    if i < out.shape[1] and j < out.shape[0]:
        c = complex(x0 + i * step, y0 + j * step)
        z = 0.0j
        count = 0
        while count < most:
            z = z * z + c
            if z.real * z.real + z.imag * z.imag >= 4:
                break
            count += 1
        out[j, i] = count


def greatest(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.max(out, 0, x[i])


# The place of each kept element, by the warp's ballot; one atomic a warp.
def compact(x, out, count):
    i = cuda.grid(1)
    kept = i < x.size and x[i] > 0
    ballot = cuda.ballot_sync(0xFFFFFFFF, kept)
    lane = cuda.threadIdx.x % 32
    first = 0
    if lane == 0:
        first = cuda.atomic.add(count, 0, cuda.popc(ballot))
    first = cuda.shfl_sync(0xFFFFFFFF, first, 0)
    if kept:
        out[first + cuda.popc(ballot & ((1 << lane) - 1))] = x[i]


# Neighbours within a warp, by shared memory.
def warp_rotate(x, y):
    s = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncwarp(0xFFFFFFFF)
    y[cuda.grid(1)] = s[(t & ~31) | ((t + 1) & 31)]


def running_median(x, y):
    window = cuda.local.array(5, float32)
    i = cuda.grid(1)
    if i < x.size:
        for k in range(5):
            at = min(max(i + k - 2, 0), x.size - 1)
            window[k] = x[at]
        for a in range(5):
            for b in range(4 - a):
                if window[b] > window[b + 1]:
                    window[b], window[b + 1] = window[b + 1], window[b]
        y[i] = window[2]


NUMBERS = {"f32": types.float32, "f64": types.float64, "i64": types.int64, "i32": types.int32}


def compiled(kernel, grid, threads, values, expected, tolerance=0.0):
    """`values`: ("in" | "out" | "inout", array) or (type, number)."""
    signature, arguments, places = [], [], []
    for kind, value in values:
        if isinstance(value, np.ndarray):
            element = types.Array({"float32": types.float32, "float64": types.float64,
                                   "int32": types.int32}[value.dtype.name], value.ndim, "C")
            signature.append(element)
            places.append(len(arguments) + 4)
            # As Numba passes an array: owner, parent, items, bytes of one, data, shape, strides.
            arguments += ["u64:0", "u64:0", f"i64:{value.size}", f"i64:{value.itemsize}",
                          (kind, value)]
            arguments += [f"i64:{n}" for n in value.shape + value.strides]
        else:
            signature.append(NUMBERS[kind])
            places.append(len(arguments))
            arguments.append(f"{kind}:{value}")
    ptx, _ = cuda.compile(kernel, types.void(*signature), device=False, abi="numba", cc=(8, 0),
                          output="ptx")
    ptx = ptx.decode() if isinstance(ptx, bytes) else ptx
    entry = re.search(r"\.entry\s+([\w$]+)", ptx)[1]
    return Case("numba " + kernel.__name__, ptx, entry, grid, threads, 0, arguments,
                {places[i]: value for i, value in expected.items()}, tolerance)


def cases(random):
    def real(*shape):
        return random.standard_normal(shape).astype(np.float32)

    x, y = real(1000), real(1000)
    yield compiled(saxpy, (8, 1, 1), "128", [("f32", 2.5), ("in", x), ("in", y), ("out", x)],
                   {3: np.float32(2.5) * x + y}, 1e-6)
    a, b = real(40, 50), real(50, 35)
    yield compiled(matmul, (3, 3, 1), "16,16", [("in", a), ("in", b), ("out", real(40, 35))],
                   {2: (a.astype(np.float64) @ b).astype(np.float32)}, 1e-5)
    x = real(1000)
    yield compiled(block_sums, (4, 1, 1), "256", [("in", x), ("inout", np.zeros(1, np.float32))],
                   {1: np.array([x.sum(dtype=np.float64)], np.float32)}, 1e-4)
    x = random.integers(0, 64, 1000).astype(np.int32)
    yield compiled(histogram, (4, 1, 1), "256", [("in", x), ("out", np.zeros(64, np.int32))],
                   {1: np.bincount(x, minlength=64).astype(np.int32)})
    x = real(40, 50)
    p = np.pad(x, 1)
    yield compiled(stencil, (3, 4, 1), "16,16", [("in", x), ("out", x)],
                   {1: x / 2 + (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]) / 8}, 1e-5)
    x = random.integers(-99, 99, (3, 128)).astype(np.int32)
    yield compiled(scan, (3, 1, 1), "128", [("in", x.ravel()), ("out", x.ravel())],
                   {1: np.cumsum(x, axis=1, dtype=np.int32).ravel()})
    x = random.standard_normal((32, 48))
    yield compiled(transpose, (3, 2, 1), "16,16", [("in", x), ("out", x.T.copy())],
                   {1: x.T.copy()})
    x = real(3, 256)
    yield compiled(bitonic_sort, (3, 1, 1), "256", [("inout", x)], {0: np.sort(x, axis=1)})
    out = np.zeros((24, 40), np.int32)
    points = (-2 + 0.07 * np.arange(40)) + 1j * (-1 + 0.07 * np.arange(24))[:, None]
    z, count = np.zeros_like(points), np.full(points.shape, 30, np.int32)
    for i in range(30):
        z = np.where(np.abs(z) < 1e6, z * z + points, z)
        count[(count == 30) & (z.real**2 + z.imag**2 >= 4)] = i
    yield compiled(mandelbrot, (3, 2, 1), "16,16",
                   [("f64", -2.0), ("f64", -1.0), ("f64", 0.07), ("out", out), ("i32", 30)],
                   {3: count})
    x = random.integers(-10**6, 10**6, 700).astype(np.int32)
    yield compiled(greatest, (6, 1, 1), "128",
                   [("in", x), ("inout", np.full(1, -2**31, np.int32))],
                   {1: x.max(keepdims=True)})
    x = np.zeros(128, np.int32)
    x[:] = random.integers(-5, 6, 128)
    kept = x[x > 0]
    yield compiled(compact, (1, 1, 1), "128",
                   [("in", x), ("inout", np.zeros(128, np.int32)),
                    ("inout", np.zeros(1, np.int32))],
                   {1: np.pad(kept, (0, 128 - kept.size)),
                    2: np.array([kept.size], np.int32)})
    x = real(256)
    yield compiled(warp_rotate, (2, 1, 1), "128", [("in", x), ("out", x)],
                   {1: np.roll(x.reshape(8, 32), -1, axis=1).ravel()})
    x = real(300)
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, 2, mode="edge"), 5)
    yield compiled(running_median, (3, 1, 1), "128", [("in", x), ("out", x)],
                   {1: np.median(windows, axis=1).astype(np.float32)})
