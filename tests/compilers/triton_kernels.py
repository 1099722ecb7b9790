"""Kernels in Triton's language, as people write them; cases() compiles each without a GPU."""
import numpy as np
import triton
import triton.language as tl

from triton_compile import compiled


@triton.jit
def vector_add(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(z + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def softmax(x, y, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + i, mask=i < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * stride + i, e / tl.sum(e, axis=0), mask=i < columns)


@triton.jit
def layer_norm(x, gain, bias, y, columns, stride, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * stride + i, mask=i < columns, other=0.0)
        total += v
        squares += v * v
    mean = tl.sum(total, axis=0) / columns
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns - mean * mean + eps)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        inside = i < columns
        v = tl.load(x + row * stride + i, mask=inside, other=0.0)
        g, b = tl.load(gain + i, mask=inside), tl.load(bias + i, mask=inside)
        tl.store(y + row * stride + i, (v - mean) * scale * g + b, mask=inside)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           ACC: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    pa = a + m[:, None] * K + k[None, :]
    pb = b + k[:, None] * N + n[None, :]
    sums = tl.zeros((BM, BN), dtype=ACC)
    for start in range(0, K, BK):
        left = K - start
        va = tl.load(pa, mask=(m[:, None] < M) & (k[None, :] < left), other=0.0)
        vb = tl.load(pb, mask=(k[:, None] < left) & (n[None, :] < N), other=0.0)
        sums = tl.dot(va, vb, sums, out_dtype=ACC)
        pa += BK
        pb += BK * N
    tl.store(c + m[:, None] * N + n[None, :], sums, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def histogram_atomics(x, bins, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(bins + tl.load(x + i, mask=i < n, other=0), 1, mask=i < n)


@triton.jit
def histogram(x, bins, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(bins + tl.arange(0, BINS), tl.histogram(tl.load(x + i), BINS))


@triton.jit
def column_sums(x, y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    v = tl.load(x + m[:, None] * N + n[None, :], mask=(m[:, None] < M) & (n[None, :] < N), other=0)
    tl.atomic_add(y + n, tl.sum(v, axis=0), mask=n < N)


@triton.jit
def scan(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    row = tl.program_id(0) * N
    tl.store(y + row + i, tl.cumsum(tl.load(x + row + i), axis=0))


@triton.jit
def attention(q, k, v, o, T, scale, BT: tl.constexpr, D: tl.constexpr):
    d = tl.arange(0, D)
    rows = tl.program_id(0) * BT + tl.arange(0, BT)
    vq = tl.load(q + rows[:, None] * D + d[None, :])
    most = tl.full([BT], -float("inf"), dtype=tl.float32)
    norm = tl.zeros([BT], dtype=tl.float32)
    sums = tl.zeros([BT, D], dtype=tl.float32)
    for start in range(0, T, BT):
        columns = start + tl.arange(0, BT)
        vk = tl.load(k + columns[:, None] * D + d[None, :])
        s = tl.dot(vq, tl.trans(vk)) * scale
        s = tl.where(rows[:, None] >= columns[None, :], s, -1e30)
        now = tl.maximum(most, tl.max(s, axis=1))
        p = tl.exp2(s - now[:, None])
        old = tl.exp2(most - now)
        norm = norm * old + tl.sum(p, axis=1)
        vv = tl.load(v + columns[:, None] * D + d[None, :])
        sums = tl.dot(p.to(vv.dtype), vv, sums * old[:, None])
        most = now
    tl.store(o + rows[:, None] * D + d[None, :], (sums / norm[:, None]).to(o.dtype.element_ty))


@triton.jit
def transpose(x, y, M, N, B: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.program_id(1) * B + tl.arange(0, B)
    v = tl.load(x + m[:, None] * N + n[None, :])
    tl.store(y + n[:, None] * M + m[None, :], tl.trans(v))


@triton.jit
def sort(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + tl.program_id(0) * N + i, tl.sort(tl.load(x + tl.program_id(0) * N + i)))


@triton.jit
def arg_max(x, y, columns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * columns + i, mask=i < columns, other=-float("inf"))
    tl.store(y + tl.program_id(0), tl.argmax(v, axis=0))


# Partial sums of k under a lock: compare-and-swap, acquire and release.
@triton.jit
def locked_sum(x, y, lock, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + tl.program_id(0) * N + i)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(y + i, tl.load(y + i) + v)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


def cases(random):
    def real(*shape, dtype=np.float32):
        return random.standard_normal(shape).astype(dtype)

    def product(name, m, n, k, block, a_type=np.float16, acc=tl.float32, tolerance=2e-3, **options):
        if a_type == np.int8:
            a, b = (random.integers(-100, 100, s).astype(np.int8) for s in ((m, k), (k, n)))
            c = a.astype(np.int32) @ b.astype(np.int32)
        else:
            a, b = real(m, k, dtype=a_type), real(k, n, dtype=a_type)
            c = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
        return compiled("triton " + name, matmul, (-(-m // block[0]), -(-n // block[1]), 1),
                        [("in", a), ("in", b), ("out", c), ("i32", m), ("i32", n), ("i32", k)],
                        dict(BM=block[0], BN=block[1], BK=block[2], ACC=acc), {2: c}, tolerance,
                        **options)

    x, y = real(1000), real(1000)
    yield compiled("triton vector_add", vector_add, (4, 1, 1),
                   [("in", x), ("in", y), ("out", x), ("i32", 1000)], dict(BLOCK=256), {2: x + y})
    x = real(6, 192)
    yield compiled("triton softmax", softmax, (6, 1, 1),
                   [("in", x), ("out", x), ("i32", 190), ("i32", 192)], dict(BLOCK=256),
                   {1: _softmax(x[:, :190], 192)}, 1e-5)
    x, g, b = real(5, 700), real(700), real(700)
    wide = x.astype(np.float64)
    normal = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    yield compiled("triton layer_norm", layer_norm, (5, 1, 1),
                   [("in", x), ("in", g), ("in", b), ("out", x), ("i32", 700), ("i32", 700),
                    ("fp32", 1e-5)], dict(BLOCK=256), {3: (normal * g + b).astype(np.float32)},
                   1e-4)
    yield product("matmul 16x16", 16, 16, 64, (16, 16, 16))
    yield product("matmul 64x64, 3 stages", 100, 130, 200, (64, 64, 32), num_stages=3)
    yield product("matmul 128x64, 8 warps", 128, 128, 96, (128, 64, 32), num_warps=8, num_stages=4)
    yield product("matmul tf32", 64, 64, 64, (32, 32, 32), np.float32, tolerance=2e-2)
    yield product("matmul int8", 64, 64, 64, (32, 32, 32), np.int8, tl.int32)
    x = random.integers(0, 50, 3000).astype(np.int32)
    yield compiled("triton histogram_atomics", histogram_atomics, (6, 1, 1),
                   [("in", x), ("out", np.zeros(50, np.int32)), ("i32", 3000)], dict(BLOCK=512),
                   {1: np.bincount(x, minlength=50).astype(np.int32)})
    x = random.integers(0, 64, 2048).astype(np.int32)
    yield compiled("triton histogram", histogram, (2, 1, 1),
                   [("in", x), ("out", np.zeros(64, np.int32))], dict(BLOCK=1024, BINS=64),
                   {1: np.bincount(x, minlength=64).astype(np.int32)})
    x = real(100, 150)
    yield compiled("triton column_sums", column_sums, (4, 3, 1),
                   [("in", x), ("out", x[0]), ("i32", 100), ("i32", 150)], dict(BM=32, BN=64),
                   {1: x.sum(0, dtype=np.float64).astype(np.float32)}, 1e-4)
    x = random.integers(-100, 100, (3, 1024)).astype(np.int32)
    yield compiled("triton scan", scan, (3, 1, 1), [("in", x), ("out", x)], dict(N=1024),
                   {1: np.cumsum(x, axis=1, dtype=np.int32)})
    for warps in (4, 8):
        q, k, v = (real(128, 64, dtype=np.float16) for _ in range(3))
        s = (q.astype(np.float64) @ k.astype(np.float64).T) * np.log(2) * 0.125
        s = np.where(np.tri(128, dtype=bool), s, -np.inf)
        yield compiled(f"triton attention, {warps} warps", attention, (2, 1, 1),
                       [("in", q), ("in", k), ("in", v), ("out", q), ("i32", 128),
                        ("fp32", 0.125)], dict(BT=64, D=64),
                       {3: (_softmax(s) @ v.astype(np.float64)).astype(np.float16)}, 5e-3,
                       num_warps=warps)
    x = real(64, 96)
    yield compiled("triton transpose", transpose, (2, 3, 1),
                   [("in", x), ("out", x), ("i32", 64), ("i32", 96)], dict(B=32),
                   {1: np.ascontiguousarray(x.T)})
    x = real(2, 512)
    yield compiled("triton sort", sort, (2, 1, 1), [("in", x), ("out", x)], dict(N=512),
                   {1: np.sort(x, axis=1)})
    x = real(7, 300)
    yield compiled("triton arg_max", arg_max, (7, 1, 1),
                   [("in", x), ("out", np.zeros(7, np.int32)), ("i32", 300)], dict(BLOCK=512),
                   {1: x.argmax(1).astype(np.int32)})
    x = random.integers(0, 1000, (5, 64)).astype(np.int32)
    yield compiled("triton locked_sum", locked_sum, (5, 1, 1),
                   [("in", x), ("inout", np.zeros(64, np.int32)),
                    ("inout", np.zeros(1, np.int32))], dict(N=64),
                   {1: x.sum(0, dtype=np.int32), 2: np.zeros(1, np.int32)})


def _softmax(x, width=None):
    x = x.astype(np.float64)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    e /= e.sum(axis=1, keepdims=True)
    if width is None:
        return e
    return np.pad(e, ((0, 0), (0, width - e.shape[1]))).astype(np.float32)
