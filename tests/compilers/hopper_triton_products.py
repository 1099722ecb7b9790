"""Kernels in Triton's language that become wgmma: types, shapes, operands, epilogues."""
import numpy as np
import triton
import triton.language as tl

from floats import coded, values_of
from reference import attended, numbers, result
from triton_compile import compiled


@triton.jit
def matmul(a, b, c, M, N, K, am, ak, bk, bn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           ACC: tl.constexpr, IMPRECISE: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    pa = a + m[:, None] * am + k[None, :] * ak
    pb = b + k[:, None] * bk + n[None, :] * bn
    sums = tl.zeros((BM, BN), dtype=ACC)
    for start in range(0, K, BK):
        left = K - start
        va = tl.load(pa, mask=(m[:, None] < M) & (k[None, :] < left), other=0.0)
        vb = tl.load(pb, mask=(k[:, None] < left) & (n[None, :] < N), other=0.0)
        sums = tl.dot(va, vb, sums, out_dtype=ACC, max_num_imprecise_acc=IMPRECISE)
        pa += BK * ak
        pb += BK * bk
    tl.store(c + m[:, None] * N + n[None, :], sums.to(c.dtype.element_ty),
             mask=(m[:, None] < M) & (n[None, :] < N))


# The first factor is converted between load and product, so it comes to wgmma from registers.
@triton.jit
def matmul_converted(a, b, c, scale, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                     BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    k = tl.arange(0, BK)
    s = tl.load(scale + m)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        va = tl.load(a + m[:, None] * K + (start + k)[None, :])
        vb = tl.load(b + (start + k)[:, None] * N + n[None, :])
        sums = tl.dot(va.to(vb.dtype), vb, sums)
    tl.store(c + m[:, None] * N + n[None, :], sums * s[:, None])


# Two numbers of four bits a byte, k one behind the other.
@triton.jit
def matmul_int4(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    k = tl.arange(0, BK)
    half = tl.arange(0, BK // 2)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        packed = tl.load(a + m[:, None] * (K // 2) + (start // 2 + half)[None, :])
        low = ((packed & 15).to(tl.int8) - 8).to(tl.float16)
        high = ((packed >> 4).to(tl.int8) - 8).to(tl.float16)
        va = tl.reshape(tl.join(low, high), (BM, BK))
        vb = tl.load(b + (start + k)[:, None] * N + n[None, :])
        sums = tl.dot(va, vb, sums)
    tl.store(c + m[:, None] * N + n[None, :], sums)


@triton.jit
def matmul_scaled(a, a_scale, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                  KIND: tl.constexpr, PER_BYTE: tl.constexpr):
    m = tl.arange(0, BM)
    n = tl.arange(0, BN)
    k = tl.arange(0, BK)
    bytes_of_a = tl.arange(0, BK // PER_BYTE)
    groups = tl.arange(0, BK // 32)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        va = tl.load(a + m[:, None] * (K // PER_BYTE) + (start // PER_BYTE + bytes_of_a)[None, :])
        sa = tl.load(a_scale + m[:, None] * (K // 32) + (start // 32 + groups)[None, :])
        vb = tl.load(b + (start + k)[:, None] * N + n[None, :])
        sums = tl.dot_scaled(va, sa, KIND, vb, None, "bf16", sums)
    tl.store(c + m[:, None] * N + n[None, :], sums)


@triton.jit
def split_k(a, b, c, M, N, K, SPLIT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
            BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    first = tl.program_id(1) * BK
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(first, K, BK * SPLIT):
        k = start + tl.arange(0, BK)
        va = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K),
                     other=0.0)
        vb = tl.load(b + k[:, None] * N + n[None, :], mask=k[:, None] < K, other=0.0)
        sums = tl.dot(va, vb, sums)
    tl.atomic_add(c + m[:, None] * N + n[None, :], sums, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def attention(q, k, v, o, T, scale, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
              D: tl.constexpr):
    d = tl.arange(0, D)
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    head = tl.program_id(1) * T * D
    vq = tl.load(q + head + rows[:, None] * D + d[None, :], mask=rows[:, None] < T, other=0.0)
    most = tl.full([BM], -float("inf"), dtype=tl.float32)
    norm = tl.zeros([BM], dtype=tl.float32)
    sums = tl.zeros([BM, D], dtype=tl.float32)
    end = T
    if CAUSAL:
        end = tl.minimum(T, (tl.program_id(0) + 1) * BM)
    for start in range(0, end, BN):
        columns = start + tl.arange(0, BN)
        at = head + columns[:, None] * D + d[None, :]
        vk = tl.load(k + at, mask=columns[:, None] < T, other=0.0)
        s = tl.dot(vq, vk.T) * scale
        seen = columns[None, :] < T
        if CAUSAL:
            seen = seen & (rows[:, None] >= columns[None, :])
        s = tl.where(seen, s, -1e30)
        now = tl.maximum(most, tl.max(s, axis=1))
        p = tl.exp2(s - now[:, None])
        old = tl.exp2(most - now)
        norm = norm * old + tl.sum(p, axis=1)
        vv = tl.load(v + at, mask=columns[:, None] < T, other=0.0)
        sums = tl.dot(p.to(vv.dtype), vv, sums * old[:, None])
        most = now
    tl.store(o + head + rows[:, None] * D + d[None, :],
             (sums / norm[:, None]).to(o.dtype.element_ty), mask=rows[:, None] < T)


# Two layers with what lies between them in registers.
@triton.jit
def gated_layers(x, up, gate, down, y, F, D: tl.constexpr, BM: tl.constexpr, BF: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    vx = tl.load(x + m[:, None] * D + d[None, :])
    sums = tl.zeros((BM, D), dtype=tl.float32)
    for start in range(0, F, BF):
        f = start + tl.arange(0, BF)
        u = tl.dot(vx, tl.load(up + d[:, None] * F + f[None, :]))
        g = tl.dot(vx, tl.load(gate + d[:, None] * F + f[None, :]))
        h = u * g * tl.sigmoid(g)
        sums = tl.dot(h.to(x.dtype.element_ty), tl.load(down + f[:, None] * D + d[None, :]), sums)
    tl.store(y + m[:, None] * D + d[None, :], sums.to(y.dtype.element_ty))


# A 3×3 convolution as a product: k runs over taps and channels, borders are masked.
@triton.jit
def convolution(x, w, y, H, W, C: tl.constexpr, OUT: tl.constexpr, BM: tl.constexpr):
    p = tl.program_id(0) * BM + tl.arange(0, BM)
    row, column = p // W, p % W
    c, out = tl.arange(0, C), tl.arange(0, OUT)
    sums = tl.zeros((BM, OUT), dtype=tl.float32)
    for tap in range(9):
        i, j = row + tap // 3 - 1, column + tap % 3 - 1
        inside = (i >= 0) & (i < H) & (j >= 0) & (j < W) & (p < H * W)
        vx = tl.load(x + ((i * W + j) * C)[:, None] + c[None, :], mask=inside[:, None], other=0.0)
        vw = tl.load(w + tap * C * OUT + c[:, None] * OUT + out[None, :])
        sums = tl.dot(vx, vw, sums)
    tl.store(y + p[:, None] * OUT + out[None, :], sums, mask=p[:, None] < H * W)


def cases(random):
    def product(name, size, block, kinds=("float16", "float16"), order="row row", out="float32",
                imprecise=None, tolerance=2e-3, **options):
        m, n, k = size
        a, b = numbers(random, (m, k), kinds[0]), numbers(random, (k, n), kinds[1])
        c = result(values_of(a) @ values_of(b), out)
        order_a, order_b = order.split()
        strides_a = (k, 1) if order_a == "row" else (1, m)
        strides_b = (n, 1) if order_b == "row" else (1, k)
        acc = {"int32": tl.int32, "float16": tl.float16}.get(out, tl.float32)
        values = [("in", a if order_a == "row" else a.T), ("in", b if order_b == "row" else b.T),
                  ("out", c)]
        values += [("i32", x) for x in (m, n, k, *strides_a, *strides_b)]
        return compiled("hopper " + name, matmul, (-(-m // block[0]), -(-n // block[1]), 1), values,
                        dict(BM=block[0], BN=block[1], BK=block[2], ACC=acc, IMPRECISE=imprecise),
                        {2: c}, tolerance, target=90, **options)

    two = {kind: (kind, kind) for kind in ("float32", "bf16", "e4m3", "e5m2", "int8")}
    yield product("f16 n16, 1 stage", (64, 16, 96), (64, 16, 32), num_stages=1)
    # No swizzle, but a base offset all the same.
    yield product("bf16 n8 by rows", (64, 8, 192), (64, 8, 64), two["bf16"], num_stages=2)
    yield product("f16 n32, 2 stages", (64, 32, 128), (64, 32, 32), num_stages=2)
    yield product("f16 n64 ragged", (100, 136, 200), (64, 64, 64), num_stages=3)
    yield product("f16 n128, 8 warps", (128, 128, 192), (128, 128, 64), num_warps=8, num_stages=4)
    yield product("f16 n256, 8 warps", (128, 256, 96), (128, 256, 32), num_warps=8, num_stages=3)
    yield product("f16 128x32, 4 warps", (128, 32, 128), (128, 32, 64), num_stages=2)
    yield product("f16 8 warps side by side", (64, 128, 128), (64, 128, 64), num_warps=8)
    yield product("f16 A by columns", (128, 64, 128), (64, 64, 32), order="column row")
    yield product("f16 B by columns", (64, 128, 128), (64, 64, 32), order="row column")
    yield product("bf16 both by columns", (128, 64, 128), (128, 64, 64), two["bf16"],
                  order="column column", num_warps=8)
    yield product("f16 sums of f16", (64, 64, 64), (64, 64, 32), out="float16", tolerance=5e-2)
    yield product("bf16 to bf16", (64, 64, 128), (64, 64, 64), two["bf16"], out="bf16",
                  tolerance=1e-2)
    yield product("tf32", (64, 64, 128), (64, 64, 32), two["float32"], "row column", tolerance=3e-2)
    yield product("tf32 by rows", (64, 32, 64), (64, 32, 32), two["float32"], tolerance=3e-2)
    yield product("e4m3", (64, 64, 256), (64, 64, 64), two["e4m3"], "row column", tolerance=2e-2)
    # Triton reads the sums directly behind their wgmma; ptxas puts the wait there.
    yield product("e5m2 added up each 32", (64, 128, 256), (64, 128, 128), two["e5m2"],
                  "row column", imprecise=32, tolerance=5e-3, num_warps=8, found="product_pending")
    yield product("e4m3 and e5m2", (128, 64, 128), (128, 64, 64), ("e4m3", "e5m2"), "row column",
                  out="bf16", tolerance=2e-2)
    yield product("int8", (64, 64, 192), (64, 64, 64), two["int8"], "row column", out="int32",
                  tolerance=0)
    yield product("f16 2 CTAs a cluster", (128, 128, 128), (128, 128, 64), num_ctas=2)

    def converted(name, kinds, m=128, n=64, k=128, tolerance=2e-3, **options):
        a, b = numbers(random, (m, k), kinds[0]), numbers(random, (k, n), kinds[1])
        s = random.uniform(0.5, 2, m).astype(np.float32)
        c = ((values_of(a) @ values_of(b)) * s[:, None]).astype(np.float32)
        return compiled("hopper " + name, matmul_converted, (m // 64, 1, 1),
                        [("in", a), ("in", b), ("out", c), ("in", s)]
                        + [("i32", x) for x in (m, n, k)], dict(BM=64, BN=n, BK=64), {2: c},
                        tolerance, target=90, **options)

    yield converted("int8 A from registers", ("int8", "float16"), tolerance=5e-2)
    yield converted("e5m2 A from registers, 8 warps", ("e5m2", "bf16"), num_warps=8)
    yield converted("f32 A from registers", ("float32", "float16"), tolerance=5e-2)

    codes = random.integers(0, 256, (64, 64)).astype(np.uint8)
    a = np.stack([codes & 15, codes >> 4], axis=-1).reshape(64, 128) - 8.0
    b = numbers(random, (128, 64), "float16")
    c = (a @ b.astype(np.float64)).astype(np.float32)
    yield compiled("hopper int4 A from registers", matmul_int4, (1, 1, 1),
                   [("in", codes), ("in", b), ("out", c), ("i32", 64), ("i32", 64), ("i32", 128)],
                   dict(BM=64, BN=64, BK=64), {2: c}, 5e-2, target=90)
    e2m1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    for kind in ("e2m1", "e4m3"):
        if kind == "e2m1":
            a = np.stack([codes & 15, codes >> 4], axis=-1).reshape(64, 128)
            a = e2m1[a & 7] * np.where(a & 8, -1, 1)
            stored = codes
        else:
            stored = numbers(random, (64, 128), kind)
            a = stored.values()
        scale = random.integers(124, 131, (64, 4)).astype(np.uint8)
        a = a * np.repeat(2.0 ** (scale.astype(int) - 127), 32, axis=1)
        b = numbers(random, (128, 64), "bf16")
        c = (a @ b.values()).astype(np.float32)
        yield compiled(f"hopper scaled {kind}", matmul_scaled, (1, 1, 1),
                       [("in", stored), ("in", scale), ("in", b), ("out", c), ("i32", 64),
                        ("i32", 64), ("i32", 128)],
                       dict(BM=64, BN=64, BK=64, KIND=kind, PER_BYTE=2 if kind == "e2m1" else 1),
                       {3: c}, 1e-2, target=90)

    a, b = numbers(random, (100, 300), "bf16"), numbers(random, (300, 64), "bf16")
    c = (a.values() @ b.values()).astype(np.float32)
    yield compiled("hopper split_k", split_k, (2, 3, 1),
                   [("in", a), ("in", b), ("inout", np.zeros_like(c)), ("i32", 100), ("i32", 64),
                    ("i32", 300)], dict(SPLIT=3, BM=64, BN=64, BK=32), {2: c}, 2e-3, target=90)

    for name, kind, rows, causal, block, options in (
            ("causal", "float16", 192, True, (64, 64), {}),
            ("ragged bf16", "bf16", 150, False, (64, 32), dict(num_stages=2)),
            ("8 warps", "float16", 256, True, (128, 64), dict(num_warps=8)),
            ("e4m3", "e4m3", 128, False, (64, 64), dict(num_stages=1))):
        q, k, v = (numbers(random, (2, rows, 64), kind) for _ in range(3))
        o = attended(q, k, v, 0.18, causal)
        o = coded(o, "bf16") if kind == "bf16" else o.astype(np.float32)
        yield compiled("hopper attention " + name, attention, (-(-rows // block[0]), 2, 1),
                       [("in", q), ("in", k), ("in", v), ("out", o), ("i32", rows),
                        ("fp32", 0.18)],
                       dict(CAUSAL=causal, BM=block[0], BN=block[1], D=64), {3: o},
                       4e-2 if kind == "e4m3" else 1e-2, target=90, **options)

    x = numbers(random, (64, 64), "bf16")
    up, gate, down = (coded(random.standard_normal(s) / 8, "bf16")
                      for s in ((64, 192), (64, 192), (192, 64)))
    u, g = x.values() @ up.values(), x.values() @ gate.values()
    y = coded((u * g / (1 + np.exp(-g))) @ down.values(), "bf16")
    yield compiled("hopper gated_layers", gated_layers, (1, 1, 1),
                   [("in", x), ("in", up), ("in", gate), ("in", down), ("out", y), ("i32", 192)],
                   dict(D=64, BM=64, BF=64), {4: y}, 3e-2, target=90)

    x, w = numbers(random, (9, 15, 32), "float16"), numbers(random, (9, 32, 64), "float16")
    padded = np.pad(x.astype(np.float64), ((1, 1), (1, 1), (0, 0)))
    y = sum(padded[t // 3:t // 3 + 9, t % 3:t % 3 + 15] @ w[t].astype(np.float64) for t in range(9))
    y = y.reshape(135, 64).astype(np.float32)
    yield compiled("hopper convolution", convolution, (3, 1, 1),
                   [("in", x), ("in", w), ("out", y), ("i32", 9), ("i32", 15)],
                   dict(C=32, OUT=64, BM=64), {2: y}, 5e-3, target=90)
