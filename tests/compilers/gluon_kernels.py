"""Kernels in Gluon, Triton's language in which layouts, barriers, copies and products are written
out: pipelines over mbarriers, warps with tasks of their own, clusters with multicast."""
import numpy as np
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource
from triton.experimental.gluon.language.nvidia.hopper import (
    cluster, fence_async_shared, mbarrier, tma, warpgroup_mma, warpgroup_mma_init,
    warpgroup_mma_wait)

from floats import values_of
from reference import numbers
from triton_compile import Described, compiled


@gluon.jit
def pipelined(a, b, c, K, STAGES: gl.constexpr, BN: gl.constexpr, ACC: gl.constexpr):
    BM: gl.constexpr = a.block_type.shape[0]
    BK: gl.constexpr = a.block_type.shape[1]
    sa = gl.allocate_shared_memory(a.dtype, [STAGES] + a.block_type.shape, a.layout)
    sb = gl.allocate_shared_memory(b.dtype, [STAGES] + b.block_type.shape, b.layout)
    full = mbarrier.allocate_mbarrier(batch=STAGES)
    for i in gl.static_range(STAGES):
        mbarrier.init(full.index(i), count=1)
    m, n = gl.program_id(0) * BM, gl.program_id(1) * BN
    for i in gl.static_range(STAGES - 1):
        mbarrier.expect(full.index(i), a.nbytes_per_cta + b.nbytes_per_cta, pred=i * BK < K)
        tma.async_load(a, [m, i * BK], full.index(i), sa.index(i), pred=i * BK < K)
        tma.async_load(b, [i * BK, n], full.index(i), sb.index(i), pred=i * BK < K)
    sums = warpgroup_mma_init(gl.zeros((BM, BN), gl.float32, ACC))
    for step in range(gl.cdiv(K, BK)):
        stage, phase = step % STAGES, step // STAGES & 1
        mbarrier.wait(full.index(stage), phase)
        # The product before this one has read its stage, which is filled while this one runs.
        sums = warpgroup_mma_wait(num_outstanding=0, deps=(sums, ))
        sums = warpgroup_mma(sa.index(stage), sb.index(stage), sums, is_async=True)
        k = (step + STAGES - 1) * BK
        free = (step + STAGES - 1) % STAGES
        mbarrier.expect(full.index(free), a.nbytes_per_cta + b.nbytes_per_cta, pred=k < K)
        tma.async_load(a, [m, k], full.index(free), sa.index(free), pred=k < K)
        tma.async_load(b, [k, n], full.index(free), sb.index(free), pred=k < K)
    sums = warpgroup_mma_wait(num_outstanding=0, deps=(sums, ))
    for i in gl.static_range(STAGES):
        mbarrier.invalidate(full.index(i))
    sc = gl.allocate_shared_memory(c.dtype, c.block_type.shape, c.layout)
    sc.store(sums.to(c.dtype))
    fence_async_shared()
    tma.async_store(c, [m, n], sc)
    tma.store_wait(pendings=0)


@gluon.jit
def bring(a, b, sa, sb, full, empty, m, n, K, BK: gl.constexpr, STAGES: gl.constexpr):
    for step in range(gl.cdiv(K, BK)):
        stage, phase = step % STAGES, step // STAGES & 1
        mbarrier.wait(empty.index(stage), phase ^ 1)
        mbarrier.expect(full.index(stage), a.nbytes_per_cta + b.nbytes_per_cta)
        tma.async_load(a, [m, step * BK], full.index(stage), sa.index(stage))
        tma.async_load(b, [n, step * BK], full.index(stage), sb.index(stage))


