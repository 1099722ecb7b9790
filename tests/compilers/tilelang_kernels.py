"""Kernels in TileLang: attention, barriers and clusters written out, sums over rows."""
import numpy as np

from floats import values_of
from reference import attended, numbers, result
from tilelang_compile import T, compiled, name_of_type

PLAIN = {"tl.disable_warp_specialized": True}


def attention(heads, rows, d, block, causal, kind="float16", stages=2, threads=128):
    bm, bn = block

    @T.prim_func
    def program(Q: T.Tensor((heads, rows, d), kind), K: T.Tensor((heads, rows, d), kind),
                V: T.Tensor((heads, rows, d), kind), O: T.Tensor((heads, rows, d), kind)):
        with T.Kernel(T.ceildiv(rows, bm), heads, threads=threads) as (bx, head):
            sq = T.alloc_shared((bm, d), kind)
            sk = T.alloc_shared((bn, d), kind)
            sv = T.alloc_shared((bn, d), kind)
            so = T.alloc_shared((bm, d), kind)
            s = T.alloc_fragment((bm, bn), "float32")
            p = T.alloc_fragment((bm, bn), kind)
            o = T.alloc_fragment((bm, d), "float32")
            most = T.alloc_fragment((bm, ), "float32")
            before = T.alloc_fragment((bm, ), "float32")
            old = T.alloc_fragment((bm, ), "float32")
            part = T.alloc_fragment((bm, ), "float32")
            norm = T.alloc_fragment((bm, ), "float32")
            T.copy(Q[head, bx * bm:(bx + 1) * bm, :], sq)
            T.fill(o, 0)
            T.fill(norm, 0)
            T.fill(most, -T.infinity("float32"))
            steps = T.ceildiv((bx + 1) * bm, bn) if causal else T.ceildiv(rows, bn)
            for i in T.Pipelined(steps, num_stages=stages):
                T.copy(K[head, i * bn:(i + 1) * bn, :], sk)
                if causal:
                    for r, c in T.Parallel(bm, bn):
                        s[r, c] = T.if_then_else(bx * bm + r >= i * bn + c, 0,
                                                 -T.infinity("float32"))
                else:
                    T.clear(s)
                T.gemm(sq, sk, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(V[head, i * bn:(i + 1) * bn, :], sv)
                T.copy(most, before)
                T.reduce_max(s, most, dim=1, clear=False)
                for r in T.Parallel(bm):
                    old[r] = T.exp2((before[r] - most[r]) * 0.18)
                for r, c in T.Parallel(bm, d):
                    o[r, c] *= old[r]
                for r, c in T.Parallel(bm, bn):
                    s[r, c] = T.exp2(s[r, c] * 0.18 - most[r] * 0.18)
                T.copy(s, p)
                T.gemm(p, sv, o, policy=T.GemmWarpPolicy.FullRow)
                T.reduce_sum(s, part, dim=1)
                for r in T.Parallel(bm):
                    norm[r] = norm[r] * old[r] + part[r]
            for r, c in T.Parallel(bm, d):
                o[r, c] /= norm[r]
            T.copy(o, so)
            T.copy(so, O[head, bx * bm:(bx + 1) * bm, :])

    return program


def multicast(m, n, k, block):
    """Two CTAs of a cluster share their columns of B: one fetches them for both."""
    bm, bn, bk = block

    @T.prim_func
    def program(A: T.Tensor((m, k), "float16"), B: T.Tensor((k, n), "float16"),
                C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(m, bm), T.ceildiv(n, bn), threads=128,
                      cluster_dims=(2, 1, 1)) as (bx, by):
            sa = T.alloc_shared((bm, bk), "float16")
            sb = T.alloc_shared((bk, bn), "float16")
            sums = T.alloc_fragment((bm, bn), "float32")
            full = T.alloc_barrier(1)
            T.clear(sums)
            T.cluster_sync()
            for i in T.serial(k // bk):
                T.tma_copy(A[bx * bm:(bx + 1) * bm, i * bk:(i + 1) * bk], sa, barrier=full)
                T.tma_copy(B[i * bk:(i + 1) * bk, by * bn:(by + 1) * bn], sb, barrier=full,
                           cluster_mask=3)
                if T.get_thread_binding() == 0:
                    T.mbarrier_arrive(full)
                T.mbarrier_wait_parity(full, i % 2)
                T.gemm(sa, sb, sums)
                T.cluster_sync()
            T.copy(sums, C[bx * bm, by * bn])

    return program


def by_hand(m, n, k, block):
    """A warpgroup brings, two multiply, each its half of the rows; barriers are written out."""
    bm, bn, bk = block

    @T.prim_func
    def program(A: T.Tensor((m, k), "bfloat16"), B: T.Tensor((n, k), "bfloat16"),
                C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=384) as (bx, by):
            sa = T.alloc_shared((2, 2, bm // 2, bk), "bfloat16")
            sb = T.alloc_shared((2, bn, bk), "bfloat16")
            upper = T.alloc_fragment((bm // 2, bn), "float32")
            lower = T.alloc_fragment((bm // 2, bn), "float32")
            full = T.alloc_barrier([128, 128])
            empty = T.alloc_barrier([256, 256])
            thread = T.get_thread_binding()
            if thread < 128:
                T.set_max_nreg(24, 0)
                for i in T.serial(k // bk):
                    T.mbarrier_wait_parity(empty[i % 2], (i // 2 + 1) % 2)
                    T.tma_copy(A[by * bm:by * bm + bm // 2, i * bk:(i + 1) * bk],
                               sa[i % 2, 0, :, :], barrier=full[i % 2])
                    T.tma_copy(A[by * bm + bm // 2:(by + 1) * bm, i * bk:(i + 1) * bk],
                               sa[i % 2, 1, :, :], barrier=full[i % 2])
                    T.tma_copy(B[bx * bn:(bx + 1) * bn, i * bk:(i + 1) * bk], sb[i % 2, :, :],
                               barrier=full[i % 2])
                    T.mbarrier_arrive(full[i % 2])
            elif thread < 256:
                T.set_max_nreg(240, 1)
                T.clear(upper)
                for i in T.serial(k // bk):
                    T.mbarrier_wait_parity(full[i % 2], i // 2 % 2)
                    T.wgmma_gemm(sa[i % 2, 0, :, :], sb[i % 2, :, :], upper, transpose_B=True)
                    T.wait_wgmma(0)
                    T.mbarrier_arrive(empty[i % 2])
                T.copy(upper, C[by * bm, bx * bn])
            else:
                T.set_max_nreg(240, 1)
                T.clear(lower)
                for i in T.serial(k // bk):
                    T.mbarrier_wait_parity(full[i % 2], i // 2 % 2)
                    T.wgmma_gemm(sa[i % 2, 1, :, :], sb[i % 2, :, :], lower, transpose_B=True)
                    T.wait_wgmma(0)
                    T.mbarrier_arrive(empty[i % 2])
                T.copy(lower, C[by * bm + bm // 2, bx * bn])

    return program


def exchange(rows, columns):
    """Each CTA of a cluster of two gives the other its tile, from shared memory to shared."""
    @T.prim_func
    def program(X: T.Tensor((2, rows, columns), "float32"),
                Y: T.Tensor((2, rows, columns), "float32")):
        with T.Kernel(2, threads=128, cluster_dims=(2, 1, 1)) as bx:
            mine = T.alloc_shared((rows, columns), "float32")
            other = T.alloc_shared((rows, columns), "float32")
            come = T.alloc_cluster_barrier([1])
            T.copy(X[bx, :, :], mine)
            T.cluster_sync()
            T.copy_cluster(mine, other, dst_block=1 - T.block_rank_in_cluster(),
                           remote_barrier=come[0])
            T.mbarrier_wait_parity(come[0], 0)
            for r, c in T.Parallel(rows, columns):
                Y[bx, r, c] = other[r, c]
            T.cluster_sync()

    return program


def rms_norm(rows, columns, block):
    @T.prim_func
    def program(X: T.Tensor((rows, columns), "float32"), G: T.Tensor((columns, ), "float32"),
                Y: T.Tensor((rows, columns), "float32")):
        with T.Kernel(T.ceildiv(rows, block), threads=128) as bx:
            shared = T.alloc_shared((block, columns), "float32")
            x = T.alloc_fragment((block, columns), "float32")
            squares = T.alloc_fragment((block, columns), "float32")
            total = T.alloc_fragment((block, ), "float32")
            T.copy(X[bx * block:(bx + 1) * block, :], shared)
            T.copy(shared, x)
            for r, c in T.Parallel(block, columns):
                squares[r, c] = x[r, c] * x[r, c]
            T.reduce_sum(squares, total, dim=1)
            for r in T.Parallel(block):
                total[r] = T.rsqrt(total[r] / columns + 1e-6)
            for r, c in T.Parallel(block, columns):
                x[r, c] = x[r, c] * total[r] * G[c]
            T.copy(x, Y[bx * block:(bx + 1) * block, :])

    return program


def cases(random):
    for name, kind, rows, d, block, causal, options in (
            ("f16", "float16", 192, 64, (64, 64), False, {}),
            ("causal bf16", "bf16", 128, 128, (64, 64), True, {}),
            ("256 threads", "float16", 256, 64, (128, 64), True, dict(threads=256))):
        q, k, v = (numbers(random, (2, rows, d), kind) for _ in range(3))
        o = result(attended(q, k, v, 0.18, causal), kind)
        yield compiled("attention " + name,
                       attention(2, rows, d, block, causal, name_of_type(q), **options),
                       {"Q": ("in", q), "K": ("in", k), "V": ("in", v), "O": ("out", o)},
                       {"O": o}, 2e-2)

    a, b = numbers(random, (128, 192), "float16"), numbers(random, (192, 128), "float16")
    c = (values_of(a) @ values_of(b)).astype(np.float32)
    yield compiled("multicast", multicast(128, 128, 192, (64, 64, 64)),
                   {"A": ("in", a), "B": ("in", b), "C": ("out", c)}, {"C": c}, 2e-3)

    a, b = numbers(random, (128, 256), "bf16"), numbers(random, (64, 256), "bf16")
    c = (a.values() @ b.values().T).astype(np.float32)
    yield compiled("specialised by hand", by_hand(128, 64, 256, (128, 64, 64)),
                   {"A": ("in", a), "B": ("in", b), "C": ("out", c)}, {"C": c}, 2e-3, PLAIN)

    x = numbers(random, (2, 16, 64), "float32")
    yield compiled("exchange", exchange(16, 64), {"X": ("in", x), "Y": ("out", x)}, {"Y": x[::-1]})

    x, g = numbers(random, (10, 512), "float32"), numbers(random, (512, ), "float32")
    wide = values_of(x)
    y = wide / np.sqrt((wide * wide).mean(axis=1, keepdims=True) + 1e-6) * values_of(g)
    yield compiled("rms_norm", rms_norm(10, 512, 2),
                   {"X": ("in", x), "G": ("in", g), "Y": ("out", y.astype(np.float32))},
                   {"Y": y.astype(np.float32)}, 1e-4)
