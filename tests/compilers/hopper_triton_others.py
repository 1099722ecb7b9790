"""Kernels in Triton's language for Hopper beside plain products: CTAs of a cluster that share a
block, device-made maps of other shapes, sums in several precisions, atomics, short floats."""
import numpy as np
import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from floats import coded, values_of
from reference import numbers, result
from triton_compile import Described, compiled


# With several CTAs a program its rows, or a row's parts, lie in different CTAs.
@triton.jit
def softmax(x, y, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    e = tl.exp2(v - tl.max(v, axis=1)[:, None])
    tl.store(y + at, e / tl.sum(e, axis=1)[:, None])


@triton.jit
def whole_sum(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(y + i, v - tl.sum(v, axis=0) / N)


@triton.jit
def transpose(x, y, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    v = tl.load(x + m[:, None] * N + n[None, :])
    tl.store(y + n[:, None] * M + m[None, :], v.T)


@triton.jit
def scan(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.cumsum(tl.load(x + i), axis=0))


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           PRECISION: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        va = tl.load(a + m[:, None] * K + k[None, :])
        vb = tl.load(b + k[:, None] * N + n[None, :])
        sums = tl.dot(va, vb, sums, input_precision=PRECISION)
    tl.store(c + m[:, None] * N + n[None, :], sums)


# A map of three dimensions, made in the kernel, with NaN outside.
@triton.jit
def crop(x, y, D0, D1, D2, by, B: tl.constexpr):
    dx = tl.make_tensor_descriptor(x, [D0, D1, D2], [D1 * D2, D2, 1], [2, B, B],
                                   padding_option="nan")
    dy = tl.make_tensor_descriptor(y, [2, B, B], [B * B, B, 1], [2, B, B])
    dy.store([0, 0, 0], dx.load([1, by, by]))


# Stream-K: each CTA takes as many steps of k as the others; tiles that two share are added up.
@triton.jit
def stream_k(a, b, c, N, K, STEPS: tl.constexpr, EACH: tl.constexpr, BM: tl.constexpr,
             BN: tl.constexpr, BK: tl.constexpr):
    step = tl.program_id(0) * EACH
    end = step + EACH
    while step < end:
        tile = step // STEPS
        last = tl.minimum((tile + 1) * STEPS, end)
        m, n = tile // (N // BN) * BM, tile % (N // BN) * BN
        sums = tl.zeros((BM, BN), dtype=tl.float32)
        for s in range(step % STEPS, step % STEPS + last - step):
            sums = tl.dot(a.load([m, s * BK]), b.load([s * BK, n]), sums)
        c.atomic_add([m, n], sums)
        step = last


# A kernel that may begin before the one in front of it has ended.
@triton.jit
def early(x, y, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    gdc_wait()
    v = tl.load(x + i)
    gdc_launch_dependents()
    tl.store(y + i, v * 2)


# A scale for each row, and the row as numbers of eight bits.
@triton.jit
def quantized(x, y, scale, N: tl.constexpr):
    i = tl.arange(0, N)
    row = tl.program_id(0)
    v = tl.load(x + row * N + i)
    s = tl.max(tl.abs(v), axis=0) / 448
    tl.store(y + row * N + i, (v / s).to(y.dtype.element_ty))
    tl.store(scale + row, s)


@triton.jit
def added(x, y, N: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(y + i % N, tl.load(x + i), sem="relaxed")


# The last CTA to come adds up what all have stored.
@triton.jit
def last_sums(x, parts, count, y, CTAS: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(parts + tl.program_id(0), tl.sum(tl.load(x + i), axis=0))
    tl.debug_barrier()
    before = tl.atomic_add(count, 1, sem="acq_rel")
    if before == CTAS - 1:
        v = tl.load(parts + tl.arange(0, CTAS), cache_modifier=".cv")
        tl.store(y, tl.sum(v, axis=0))


# Chunks of linear attention: what came before is a matrix that each chunk adds to.
@triton.jit
def linear_attention(q, k, v, o, T, D: tl.constexpr, C: tl.constexpr):
    d, c = tl.arange(0, D), tl.arange(0, C)
    head = tl.program_id(0) * T * D
    state = tl.zeros((D, D), dtype=tl.float32)
    for start in range(0, T, C):
        at = head + (start + c)[:, None] * D + d[None, :]
        vq, vk, vv = tl.load(q + at), tl.load(k + at), tl.load(v + at)
        s = tl.where(c[:, None] >= c[None, :], tl.dot(vq, vk.T), 0)
        y = tl.dot(s.to(vv.dtype), vv) + tl.dot(vq, state.to(vq.dtype))
        tl.store(o + at, y.to(o.dtype.element_ty))
        state = tl.dot(vk.T, vv, state)


def cases(random):
    def made(name, *rest, **options):
        return compiled("hopper other " + name, *rest, target=90, **options)

    for ctas in (2, 4):
        x = numbers(random, (16, 256), "float32")
        e = np.exp2(values_of(x))
        y = (e / e.sum(axis=1, keepdims=True)).astype(np.float32)
        yield made(f"softmax, {ctas} CTAs", softmax, (1, 1, 1), [("in", x), ("out", y)],
                   dict(M=16, N=256), {1: y}, 1e-5, num_ctas=ctas)
        x = numbers(random, (4096, ), "float32")
        y = (values_of(x) - values_of(x).mean()).astype(np.float32)
        yield made(f"whole_sum, {ctas} CTAs", whole_sum, (1, 1, 1), [("in", x), ("out", y)],
                   dict(N=4096), {1: y}, 1e-5, num_ctas=ctas)
        x = numbers(random, (64, 128), "float16")
        yield made(f"transpose, {ctas} CTAs", transpose, (1, 1, 1),
                   [("in", x), ("out", x.T.copy())], dict(M=64, N=128), {1: x.T.copy()},
                   num_ctas=ctas)
    x = random.integers(-100, 100, 2048).astype(np.int32)
    yield made("scan", scan, (1, 1, 1), [("in", x), ("out", x)], dict(N=2048),
               {1: np.cumsum(x, dtype=np.int32)}, num_warps=8)

    for precision, tolerance in (("tf32x3", 1e-5), ("bf16x3", 1e-3), ("bf16x6", 1e-5),
                                 ("ieee", 1e-5)):
        a, b = numbers(random, (64, 64), "float32"), numbers(random, (64, 32), "float32")
        c = (values_of(a) @ values_of(b)).astype(np.float32)
        yield made("matmul " + precision, matmul, (1, 1, 1),
                   [("in", a), ("in", b), ("out", c), ("i32", 64), ("i32", 32), ("i32", 64)],
                   dict(BM=64, BN=32, BK=32, PRECISION=precision), {2: c}, tolerance)

    x = numbers(random, (3, 40, 48), "float32")
    y = np.full((2, 32, 32), np.nan, np.float32)
    y[:2, :28, :] = x[1:3, 12:, 12:44]
    yield made("crop", crop, (1, 1, 1),
               [("in", x), ("out", y)] + [("i32", n) for n in (3, 40, 48, 12)], dict(B=32), {1: y})

    a, b = numbers(random, (128, 192), "float16"), numbers(random, (192, 192), "float16")
    c = (values_of(a) @ values_of(b)).astype(np.float32)
    yield made("stream_k", stream_k, (4, 1, 1),
               [("in", a, Described((64, 64))), ("in", b, Described((64, 64))),
                ("inout", np.zeros_like(c), Described((64, 64))), ("i32", 192), ("i32", 192)],
               dict(STEPS=3, EACH=5, BM=64, BN=64, BK=64), {2: c}, 5e-3)

    x = numbers(random, (512, ), "float32")
    yield made("early", early, (2, 1, 1), [("in", x), ("out", x)], dict(N=256), {1: x * 2},
               launch_pdl=True)
    x = numbers(random, (5, 256), "float32")
    s = np.abs(x).max(axis=1) / np.float32(448)
    yield made("quantized", quantized, (5, 1, 1),
               [("in", x), ("out", coded(x, "e4m3")), ("out", s)], dict(N=256),
               {1: coded(np.divide(x, s[:, None]), "e4m3"), 2: s}, 0.13)
    for kind, tolerance in (("float32", 1e-5), ("float16", 3e-2), ("bf16", 2e-1)):
        x = numbers(random, (1024, ), kind)
        y = result(values_of(x).reshape(4, 256).sum(axis=0), kind)
        yield made("added " + kind, added, (2, 1, 1),
                   [("in", x), ("inout", result(np.zeros(256), kind))], dict(N=256, B=512), {1: y},
                   tolerance)
    x = numbers(random, (1024, ), "float32")
    y = x.reshape(4, 256).sum(axis=1, dtype=np.float64).astype(np.float32)
    yield made("last_sums", last_sums, (4, 1, 1),
               [("in", x), ("out", y), ("inout", np.zeros(1, np.int32)),
                ("out", np.zeros(1, np.float32))], dict(CTAS=4, B=256),
               {3: np.array([y.sum(dtype=np.float64)], np.float32)}, 1e-4)

    q, k, v = (coded(random.standard_normal((2, 192, 64)) / 4, "bf16") for _ in range(3))
    s = np.einsum("hid,hjd->hij", q.values(), k.values())
    o = coded(np.where(np.tri(192, dtype=bool), s, 0) @ v.values(), "bf16")
    yield made("linear_attention", linear_attention, (2, 1, 1),
               [("in", q), ("in", k), ("in", v), ("out", o), ("i32", 192)], dict(D=64, C=64),
               {3: o}, 5e-2)
