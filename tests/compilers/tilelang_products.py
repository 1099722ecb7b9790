"""Products in TileLang, as people write them: a function makes the program for each size."""
import numpy as np

from floats import coded, values_of
from reference import numbers, result
from tilelang_compile import T, compiled, name_of_type

PLAIN = {"tl.disable_warp_specialized": True}
NO_TMA = {"tl.disable_warp_specialized": True, "tl.disable_tma_lower": True}


def matmul(m, n, k, block, kinds, turn_a=False, turn_b=False, stages=2, threads=128,
           stored_by_tma=False, policy=T.GemmWarpPolicy.Square):
    kind, acc, out = kinds
    bm, bn, bk = block
    shape_a, box_a = ((k, m), (bk, bm)) if turn_a else ((m, k), (bm, bk))
    shape_b, box_b = ((n, k), (bn, bk)) if turn_b else ((k, n), (bk, bn))

    @T.prim_func
    def program(A: T.Tensor(shape_a, kind), B: T.Tensor(shape_b, kind), C: T.Tensor((m, n), out)):
        with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=threads) as (bx, by):
            sa = T.alloc_shared(box_a, kind)
            sb = T.alloc_shared(box_b, kind)
            sc = T.alloc_shared((bm, bn), out)
            sums = T.alloc_fragment((bm, bn), acc)
            T.clear(sums)
            for i in T.Pipelined(T.ceildiv(k, bk), num_stages=stages):
                if turn_a:
                    T.copy(A[i * bk, by * bm], sa)
                else:
                    T.copy(A[by * bm, i * bk], sa)
                if turn_b:
                    T.copy(B[bx * bn, i * bk], sb)
                else:
                    T.copy(B[i * bk, bx * bn], sb)
                T.gemm(sa, sb, sums, transpose_A=turn_a, transpose_B=turn_b, policy=policy)
            if stored_by_tma:
                T.copy(sums, sc)
                T.copy(sc, C[by * bm, bx * bn])
            else:
                T.copy(sums, C[by * bm, bx * bn])

    return program


