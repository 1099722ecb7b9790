"""Products in CuTe's Python language: TMA, pipelines of mbarriers and wgmma."""
import numpy as np
from cute_compile import compiled, cute, cutlass  # first: it says what to compile for

import cutlass.pipeline as pipeline
import cutlass.utils.hopper_helpers as sm90
from cutlass.cute.nvgpu import cpasync, warpgroup
from cutlass.memory import SmemAllocator
from cutlass.tensor_utils import LayoutEnum

from floats import coded, values_of
from reference import numbers, result


class Product:
    """C = A · Bᵀ with A (m, k) and B (n, k). `groups` warpgroups multiply; if `specialised`, one
    more brings what they need. Of a cluster of `across` CTAs, rows and columns, those below each
    other bring a part of B each to all of them, those side by side one of A. C is stored by
    registers, by TMA, or added to by TMA."""

    def __init__(self, tile, size, stages=3, groups=1, specialised=False, across=(1, 1),
                 store="registers", acc=cutlass.Float32, bytes_each=2):
        self.tile, self.stages, self.groups, self.across = tile, stages, groups, across
        self.specialised, self.store, self.acc = specialised, store, acc
        self.threads = 128 * (groups + specialised)
        self.cluster = (*across, 1)
        self.grid = (-(-size[0] // tile[0]), -(-size[1] // tile[1]), 1)
        stage = (tile[0] + tile[1]) * tile[2] * bytes_each
        self.shared = 1024 + max(stages * stage, tile[0] * tile[1] * 4)

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        order_a, order_b = LayoutEnum.from_tensor(a), LayoutEnum.from_tensor(b)
        order_c = LayoutEnum.from_tensor(c)
        self.kind_a, self.kind_b, self.kind_c = a.element_type, b.element_type, c.element_type
        self.order_c = order_c
        m, n, k = self.tile
        mma = sm90.make_trivial_tiled_mma(
            self.kind_a, self.kind_b, order_a.sm90_mma_major_mode(),
            order_b.sm90_mma_major_mode(), self.acc, (self.groups, 1, 1), (64, n))
        layout_a = sm90.make_smem_layout_a(order_a, self.tile, self.kind_a, self.stages)
        layout_b = sm90.make_smem_layout_b(order_b, self.tile, self.kind_b, self.stages)
        load_a, load_b = (cpasync.CopyBulkTensorTileG2SMulticastOp() if ctas > 1
                          else cpasync.CopyBulkTensorTileG2SOp() for ctas in self.across[::-1])
        tma_a, all_a = cpasync.make_tiled_tma_atom(
            load_a, a, cute.slice_(layout_a, (None, None, 0)), (m, k),
            num_multicast=self.across[1])
        tma_b, all_b = cpasync.make_tiled_tma_atom(
            load_b, b, cute.slice_(layout_b, (None, None, 0)), (n, k),
            num_multicast=self.across[0])
        layout_c = sm90.make_smem_layout_epi(self.kind_c, order_c, (m, n), 1)
        if cutlass.const_expr(self.store == "registers"):
            tma_c, all_c = None, c
        else:
            put = (cpasync.CopyReduceBulkTensorTileS2GOp()
                   if self.store == "added" else cpasync.CopyBulkTensorTileS2GOp())
            tma_c, all_c = cpasync.make_tiled_tma_atom(
                put, c, cute.slice_(layout_c, (None, None, 0)), (m, n))
        self.kernel(mma, tma_a, all_a, tma_b, all_b, tma_c, all_c, layout_a, layout_b,
                    layout_c).launch(grid=self.grid, block=(self.threads, 1, 1),
                                     cluster=self.cluster, smem=self.shared)

    @cute.jit
    def bring(self, pipe, state, tma_a, from_a, to_a, tma_b, from_b, to_b, mask_a, mask_b):
        pipe.producer_acquire(state)
        barrier = pipe.producer_get_barrier(state)
        # A mask is left alone where there is no multicast.
        cute.copy(tma_a, from_a[None, state.count], to_a[None, state.index], tma_bar_ptr=barrier,
                  mcast_mask=mask_a)
        cute.copy(tma_b, from_b[None, state.count], to_b[None, state.index], tma_bar_ptr=barrier,
                  mcast_mask=mask_b)
        pipe.producer_commit(state)
        state.advance()
        return state

    @cute.jit
    def multiply(self, pipe, state, mma, fa, fb, sums):
        pipe.consumer_wait(state)
        warpgroup.fence()
        for i in cutlass.range_constexpr(cute.size(fa, mode=[2])):
            cute.gemm(mma, sums, fa[None, None, i, state.index], fb[None, None, i, state.index],
                      sums)
            mma.set(warpgroup.Field.ACCUMULATE, True)
        warpgroup.commit_group()
        warpgroup.wait_group(0)
        pipe.consumer_release(state)
        state.advance()
        return state, mma

    @cute.kernel
    def kernel(self, mma: cute.TiledMma, tma_a: cute.CopyAtom, all_a: cute.Tensor,
               tma_b: cute.CopyAtom, all_b: cute.Tensor, tma_c: cute.CopyAtom,
               all_c: cute.Tensor, layout_a: cute.ComposedLayout, layout_b: cute.ComposedLayout,
               layout_c: cute.ComposedLayout):
        m, n, k = self.tile
        thread, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        bm, bn, _ = cute.arch.block_idx()
        rank = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())
        if warp == 0:
            cpasync.prefetch_descriptor(tma_a)
            cpasync.prefetch_descriptor(tma_b)
        ctas = cute.make_layout((1, *self.across, 1))
        here = ctas.get_flat_coord(rank)
        memory = SmemAllocator()
        barriers = memory.allocate_array(cutlass.Int64, 2 * self.stages)
        sa = memory.allocate_tensor(self.kind_a, layout_a.outer, 1024, layout_a.inner)
        sb = memory.allocate_tensor(self.kind_b, layout_b.outer, 1024, layout_b.inner)
        bytes_of_stage = (m * self.kind_a.width + n * self.kind_b.width) * k // 8
        thread_kind = pipeline.Agent.Thread
        pipe = pipeline.PipelineTmaAsync.create(
            num_stages=self.stages, producer_group=pipeline.CooperativeGroup(thread_kind),
            consumer_group=pipeline.CooperativeGroup(thread_kind, 
                                                        4 * self.groups * (sum(self.across) - 1)),
            tx_count=bytes_of_stage, barrier_storage=barriers, cta_layout_vmnk=ctas,
            mcast_mode_mn=(1, 1))
        ga = cute.local_tile(all_a, (m, k), (bm, None))
        gb = cute.local_tile(all_b, (n, k), (bn, None))
        gc = cute.local_tile(all_c, (m, n), (bm, bn))
        to_a, from_a = cpasync.tma_partition(tma_a, here[2], cute.make_layout(self.across[1]),
                                             cute.group_modes(sa, 0, 2),
                                             cute.group_modes(ga, 0, 2))
        to_b, from_b = cpasync.tma_partition(tma_b, here[1], cute.make_layout(self.across[0]),
                                             cute.group_modes(sb, 0, 2),
                                             cute.group_modes(gb, 0, 2))
        masks = (cpasync.create_tma_multicast_mask(ctas, here, mcast_mode=2),
                 cpasync.create_tma_multicast_mask(ctas, here, mcast_mode=1))
        part = mma.get_slice(thread - 128 * self.specialised)
        fa = mma.make_fragment_A(part.partition_A(sa))
        fb = mma.make_fragment_B(part.partition_B(sb))
        shape = mma.partition_shape_C((m, n))
        sums = cute.make_rmem_tensor(shape, self.acc)
        steps = cute.size(ga, mode=[2])
        write = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, self.stages)
        read = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
        mma.set(warpgroup.Field.ACCUMULATE, False)
        if cutlass.const_expr(self.specialised):
            if warp < 4:
                cute.arch.setmaxregister_decrease(40)
                if warp == 0:
                    for _ in range(steps):
                        write = self.bring(pipe, write, tma_a, from_a, to_a, tma_b, from_b, to_b,
                                           *masks)
                    pipe.producer_tail(write)
            else:
                cute.arch.setmaxregister_increase(232)
                for _ in range(steps):
                    read, mma = self.multiply(pipe, read, mma, fa, fb, sums)
                self.finish(mma, part, thread - 128, sums, sa, tma_c, gc, layout_c)
        else:
            if warp == 0:
                for _ in range(cutlass.min(steps, self.stages - 1)):
                    write = self.bring(pipe, write, tma_a, from_a, to_a, tma_b, from_b, to_b,
                                       *masks)
            for _ in range(steps):
                read, mma = self.multiply(pipe, read, mma, fa, fb, sums)
                if warp == 0 and write.count < steps:
                    write = self.bring(pipe, write, tma_a, from_a, to_a, tma_b, from_b, to_b,
                                       *masks)
            if cutlass.const_expr(self.cluster != (1, 1, 1)):
                cute.arch.cluster_arrive()
                cute.arch.cluster_wait()
            self.finish(mma, part, thread, sums, sa, tma_c, gc, layout_c)

    @cute.jit
    def finish(self, mma, part, thread, sums, sa, tma_c, gc, layout_c):
        values = cute.make_rmem_tensor(sums.shape, self.kind_c)
        values.store(sums.load().to(self.kind_c))
        if cutlass.const_expr(self.store == "registers"):
            cute.autovec_copy(values, part.partition_C(gc))
        else:
            # Where A and B were; all products have read them.
            done = pipeline.NamedBarrier(barrier_id=1, num_threads=128 * self.groups)
            done.arrive_and_wait()
            sc = cute.make_tensor(cute.recast_ptr(sa.iterator, layout_c.inner, dtype=self.kind_c),
                                  layout_c.outer)
            atom = sm90.get_smem_store_op(self.order_c, self.kind_c, self.acc)
            copy = cute.make_tiled_copy_C(atom, mma).get_slice(thread)
            cute.copy(atom, copy.retile(values), copy.partition_D(sc)[None, None, None, 0])
            cute.arch.fence_proxy("async.shared", space="cta")
            done.arrive_and_wait()
            to_c, from_c = cpasync.tma_partition(tma_c, 0, cute.make_layout(1),
                                                 cute.group_modes(sc, 0, 2),
                                                 cute.group_modes(gc, 0, 2))
            if thread < 32:
                cute.copy(tma_c, to_c[None, 0], from_c)
                cute.arch.cp_async_bulk_commit_group()
                cute.arch.cp_async_bulk_wait_group(0)