@gluon.jit
def multiply(c, sa, sb, sc, full, empty, m, n, K, BK: gl.constexpr, STAGES: gl.constexpr,
             ACC: gl.constexpr):
    sums = gl.zeros(c.block_type.shape, gl.float32, ACC)
    for step in range(gl.cdiv(K, BK)):
        stage, phase = step % STAGES, step // STAGES & 1
        mbarrier.wait(full.index(stage), phase)
        sums = warpgroup_mma(sa.index(stage), sb.index(stage).permute((1, 0)), sums)
        mbarrier.arrive(empty.index(stage), count=1)
    sc.store(sums.to(c.dtype))
    fence_async_shared()
    tma.async_store(c, [m, n], sc)
    tma.store_wait(pendings=0)


# Four warps multiply, one brings what they need.
@gluon.jit
def specialised(a, b, c, K, STAGES: gl.constexpr, ACC: gl.constexpr):
    BM: gl.constexpr = a.block_type.shape[0]
    BN: gl.constexpr = b.block_type.shape[0]
    BK: gl.constexpr = a.block_type.shape[1]
    sa = gl.allocate_shared_memory(a.dtype, [STAGES] + a.block_type.shape, a.layout)
    sb = gl.allocate_shared_memory(b.dtype, [STAGES] + b.block_type.shape, b.layout)
    sc = gl.allocate_shared_memory(c.dtype, c.block_type.shape, c.layout)
    full = mbarrier.allocate_mbarrier(batch=STAGES)
    empty = mbarrier.allocate_mbarrier(batch=STAGES)
    for i in gl.static_range(STAGES):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(empty.index(i), count=1)
    m, n = gl.program_id(0) * BM, gl.program_id(1) * BN
    gl.warp_specialize([
        (multiply, (c, sa, sb, sc, full, empty, m, n, K, BK, STAGES, ACC)),
        (bring, (a, b, sa, sb, full, empty, m, n, K, BK, STAGES)),
    ], [1], [24])


# Two CTAs of a cluster have half of the rows each; B comes to both at once.
@gluon.jit
def multicast(a, b, c, K, ACC: gl.constexpr):
    BM: gl.constexpr = a.block_type.shape[0]
    BK: gl.constexpr = a.block_type.shape[1]
    sa = gl.allocate_shared_memory(a.dtype, a.block_type.shape, a.layout)
    sb = gl.allocate_shared_memory(b.dtype, b.block_type.shape, b.layout)
    full = mbarrier.allocate_mbarrier()
    mbarrier.init(full, count=1)
    cluster.barrier()
    m = gl.program_id(0) * BM
    sums = gl.zeros(c.block_type.shape, gl.float32, ACC)
    for step in range(gl.cdiv(K, BK)):
        mbarrier.expect(full, a.nbytes_per_cta + b.nbytes_per_cta)
        tma.async_load(a, [m, step * BK], full, sa)
        tma.async_load(b, [step * BK, 0], full, sb, multicast=True)
        mbarrier.wait(full, step & 1, deps=(sa, sb))
        sums = warpgroup_mma(sa, sb, sums)
        cluster.barrier()
    mbarrier.invalidate(full)
    sc = gl.allocate_shared_memory(c.dtype, c.block_type.shape, c.layout)
    sc.store(sums.to(c.dtype))
    fence_async_shared()
    tma.async_store(c, [m, 0], sc)
    tma.store_wait(pendings=0)


# Registers as the first factor, and what was added up before as the start.
@gluon.jit
def from_registers(a, b, c, N: gl.constexpr, K: gl.constexpr, ROWS: gl.constexpr,
                   ACC: gl.constexpr, LAYOUT_B: gl.constexpr):
    A: gl.constexpr = gl.DotOperandLayout(operand_index=0, parent=ACC, k_width=2)
    m = gl.arange(0, 64, gl.SliceLayout(1, ROWS))
    k = gl.arange(0, K, gl.SliceLayout(0, ROWS))
    va = gl.load(a + m[:, None] * K + k[None, :])
    kb = gl.arange(0, K, gl.SliceLayout(1, ROWS))
    n = gl.arange(0, N, gl.SliceLayout(0, ROWS))
    sb = gl.allocate_shared_memory(gl.float16, [K, N], LAYOUT_B,
                                   gl.load(b + kb[:, None] * N + n[None, :]))
    fence_async_shared()
    sums = gl.full((64, N), 0.5, gl.float32, ACC)
    sums = warpgroup_mma(gl.convert_layout(gl.exp2(va.to(gl.float32)).to(gl.float16), A), sb, sums)
    at_m = gl.arange(0, 64, gl.SliceLayout(1, ACC))
    at_n = gl.arange(0, N, gl.SliceLayout(0, ACC))
    gl.store(c + at_m[:, None] * N + at_n[None, :], sums)


