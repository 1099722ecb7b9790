#include "tests/model/brute_force.h"

#include <vector>

#include "core/layout/packing.h"
#include "tests/model/brute_cta.h"

namespace tilescope::model {

void BruteCta::pass_part(GlobalSum& sum) {
  const int accesses = mmas_m(plan) * mmas_n(plan) * plan.atom.c.values() / 4;
  for (int i = 0; i < accesses; ++i) {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      Lanes lanes;
      for (int lane = 0; lane < 32; ++lane) {
        lanes.push_back({lane, 16LL * (i * plan.threads + warp * 32 + lane)});
      }
      add_global(sum, lanes, 16);
    }
  }
}

void BruteCta::share(const WorkItem& item) {
  const bool stream = plan.work.kind == WorkKind::stream_k;
  if (!stream || item.k_begin > 0) {
    pass_part(counts.store_sums), pass_part(counts.load_sums);
  }
  if (item.k_begin > 0) return;
  // Who adds up: all threads, or each warp with tensor cores that belong to four of them.
  const int who = plan.producer_threads > 0 ? plan.warps() : 1;
  for (int i = 0; i < who; ++i) {
    if (stream) add_global(counts.load_sums, {{0, 0}}, 4);  // the counter, when all have come
    add_global(counts.store_sums, {{0, 0}}, 4);             // and back to zero
  }
}

void BruteCta::run(const WorkItem& item) {
  if (plan.copy_a.kind == CopyKind::direct) {
    naive();
  } else {
    for (int ahead = 1; ahead < plan.load_a.register_stages; ++ahead) step(0);
    for (int slice = item.k_begin; slice < item.k_end; ++slice) {
      copy(Operand::a, slice * plan.block_k);
      copy(Operand::b, slice * plan.block_k);
      if (plan.split.threads > 0) split();
      for (int kk = 0; kk < mmas_k(plan); ++kk) step(kk);
      if (plan.math() == Math::mma) {
        counts.mma += 1ull * plan.warps() * mmas_m(plan) * mmas_n(plan) * mmas_k(plan) *
                      (plan.split.threads > 0 ? 3 : 1);
      } else {
        counts.fma += 1ull * plan.block_m * plan.block_n * plan.block_k;
      }
    }
  }
  if (item.partial) share(item);
  if (item.k_begin > 0) return;
  if (plan.epilogue.kind == EpilogueKind::shared) return through_shared();
  plan.epilogue.kind == EpilogueKind::boxes ? by_boxes() : store_accumulators();
}

namespace {

/// The pass before the kernel, thread by thread: what it reads it finds out by looking at bytes.
void pack(const KernelPlan& plan, const Problem& p, Operand o, Counts& counts) {
  const Packing packing = packing_of(plan, p, o);
  const long long first = global_offset(p, o, {0, 0});
  const int bytes = element_bytes(operand_type(p, o)), piece = 16 / bytes;
  for (int cta = 0; cta < packing.ctas(); ++cta) {
    for (int i = 0; i < kPackThreads / 32 * kPackRounds; ++i) {
      Lanes words[2], stores;
      std::vector<Lanes> elements(static_cast<size_t>(piece));
      for (int lane = 0; lane < 32; ++lane) {
        const Coord at = packed_piece(packing, cta, i / kPackRounds * 32 + lane, i % kPackRounds);
        if (at.row >= packing.room_lines || at.col >= packing.pitch) continue;
        const long long line = first + bytes * at.row * packing.leading;
        const long long begin = line + bytes * at.col, aligned = begin / 16 * 16;
        stores.push_back({lane, bytes * (at.row * packing.pitch + at.col)});
        if (at.row >= packing.lines) continue;
        if (aligned < line || aligned + 32 > line + bytes * packing.elements) {
          for (int e = 0; e < piece && at.col + e < packing.elements; ++e) {
            elements[static_cast<size_t>(e)].push_back({lane, begin + bytes * e});
          }
        } else {
          words[0].push_back({lane, aligned}), words[1].push_back({lane, aligned + 16});
        }
      }
      for (const Lanes& lanes : words) add_global(counts.load_pack, lanes, 16);
      for (const Lanes& lanes : elements) add_global(counts.load_pack, lanes, bytes);
      add_global(counts.store_pack, stores, 16);
    }
  }
}

}  // namespace

Counts brute_force(const KernelPlan& plan, const Problem& given) {
  Counts counts;
  for (const Operand o : {Operand::a, Operand::b}) {
    if (packs(plan.spec, o)) pack(plan, given, o, counts);
  }
  const Problem p = problem_read(plan, given);
  for (int cta = 0; cta < cta_count(plan.work); ++cta) {
    ++counts.ctas;
    for (int i = 0; i < work_items(plan.work, cta); ++i) {
      const WorkItem item = work_item(plan.work, cta, i);
      BruteCta{plan, p, item.tile, counts}.run(item);
    }
  }
  return counts;
}

}  // namespace tilescope::model