def box_of(dense, lines, bytes_each):
    """That of a tile whose dense side is so many elements: as wide as the swizzle."""
    swizzle = next(s for s in (128, 64, 32) if dense * bytes_each % s == 0)
    return (swizzle // bytes_each, lines), swizzle


def cases(random):
    def product(name, size, tile, kind="float16", out="float32", turn="", tolerance=2e-3,
                **options):
        m, n, k = size
        a, b = numbers(random, (m, k), kind), numbers(random, (n, k), kind)
        c = values_of(a) @ values_of(b).T
        store = options.get("store", "registers")
        start = random.integers(-8, 8, (m, n)) if store == "added" else np.zeros((m, n))
        c, start = result(c + start, out), result(start, out)
        each = {"float32": 4, "e4m3": 1, "e5m2": 1}
        program = Product(tile, size, bytes_each=each.get(kind, 2), **options)
        maps = []
        across = options.get("across", (1, 1))
        for i, rows, parts, columns in ((0, tile[0], across[1], "A" in turn),
                                        (1, tile[1], across[0], "B" in turn)):
            # A part is of the lines, which lie as wide as the tile.
            sides = (rows, tile[2] // parts) if columns else (tile[2], rows // parts)
            maps.append((i, *box_of(*sides, each.get(kind, 2))))
        if store != "registers":
            maps.append((2, *box_of(tile[1], tile[0], each.get(out, 2))))
        kind_c = "inout" if store == "added" else "out"
        return compiled(name, program, [("in", a, "A" in turn), ("in", b, "B" in turn),
                                        (kind_c, start, False)], maps, {2: c}, tolerance)

    yield product("f16", (128, 128, 192), (64, 64, 64))
    yield product("f16, 2 groups, k ragged", (128, 96, 200), (128, 96, 64), groups=2)
    yield product("bf16 by columns", (64, 128, 128), (64, 128, 64), "bf16", turn="AB")
    yield product("f16, half swizzle", (64, 32, 96), (64, 32, 32), stages=2)
    yield product("f16 specialised", (64, 128, 256), (64, 128, 64), stages=2, specialised=True)
    # Bytes that nobody has written are packed beside others, and not used.
    yield product("f16 specialised, n 96", (128, 192, 128), (64, 96, 64), specialised=True)
    yield product("bf16 specialised, 2 groups", (128, 64, 256), (128, 64, 64), "bf16", groups=2,
                  specialised=True, out="bf16", tolerance=2e-2)
    yield product("e4m3", (64, 64, 256), (64, 64, 128), "e4m3", tolerance=3e-2)
    yield product("e5m2 specialised", (64, 64, 384), (64, 64, 128), "e5m2", specialised=True,
                  tolerance=5e-2)
    yield product("f16 stored by TMA", (100, 72, 128), (64, 64, 64), out="float16", store="TMA",
                  tolerance=2e-2)
    yield product("bf16 stored by TMA, 2 groups", (128, 128, 128), (128, 128, 64), "bf16", "bf16",
                  groups=2, store="TMA", specialised=True, tolerance=2e-2)
    yield product("f16 added by TMA", (64, 64, 128), (64, 64, 64), store="added")
    yield product("f16 multicast", (128, 64, 192), (64, 64, 64), across=(2, 1))
    yield product("f16 multicast, specialised", (256, 128, 320), (64, 128, 64), across=(4, 1),
                  specialised=True, store="TMA", out="float16", tolerance=2e-2)
    yield product("f16 multicast of both", (256, 128, 192), (128, 64, 64), across=(2, 2), groups=2,
                  specialised=True)
    yield product("bf16 multicast of A", (64, 128, 192), (64, 64, 64), "bf16", across=(1, 2),
                  turn="AB")
    yield product("f16, sums of f16", (64, 64, 128), (64, 64, 64), out="float16",
                  acc=cutlass.Float16, tolerance=1e-1)