def cases(random):
    def shared(swizzle=128, bits=16, **more):
        return gl.NVMMASharedLayout(swizzle_byte_width=swizzle, element_bitwidth=bits, rank=2,
                                    **more)

    def sums_layout(n, warps=4, **more):
        return gl.NVMMADistributedLayout(version=[3, 0], warps_per_cta=[warps, 1],
                                         instr_shape=[16, n, 16], **more)

    def made(name, kernel, grid, values, constants, expected, tolerance, **options):
        return compiled("gluon " + name, kernel, grid, values, constants, expected, tolerance,
                        target=90, source=GluonASTSource, **options)

    for bm, bk, swizzle, stages in ((64, 64, 128, 3), (128, 32, 64, 4), (64, 16, 32, 2)):
        a, b = numbers(random, (128, 136), "float16"), numbers(random, (136, 128), "float16")
        c = (values_of(a) @ values_of(b)).astype(np.float16)
        yield made(f"pipelined {stages} stages, swizzle {swizzle}", pipelined, (128 // bm, 2, 1),
                   [("in", a, Described((bm, bk), layout=shared(swizzle))),
                    ("in", b, Described((bk, 64), layout=shared())),
                    ("out", c, Described((bm, 64), layout=shared())), ("i32", 136)],
                   dict(STAGES=stages, BN=64, ACC=sums_layout(64)), {2: c}, 2e-2)

    for n, warps in ((64, 4), (128, 8)):
        a, b = numbers(random, (128, 256), "bf16"), numbers(random, (n, 256), "bf16")
        c = (a.values() @ b.values().T).astype(np.float16)
        rows = 16 * warps
        yield made(f"specialised, {warps} and 1 warps", specialised, (128 // rows, 1, 1),
                   [("in", a, Described((rows, 64), layout=shared())),
                    ("in", b, Described((n, 64), layout=shared())),
                    ("out", c, Described((rows, n), layout=shared())), ("i32", 256)],
                   dict(STAGES=2, ACC=sums_layout(n, warps)), {2: c}, 2e-2, num_warps=warps)

    a, b = numbers(random, (128, 192), "float16"), numbers(random, (192, 64), "float16")
    c = (values_of(a) @ values_of(b)).astype(np.float16)
    yield made("multicast", multicast, (1, 1, 1),
               [("in", a, Described((128, 64), layout=shared(cga_layout=[[1, 0]]))),
                ("in", b, Described((64, 64), layout=shared(cga_layout=[[0, 0]]))),
                ("out", c, Described((128, 64), layout=shared(cga_layout=[[1, 0]]))),
                ("i32", 192)],
               dict(ACC=sums_layout(64, cga_layout=[[1, 0]])), {2: c}, 2e-2, num_ctas=2)

    a, b = numbers(random, (64, 64), "float16"), numbers(random, (64, 32), "float16")
    c = np.exp2(values_of(a)) @ values_of(b) + 0.5
    yield made("A from registers", from_registers, (1, 1, 1),
               [("in", a), ("in", b), ("out", c.astype(np.float32))],
               dict(N=32, K=64, ROWS=gl.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0]),
                    ACC=sums_layout(32), LAYOUT_B=shared(64)), {2: c.astype(np.float32)}, 2e-2)
