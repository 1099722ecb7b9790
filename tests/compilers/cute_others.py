"""Kernels in CuTe's Python language beside plain products: a factor from registers, tensor maps
that the kernel changes, bulk copies of bytes, shared memory of other CTAs, sums over rows."""
import numpy as np
from cute_compile import compiled, cute, cutlass  # first: it says what to compile for

import cutlass.utils.hopper_helpers as sm90
from cutlass.cute.nvgpu import cpasync, warpgroup
from cutlass.memory import SmemAllocator
from cutlass.tensor_utils import LayoutEnum, TensorMapManager, TensorMapUpdateMode

from floats import values_of
from reference import numbers


class Program:
    def __init__(self, grid, threads, shared, cluster=1):
        self.grid, self.threads, self.shared = (grid, 1, 1), threads, shared
        self.cluster = (cluster, 1, 1)

    def launch(self, kernel):
        kernel.launch(grid=self.grid, block=(self.threads, 1, 1), cluster=self.cluster,
                      smem=self.shared)


class FromRegisters(Program):
    """A (64, k) of f32 is scaled and rounded in registers; B (n, k) lies in shared memory."""

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        order = LayoutEnum.from_tensor(b)
        n, k = b.shape
        mma = sm90.make_trivial_tiled_mma(
            b.element_type, b.element_type, LayoutEnum.from_tensor(a).sm90_mma_major_mode(),
            order.sm90_mma_major_mode(), cutlass.Float32, (1, 1, 1), (64, n),
            warpgroup.OperandSource.RMEM)
        self.kind = b.element_type
        layout = sm90.make_smem_layout_b(order, (64, n, k), self.kind, 1)
        self.launch(self.kernel(mma, a, b, c, layout))

    @cute.kernel
    def kernel(self, mma: cute.TiledMma, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor,
               layout: cute.ComposedLayout):
        thread, _, _ = cute.arch.thread_idx()
        memory = SmemAllocator()
        sb = memory.allocate_tensor(self.kind, layout.outer, 1024, layout.inner)
        for i in range(thread, cute.size(b), self.threads):
            at = (i // b.shape[1], i % b.shape[1])
            sb[at[0], at[1], 0] = b[at]
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.arch.sync_threads()
        part = mma.get_slice(thread)
        ta = part.partition_A(a)
        wide = cute.make_rmem_tensor_like(ta)
        cute.autovec_copy(ta, wide)
        fa = mma.make_fragment_A(ta.shape)
        fa.store((wide.load() * 0.25).to(self.kind))
        fb = mma.make_fragment_B(part.partition_B(sb))
        tc = part.partition_C(c)
        sums = cute.make_rmem_tensor(tc.shape, cutlass.Float32)
        mma.set(warpgroup.Field.ACCUMULATE, False)
        warpgroup.fence()
        for i in cutlass.range_constexpr(cute.size(fa, mode=[2])):
            cute.gemm(mma, sums, fa[None, None, i], fb[None, None, i, 0], sums)
            mma.set(warpgroup.Field.ACCUMULATE, True)
        warpgroup.commit_group()
        warpgroup.wait_group(0)
        cute.autovec_copy(sums, tc)


class Moved(Program):
    """Each CTA points the maps of the first matrices at its own, and copies that by TMA."""

    def __init__(self, mode, *launch):
        super().__init__(*launch)
        self.mode = mode

    @cute.jit
    def __call__(self, x: cute.Tensor, y: cute.Tensor, maps: cute.Tensor):
        rows, columns = x.shape[1], x.shape[2]
        self.kind = x.element_type
        layout = sm90.make_smem_layout_epi(self.kind, LayoutEnum.ROW_MAJOR, (rows, columns), 1)
        first_x, first_y = x[0, None, None], y[0, None, None]
        load, all_x = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileG2SOp(), first_x, cute.slice_(layout, (None, None, 0)),
            (rows, columns))
        store, all_y = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileS2GOp(), first_y, cute.slice_(layout, (None, None, 0)),
            (rows, columns))
        self.launch(self.kernel(load, all_x, store, all_y, x, y, maps, layout))

    @cute.kernel
    def kernel(self, load: cute.CopyAtom, all_x: cute.Tensor, store: cute.CopyAtom,
               all_y: cute.Tensor, x: cute.Tensor, y: cute.Tensor, maps: cute.Tensor,
               layout: cute.ComposedLayout):
        thread, _, _ = cute.arch.thread_idx()
        block, _, _ = cute.arch.block_idx()
        memory = SmemAllocator()
        s = memory.allocate_tensor(self.kind, layout.outer, 1024, layout.inner)
        shared_maps = memory.allocate_array(cutlass.Int64, 32, byte_alignment=128)
        barrier = memory.allocate_array(cutlass.Int64, 1)
        if thread == 0:
            cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_init_fence()
        manager = TensorMapManager(self.mode, 128)
        own = [manager.get_tensormap_ptr(maps[block, i, None].iterator) for i in range(2)]
        shared = [shared_maps, shared_maps + 16]
        in_shared = cutlass.const_expr(self.mode == TensorMapUpdateMode.SMEM)
        manager.init_tensormap_from_atom(load, shared[0] if in_shared else own[0], 0)
        manager.init_tensormap_from_atom(store, shared[1] if in_shared else own[1], 0)
        manager.fence_tensormap_initialization()
        manager.update_tensormap((x[block, None, None], y[block, None, None]), (load, store),
                                 tuple(own), 0, tuple(shared) if in_shared else None)
        cute.arch.sync_threads()
        manager.fence_tensormap_update(own[0])
        manager.fence_tensormap_update(own[1])
        one = cute.make_layout(1)
        to_s, from_x = cpasync.tma_partition(load, 0, one, cute.group_modes(s, 0, 2),
                                             cute.group_modes(all_x, 0, 2))
        from_s, to_y = cpasync.tma_partition(store, 0, one, cute.group_modes(s, 0, 2),
                                             cute.group_modes(all_y, 0, 2))
        generic = [manager.get_tensormap_ptr(maps[block, i, None].iterator,
                                             cute.AddressSpace.generic) for i in range(2)]
        if thread < 32:
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(barrier, cute.size(s) * 4)
            cute.copy(load, from_x, to_s[None, 0], tma_bar_ptr=barrier, tma_desc_ptr=generic[0])
            cute.arch.mbarrier_wait(barrier, 0)
            cute.copy(store, from_s[None, 0], to_y, tma_desc_ptr=generic[1])
            cute.arch.cp_async_bulk_commit_group()
            cute.arch.cp_async_bulk_wait_group(0)


