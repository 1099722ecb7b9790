"""Kernels in Triton's language with tensor descriptors, which become TMA: of the host, of the
kernel itself, loads, stores, reductions; warps that are specialised; persistent kernels."""
import numpy as np
import triton
import triton.language as tl

from floats import coded, values_of
from reference import attended, numbers, result
from triton_compile import Described, compiled


@triton.jit
def matmul(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           A_COLUMNS: tl.constexpr, B_COLUMNS: tl.constexpr, SPECIALIZE: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=SPECIALIZE):
        va = a.load([k, m]).T if A_COLUMNS else a.load([m, k])
        vb = b.load([n, k]).T if B_COLUMNS else b.load([k, n])
        sums = tl.dot(va, vb, sums)
    c.store([m, n], sums.to(c.dtype))


# Of so many CTAs each takes the tiles CTAS apart; those of a group of rows follow each other.
@triton.jit
def persistent(a, b, c, M, N, K, CTAS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
               BK: tl.constexpr, GROUP: tl.constexpr, FLATTEN: tl.constexpr,
               SPECIALIZE: tl.constexpr):
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), rows * columns, CTAS, flatten=FLATTEN,
                         warp_specialize=SPECIALIZE):
        group = tile // (GROUP * columns)
        height = tl.minimum(rows - group * GROUP, GROUP)
        m = (group * GROUP + tile % (GROUP * columns) % height) * BM
        n = tile % (GROUP * columns) // height * BN
        sums = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            sums = tl.dot(a.load([m, k]), b.load([n, k]).T, sums)
        left, right = tl.split(tl.permute(tl.reshape(sums, (BM, 2, BN // 2)), (0, 2, 1)))
        c.store([m, n], left.to(c.dtype))
        c.store([m, n + BN // 2], right.to(c.dtype))


@triton.jit
def made_here(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        sums = tl.dot(da.load([m, k]), db.load([k, n]), sums)
    dc.store([m, n], sums.to(dc.dtype))


# Products of different heights, one behind the other in one buffer; a descriptor for each.
@triton.jit
def grouped(a, b, c, firsts, N, K, GROUPS: tl.constexpr, CTAS: tl.constexpr, BM: tl.constexpr,
            BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.program_id(0)
    done = 0
    for g in range(GROUPS):
        first = tl.load(firsts + g)
        rows = tl.load(firsts + g + 1) - first
        tiles = tl.cdiv(rows, BM) * tl.cdiv(N, BN)
        da = tl.make_tensor_descriptor(a + first * K, [rows, K], [K, 1], [BM, BK])
        db = tl.make_tensor_descriptor(b + g * N * K, [N, K], [K, 1], [BN, BK])
        dc = tl.make_tensor_descriptor(c + first * N, [rows, N], [N, 1], [BM, BN])
        while tile < done + tiles:
            m = (tile - done) // tl.cdiv(N, BN) * BM
            n = (tile - done) % tl.cdiv(N, BN) * BN
            sums = tl.zeros((BM, BN), dtype=tl.float32)
            for k in range(0, K, BK):
                sums = tl.dot(da.load([m, k]), db.load([n, k]).T, sums)
            dc.store([m, n], sums.to(dc.dtype))
            tile += CTAS
        done += tiles


@triton.jit
def split_k(a, b, c, K, SPLIT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
            BK: tl.constexpr):
    m = tl.program_id(0) * BM
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(tl.program_id(1) * BK, K, BK * SPLIT):
        sums = tl.dot(a.load([m, k]), b.load([k, 0]), sums)
    c.atomic_add([m, 0], sums.to(c.dtype))


@triton.jit
def reduced(x, y, OP: tl.constexpr, B: tl.constexpr):
    v = x.load([tl.program_id(0) * B, 0])
    if OP == "add":
        y.atomic_add([0, 0], v)
    elif OP == "min":
        y.atomic_min([0, 0], v)
    elif OP == "max":
        y.atomic_max([0, 0], v)
    elif OP == "and":
        y.atomic_and([0, 0], v)
    elif OP == "or":
        y.atomic_or([0, 0], v)
    else:
        y.atomic_xor([0, 0], v)


# Boxes of three dimensions, turned on their way.
@triton.jit
def turned(x, y, B0: tl.constexpr, B1: tl.constexpr, B2: tl.constexpr):
    i, j, k = tl.program_id(0) * B0, tl.program_id(1) * B1, tl.program_id(2) * B2
    y.store([k, i, j], tl.permute(x.load([i, j, k]), (2, 0, 1)))


# What lies outside is zero, or NaN. A card wants a box to begin at a multiple of 16 bytes.
@triton.jit
def shifted(x, y, by, B: tl.constexpr):
    y.store([0, 0], x.load([by, -by]))


@triton.jit
def batched(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, batch = tl.program_id(0) * BM, tl.program_id(1)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        va = tl.reshape(a.load([batch, m, k]), (BM, BK))
        vb = tl.reshape(b.load([batch, k, 0]), (BK, BN))
        sums = tl.dot(va, vb, sums)
    c.store([batch, m, 0], tl.reshape(sums.to(c.dtype), (1, BM, BN)))


@triton.jit
def attention(q, k, v, o, T, scale, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
              D: tl.constexpr, SPECIALIZE: tl.constexpr):
    row, head = tl.program_id(0) * BM, tl.program_id(1) * T
    vq = q.load([head + row, 0])
    most = tl.full([BM], -float("inf"), dtype=tl.float32)
    norm = tl.full([BM], 0, dtype=tl.float32)
    sums = tl.zeros([BM, D], dtype=tl.float32)
    rows = row + tl.arange(0, BM)
    end = row + BM if CAUSAL else T
    for start in tl.range(0, end, BN, warp_specialize=SPECIALIZE):
        s = tl.dot(vq, k.load([head + start, 0]).T) * scale
        if CAUSAL:
            s = tl.where(rows[:, None] >= start + tl.arange(0, BN)[None, :], s, -1e30)
        now = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - now[:, None])
        old = tl.exp2(most - now)
        norm = norm * old + tl.sum(p, 1)
        sums = tl.dot(p.to(o.dtype), v.load([head + start, 0]), sums * old[:, None])
        most = now
    o.store([head + row, 0], (sums / norm[:, None]).to(o.dtype))


def cases(random):
    def product(name, size, block, kind="float16", order="row column", out="float16",
                tolerance=2e-2, specialize=False, kernel=matmul, **options):
        m, n, k = size
        a, b = numbers(random, (m, k), kind), numbers(random, (k, n), kind)
        c = result(values_of(a) @ values_of(b), out)
        columns_a, columns_b = order.split()[0] == "column", order.split()[1] == "column"
        box_a = (block[2], block[0]) if columns_a else (block[0], block[2])
        box_b = (block[1], block[2]) if columns_b else (block[2], block[1])
        return compiled("hopper tma " + name, matmul, (-(-m // block[0]), -(-n // block[1]), 1),
                        [("in", a.T if columns_a else a, Described(box_a)),
                         ("in", b.T if columns_b else b, Described(box_b)),
                         ("out", c, Described(block[:2])), ("i32", k)],
                        dict(BM=block[0], BN=block[1], BK=block[2], A_COLUMNS=columns_a,
                             B_COLUMNS=columns_b, SPECIALIZE=specialize), {2: c}, tolerance,
                        target=90, **options)

    yield product("f16", (128, 128, 192), (64, 64, 64), num_stages=3)
    yield product("f16 ragged", (100, 120, 136), (64, 64, 32), order="row row", num_stages=2)
    yield product("f16 by columns", (128, 128, 128), (128, 64, 64), order="column row",
                  num_warps=8, out="float32", num_stages=4)
    yield product("bf16 wide", (128, 256, 128), (128, 256, 32), "bf16", out="bf16", num_warps=8)
    yield product("tf32", (64, 64, 96), (64, 64, 32), "float32", out="float32", tolerance=5e-2)
    yield product("e4m3", (64, 128, 256), (64, 128, 128), "e4m3", out="float16", tolerance=3e-2)
    yield product("f16 narrow", (64, 32, 64), (64, 16, 16), order="column row", out="float32")
    yield product("f16 specialised", (128, 128, 256), (64, 64, 64), num_warps=4,
                  specialize=True)
    yield product("f16 128x128, 8 warps", (128, 128, 256), (128, 128, 64), num_warps=8,
                  out="float32")
    yield product("f16 2 CTAs a cluster", (128, 128, 192), (128, 128, 64), num_ctas=2)
    yield product("f16 launched early", (64, 64, 128), (64, 64, 64), launch_pdl=True)

    for name, flatten, specialize in (("", False, False), (" flattened", True, False),
                                      (" specialised", False, True)):
        a, b = numbers(random, (200, 128), "float16"), numbers(random, (264, 128), "float16")
        c = (values_of(a) @ values_of(b).T).astype(np.float16)
        yield compiled("hopper tma persistent" + name, persistent, (3, 1, 1),
                       [("in", a, Described((64, 64))), ("in", b, Described((64, 64))),
                        ("out", c, Described((64, 32))), ("i32", 200), ("i32", 264), ("i32", 128)],
                       dict(CTAS=3, BM=64, BN=64, BK=64, GROUP=2, FLATTEN=flatten,
                            SPECIALIZE=specialize), {2: c}, 2e-2, target=90)

    a, b = numbers(random, (100, 160), "float16"), numbers(random, (160, 64), "float16")
    c = (values_of(a) @ values_of(b)).astype(np.float32)
    yield compiled("hopper tma made here", made_here, (2, 1, 1),
                   [("in", a), ("in", b), ("out", c), ("i32", 100), ("i32", 64), ("i32", 160)],
                   dict(BM=64, BN=64, BK=32), {2: c}, 5e-3, target=90)

    firsts = np.array([0, 40, 168, 200], np.int32)
    a, b = numbers(random, (200, 96), "bf16"), numbers(random, (3, 128, 96), "bf16")
    c = np.concatenate([a.values()[firsts[g]:firsts[g + 1]] @ b.values()[g].T for g in range(3)])
    yield compiled("hopper tma grouped", grouped, (3, 1, 1),
                   [("in", a), ("in", b), ("out", coded(c, "bf16")), ("in", firsts), ("i32", 128),
                    ("i32", 96)], dict(GROUPS=3, CTAS=3, BM=64, BN=64, BK=32),
                   {2: coded(c, "bf16")}, 2e-2, target=90)

    for out in ("float32", "float16", "bf16"):
        a, b = numbers(random, (128, 256), "float16"), numbers(random, (256, 64), "float16")
        c = result(values_of(a) @ values_of(b), out)
        zeros = result(np.zeros((128, 64)), out)
        yield compiled("hopper tma split_k " + out, split_k, (2, 2, 1),
                       [("in", a, Described((64, 64))), ("in", b, Described((64, 64))),
                        ("inout", zeros, Described((64, 64))), ("i32", 256)],
                       dict(SPLIT=2, BM=64, BN=64, BK=64), {2: c},
                       {"float32": 1e-3, "float16": 5e-2, "bf16": 4e-1}[out], target=90)

    for op, ufunc in (("add", np.add), ("min", np.minimum), ("max", np.maximum),
                      ("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)):
        x = random.integers(-1000, 1000, (96, 64)).astype(np.int32)
        y = random.integers(-1000, 1000, (32, 64)).astype(np.int32)
        right = ufunc.reduce([y, x[:32], x[32:64], x[64:]])
        yield compiled("hopper tma reduce " + op, reduced, (3, 1, 1),
                       [("in", x, Described((32, 64))), ("inout", y, Described((32, 64)))],
                       dict(OP=op, B=32), {1: right.astype(np.int32)}, target=90)

    x = numbers(random, (12, 40, 72), "float16")
    yield compiled("hopper tma turned", turned, (2, 2, 2),
                   [("in", x, Described((8, 32, 64))),
                    ("out", x.transpose(2, 0, 1).copy(), Described((64, 8, 32)))],
                   dict(B0=8, B1=32, B2=64), {1: x.transpose(2, 0, 1).copy()}, target=90)
    for fill in ("zero", "nan"):
        x = numbers(random, (40, 48), "float32")
        y = np.full((64, 64), np.nan if fill == "nan" else 0, np.float32)
        y[:36, 4:52] = x[4:]
        yield compiled(f"hopper tma outside is {fill}", shifted, (1, 1, 1),
                       [("in", x, Described((64, 64), fill)), ("out", y, Described((64, 64))),
                        ("i32", 4)], dict(B=64), {1: y}, target=90)

    a, b = numbers(random, (3, 128, 64), "bf16"), numbers(random, (3, 64, 64), "bf16")
    c = coded(a.values() @ b.values(), "bf16")
    yield compiled("hopper tma batched", batched, (2, 3, 1),
                   [("in", a, Described((1, 64, 32))), ("in", b, Described((1, 32, 64))),
                    ("out", c, Described((1, 64, 64))), ("i32", 64)], dict(BM=64, BN=64, BK=32),
                   {2: c}, 2e-2, target=90)

    for name, kind, d, block, causal, specialize, options in (
            ("f16", "float16", 64, (64, 64), True, False, {}),
            ("bf16 wide", "bf16", 128, (64, 64), False, False, dict(num_stages=2)),
            ("specialised", "float16", 64, (64, 64), False, True, dict(num_warps=4)),
            ("f16 8 warps", "float16", 64, (128, 64), True, False, dict(num_warps=8))):
        q, k, v = (numbers(random, (2, 256, d), kind) for _ in range(3))
        o = result(attended(q, k, v, 0.15, causal).reshape(512, d), kind)
        if kind == "bf16":
            for x in (q, k, v):
                x.codes = x.codes.reshape(512, d)
        else:
            q, k, v = (x.reshape(512, d) for x in (q, k, v))
        yield compiled("hopper tma attention " + name, attention, (256 // block[0], 2, 1),
                       [("in", q, Described((block[0], d))), ("in", k, Described((block[1], d))),
                        ("in", v, Described((block[1], d))), ("out", o, Described((block[0], d))),
                        ("i32", 256), ("fp32", 0.15)],
                       dict(CAUSAL=causal, BM=block[0], BN=block[1], D=d, SPECIALIZE=specialize),
                       {3: o}, 2e-2, target=90, **options)