def int4_matmul(m, n, k, block, threads=128):
    """Weights of four bits, two a byte, and a scale for each row; they go through registers."""
    bm, bn, bk = block

    @T.prim_func
    def program(W: T.Tensor((m, k // 2), "uint8"), S: T.Tensor((m, ), "float16"),
                X: T.Tensor((n, k), "float16"), Y: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(m, bm), threads=threads) as bx:
            packed = T.alloc_shared((bm, bk // 2), "uint8")
            bits = T.alloc_fragment((bm, bk // 2), "uint8")
            weights = T.alloc_fragment((bm, bk), "float16")
            sx = T.alloc_shared((bn, bk), "float16")
            sums = T.alloc_fragment((bm, bn), "float32")
            sw = T.alloc_shared((bm, bk), "float16")
            T.clear(sums)
            for i in T.Pipelined(k // bk, num_stages=2):
                T.copy(W[bx * bm, i * (bk // 2)], packed)
                T.copy(X[0, i * bk], sx)
                T.copy(packed, bits)
                for r, c in T.Parallel(bm, bk):
                    weights[r, c] = (T.cast((bits[r, c // 2] >> T.cast(c % 2 * 4, "uint8"))
                                            & T.cast(15, "uint8"), "float16")
                                     - T.float16(8)) * S[bx * bm + r]
                T.copy(weights, sw)
                T.gemm(sw, sx, sums, transpose_B=True)
            T.copy(sums, Y[bx * bm, 0])

    return program


def split_k(m, n, k, split, block, by_tma):
    bm, bn, bk = block

    @T.prim_func
    def program(A: T.Tensor((m, k), "float16"), B: T.Tensor((n, k), "float16"),
                C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), split, threads=128) as (bx, by, bz):
            sa = T.alloc_shared((bm, bk), "float16")
            sb = T.alloc_shared((bn, bk), "float16")
            sc = T.alloc_shared((bm, bn), "float32")
            sums = T.alloc_fragment((bm, bn), "float32")
            T.clear(sums)
            for i in T.Pipelined(k // split // bk, num_stages=2):
                T.copy(A[by * bm, bz * (k // split) + i * bk], sa)
                T.copy(B[bx * bn, bz * (k // split) + i * bk], sb)
                T.gemm(sa, sb, sums, transpose_B=True)
            if by_tma:
                T.copy(sums, sc)
                T.atomic_add(C[by * bm, bx * bn], sc, use_tma=True)
            else:
                T.atomic_add(C[by * bm, bx * bn], sums)

    return program


def fp8_promoted(m, n, k, block):
    """What each slice of k comes to is added to sums of its own, as fp8 products lose bits."""
    bm, bn, bk = block

    @T.prim_func
    def program(A: T.Tensor((m, k), "float8_e4m3fn"), B: T.Tensor((n, k), "float8_e4m3fn"),
                SA: T.Tensor((m, k // bk), "float32"), C: T.Tensor((m, n), "bfloat16")):
        with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=128) as (bx, by):
            sa = T.alloc_shared((bm, bk), "float8_e4m3fn")
            sb = T.alloc_shared((bn, bk), "float8_e4m3fn")
            part = T.alloc_fragment((bm, bn), "float32")
            sums = T.alloc_fragment((bm, bn), "float32")
            T.clear(sums)
            for i in T.Pipelined(k // bk, num_stages=3):
                T.copy(A[by * bm, i * bk], sa)
                T.copy(B[bx * bn, i * bk], sb)
                T.gemm(sa, sb, part, transpose_B=True, clear_accum=True)
                for r, c in T.Parallel(bm, bn):
                    sums[r, c] += part[r, c] * SA[by * bm + r, i]
            T.copy(sums, C[by * bm, bx * bn])

    return program


def persistent(m, n, k, ctas, block):
    bm, bn, bk = block

    @T.prim_func
    def program(A: T.Tensor((m, k), "bfloat16"), B: T.Tensor((k, n), "bfloat16"),
                C: T.Tensor((m, n), "bfloat16")):
        with T.Kernel(ctas, threads=128) as cta:
            sa = T.alloc_shared((bm, bk), "bfloat16")
            sb = T.alloc_shared((bk, bn), "bfloat16")
            sc = T.alloc_shared((bm, bn), "bfloat16")
            sums = T.alloc_fragment((bm, bn), "float32")
            for bx, by in T.Persistent([T.ceildiv(m, bm), T.ceildiv(n, bn)], ctas, cta):
                T.clear(sums)
                for i in T.Pipelined(k // bk, num_stages=2):
                    T.copy(A[bx * bm, i * bk], sa)
                    T.copy(B[i * bk, by * bn], sb)
                    T.gemm(sa, sb, sums)
                T.copy(sums, sc)
                T.copy(sc, C[bx * bm, by * bn])

    return program


def cases(random):
    def product(name, size, block, kind="float16", out="float32", turn="", tolerance=2e-3,
                configs=None, acc="float32", found="", **options):
        m, n, k = size
        a, b = numbers(random, (m, k), kind), numbers(random, (k, n), kind)
        c = result(values_of(a) @ values_of(b), out)
        turn_a, turn_b = "A" in turn, "B" in turn
        program = matmul(m, n, k, block, (name_of_type(a), acc, name_of_type(c)), turn_a, turn_b,
                         **options)
        return compiled(name, program, {"A": ("in", a.T if turn_a else a),
                                        "B": ("in", b.T if turn_b else b), "C": ("out", c)},
                        {"C": c}, tolerance, configs, found)

    yield product("matmul f16", (128, 128, 192), (64, 64, 64))
    yield product("matmul f16 ragged", (100, 136, 200), (64, 64, 64), stages=3)
    # The last slice of k is read with no fence.proxy.async behind the cp.async that brought it.
    yield product("matmul f16, not specialised", (64, 128, 192), (64, 128, 32), stages=3,
                  configs=PLAIN, found="proxy")
    yield product("matmul f16 without TMA", (128, 64, 192), (64, 64, 64), configs=NO_TMA,
                  found="proxy")
    yield product("matmul f16, A by columns", (128, 64, 128), (128, 64, 32), turn="A")
    yield product("matmul f16, both turned", (64, 64, 128), (64, 64, 64), turn="AB",
                  stored_by_tma=True)
    yield product("matmul f16, 256 threads", (128, 256, 128), (128, 256, 64), threads=256,
                  out="float16", stored_by_tma=True, tolerance=2e-2)
    yield product("matmul bf16", (128, 96, 128), (64, 96, 64), "bf16", "bf16", turn="B",
                  stored_by_tma=True, tolerance=2e-2)
    yield product("matmul tf32", (64, 64, 96), (64, 64, 32), "float32", turn="B", tolerance=5e-2)
    yield product("matmul e4m3", (64, 128, 256), (64, 128, 128), "e4m3", turn="B", tolerance=3e-2)
    yield product("matmul e5m2", (64, 64, 128), (64, 64, 64), "e5m2", turn="B", tolerance=5e-2)
    yield product("matmul int8", (128, 64, 192), (64, 64, 64), "int8", "int32", turn="B",
                  acc="int32", tolerance=0)
    yield product("matmul f16, sums of f16", (64, 64, 64), (64, 64, 32), out="float16",
                  acc="float16", tolerance=6e-2)

    codes = random.integers(0, 256, (128, 64)).astype(np.uint8)
    scale = random.uniform(0.25, 1, 128).astype(np.float16)
    x = numbers(random, (64, 128), "float16")
    w = np.stack([codes & 15, codes >> 4], axis=-1).reshape(128, 128) - 8.0
    w = (w.astype(np.float16) * scale[:, None]).astype(np.float64)  # the kernel's weights are halves
    y = (w @ values_of(x).T).astype(np.float32)
    yield compiled("int4_matmul", int4_matmul(128, 64, 128, (64, 64, 64)),
                   {"W": ("in", codes), "S": ("in", scale), "X": ("in", x), "Y": ("out", y)},
                   {"Y": y}, 2e-3)

    for by_tma in (False, True):
        a, b = numbers(random, (64, 256), "float16"), numbers(random, (64, 256), "float16")
        c = (values_of(a) @ values_of(b).T).astype(np.float32)
        yield compiled("split_k" + (", added by TMA" if by_tma else ""),
                       split_k(64, 64, 256, 2, (64, 64, 64), by_tma),
                       {"A": ("in", a), "B": ("in", b), "C": ("inout", np.zeros_like(c))},
                       {"C": c}, 2e-3)

    a, b = numbers(random, (64, 256), "e4m3"), numbers(random, (64, 256), "e4m3")
    scale = random.uniform(0.5, 2, (64, 2)).astype(np.float32)
    c = coded((a.values() * np.repeat(scale, 128, axis=1)) @ b.values().T, "bf16")
    yield compiled("fp8_promoted", fp8_promoted(64, 64, 256, (64, 64, 128)),
                   {"A": ("in", a), "B": ("in", b), "SA": ("in", scale), "C": ("out", c)},
                   {"C": c}, 3e-2)

    a, b = numbers(random, (192, 128), "bf16"), numbers(random, (128, 128), "bf16")
    c = coded(a.values() @ b.values(), "bf16")
    yield compiled("persistent", persistent(192, 128, 128, 4, (64, 64, 64)),
                   {"A": ("in", a), "B": ("in", b), "C": ("out", c)}, {"C": c}, 2e-2)