class Exchange(Program):
    """Bytes of global memory come by a bulk copy, go to the next CTA as stores that tell its
    barrier, and leave by another bulk copy."""

    @cute.jit
    def __call__(self, x: cute.Tensor, y: cute.Tensor):
        self.launch(self.kernel(x, y))

    @cute.kernel
    def kernel(self, x: cute.Tensor, y: cute.Tensor):
        thread, _, _ = cute.arch.thread_idx()
        block, _, _ = cute.arch.block_idx()
        n = x.shape[1]
        memory = SmemAllocator()
        mine = memory.allocate_tensor(cutlass.Float32, cute.make_layout(n), 128)
        other = memory.allocate_tensor(cutlass.Float32, cute.make_layout(n), 128)
        barriers = memory.allocate_array(cutlass.Int64, 2)
        if thread == 0:
            cute.arch.mbarrier_init(barriers, 1)
            cute.arch.mbarrier_init(barriers + 1, 1)
        cute.arch.mbarrier_init_fence()
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()
        come = cute.make_copy_atom(cpasync.CopyBulkG2SOp(), cutlass.Float32,
                                   num_bits_per_copy=32 * n)
        across = cute.make_copy_atom(cpasync.CopyDsmemStoreOp(), cutlass.Float32,
                                     num_bits_per_copy=128)
        leave = cute.make_copy_atom(cpasync.CopyBulkS2GOp(), cutlass.Float32,
                                    num_bits_per_copy=32 * n)
        beside = (cute.arch.block_idx_in_cluster() + 1) % self.cluster[0]
        if thread == 0:
            cute.arch.mbarrier_arrive_and_expect_tx(barriers, 4 * n)
            cute.arch.mbarrier_arrive_and_expect_tx(barriers + 1, 4 * n)
            cute.copy(come, x[block, None], mine, mbar_ptr=barriers)
        cute.arch.mbarrier_wait(barriers, 0)
        values = cute.make_rmem_tensor((n // self.threads, ), cutlass.Float32)
        cute.autovec_copy(cute.local_tile(mine, (n // self.threads, ), (thread, )), values)
        there = cute.make_tensor(cute.arch.map_dsmem_ptr(other.iterator, beside), other.layout)
        cute.copy(across, values, cute.local_tile(there, (n // self.threads, ), (thread, )),
                  mbar_ptr=cute.arch.map_dsmem_ptr(barriers + 1, beside))
        cute.arch.mbarrier_wait(barriers + 1, 0)
        if thread == 0:
            cute.arch.fence_proxy("async.shared", space="cta")
            cute.copy(leave, other, y[block, None])
            cute.arch.cp_async_bulk_commit_group()
            cute.arch.cp_async_bulk_wait_group(0)
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()


class Softmax(Program):
    """A warp a row, in registers."""

    @cute.jit
    def __call__(self, x: cute.Tensor, y: cute.Tensor):
        self.launch(self.kernel(x, y))

    @cute.kernel
    def kernel(self, x: cute.Tensor, y: cute.Tensor):
        thread, _, _ = cute.arch.thread_idx()
        block, _, _ = cute.arch.block_idx()
        row = block * (self.threads // 32) + thread // 32
        lane = thread % 32
        if row < x.shape[0]:
            mine = cute.local_tile(x[row, None], (x.shape[1] // 32,), (lane,))
            v = cute.make_rmem_tensor_like(mine)
            cute.autovec_copy(mine, v)
            most = v.load().reduce(cute.ReductionOp.MAX, -float("inf"), 0)
            most = cute.arch.warp_reduction(most, lambda a, b: cute.arch.fmax(a, b))
            e = cute.math.exp2(v.load() - most, fastmath=True)
            total = e.reduce(cute.ReductionOp.ADD, 0.0, 0)
            total = cute.arch.warp_reduction(total, lambda a, b: a + b)
            v.store(e / total)
            cute.autovec_copy(v, cute.local_tile(y[row, None], (x.shape[1] // 32,), (lane,)))


def cases(random):
    a, b = numbers(random, (64, 64), "float32"), numbers(random, (32, 64), "float16")
    c = (0.25 * values_of(a) @ values_of(b).T).astype(np.float32)
    yield compiled("A from registers", FromRegisters(1, 128, 8192),
                   [("in", a, False), ("in", b, False), ("out", c, False)], [], {2: c}, 2e-2)
    for mode in (TensorMapUpdateMode.SMEM, TensorMapUpdateMode.GMEM):
        x = numbers(random, (3, 32, 32), "float32")
        maps = np.zeros((3, 2, 32), np.int32)
        yield compiled(f"maps changed in {mode.name}", Moved(mode, 3, 128, 6144),
                       [("in", x, False), ("out", x, False), ("inout", maps, False)],
                       [(0, (32, 32), 128), (1, (32, 32), 128)], {1: x},
                       pointers=[0, 1, 2])
    x = numbers(random, (4, 256), "float32")
    yield compiled("exchange", Exchange(4, 32, 4096, 4), [("in", x, False), ("out", x, False)], [],
                   {1: np.roll(x, 1, axis=0)})
    x = numbers(random, (10, 256), "float32")
    e = np.exp2(values_of(x))
    y = (e / e.sum(axis=1, keepdims=True)).astype(np.float32)
    yield compiled("softmax", Softmax(3, 128, 0), [("in", x, False), ("out", y, False)], [], {1: y},
                   1e-5)
