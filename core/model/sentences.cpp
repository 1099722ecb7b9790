#include "core/model/sentences.h"

#include <fmt/format.h>

#include "core/language/language.h"
#include "core/layout/box_store.h"
#include "core/layout/shared_reads.h"
#include "core/layout/types.h"
#include "core/model/format.h"
#include "core/model/names.h"

namespace tilescope::model {
namespace {

std::string capability(long long sm) { return fmt::format("{}.{}", sm / 10, sm % 10); }

std::string types_text(const Types& t) {
  return fmt::format("{} × {} → {}", name_of(t.a), name_of(t.b), name_of(t.c));
}

std::string extent_range(const Violation& v) {
  static constexpr const char* kNames[] = {"M", "N", "K"};
  const char* name = v.operand >= 0 && v.operand < 3 ? kNames[v.operand] : "an extent";
  return wording("{} is {}; choose 1 to {}", name, grouped(v.value), grouped(v.limit));
}

std::string types(const Violation& v, const Problem& p) {
  std::string takes;
  for (int i = 0; i < kTypeSets; ++i) {
    if ((v.value >> i & 1) == 0) continue;
    takes += (takes.empty() ? "" : ", ") + types_text(types_of_bit(1 << i));
  }
  return wording("element types {}: this kernel computes {}; choose those or another kernel",
                 types_text(types_of(p)), takes);
}

std::string order(const Violation& v, const Problem& p) {
  const Operand operand = static_cast<Operand>(v.operand);
  const Order has = operand_order(p, operand);
  const Order takes = has == Order::row_major ? Order::column_major : Order::row_major;
  return wording("{0} is {1}; this kernel takes {0} {2}: change the layout or the kernel",
                 name_of(operand), name_of(has), name_of(takes));
}

std::string leading_dimension(const Violation& v) {
  const std::string is = wording("the leading dimension of {} is {}; ",
                                 name_of(static_cast<Operand>(v.operand)), grouped(v.value));
  return is + (v.value < v.limit
                   ? wording("a line of it needs {}: raise it, or leave it out", grouped(v.limit))
                   : wording("{} is the most that can be addressed: lower it, or leave it out",
                             grouped(v.limit)));
}

std::string not_divisible(const Violation& v) {
  if (v.limit > v.value) {
    return wording("{0} {1} is smaller than {2} {3}; lower {2} or raise {0}", label_of(v.field),
                   grouped(v.value), label_of(v.field2), grouped(v.limit));
  }
  return wording("{0} {1} is not a multiple of {2} {3}; change one of them", label_of(v.field),
                 grouped(v.value), label_of(v.field2), grouped(v.limit));
}

/// The product behind a thread count: "(128/1) × (128/1)".
std::string thread_product(const TileConfig& t) {
  if (t.warp_m > 0) {
    return wording("({}/{}) × ({}/{}) warps × 32", t.block_m, t.warp_m, t.block_n, t.warp_n);
  }
  if (t.thread_m > 0) {
    return fmt::format("({}/{}) × ({}/{})", t.block_m, t.thread_m, t.block_n, t.thread_n);
  }
  return fmt::format("{} × {}", t.block_m, t.block_n);
}
std::string thread_way_out(const TileConfig& t, bool too_many) {
  const char* part = t.warp_m > 0 ? "warp M or N" : t.thread_m > 0 ? "thread M or N" : nullptr;
  if (!part) return too_many ? tr("lower block M or N") : tr("raise block M or N");
  return wording("{} {} or {} block M or N", too_many ? "raise" : "lower", part,
                 too_many ? "lower" : "raise");
}

std::string threads(const Violation& v, const TileConfig& tile, bool too_many) {
  return wording("threads: {} = {} per block; {} has {}: {}", thread_product(tile),
                 grouped(v.value), too_many ? "a block on this GPU" : "one warp already",
                 grouped(v.limit), thread_way_out(tile, too_many));
}

/// "(128×64 + 64×128) halves", A's box and B's box of one stage.
std::string stage_boxes(const KernelPlan& plan, const Problem& p) {
  const auto box = [](const SharedTile& tile, bool outer_first) {
    return outer_first ? fmt::format("{}×{}", tile.outer, tile.depth)
                       : fmt::format("{}×{}", tile.depth, tile.outer);
  };
  const std::string a = box(plan.shared_a(), true), b = box(plan.shared_b(), false);
  return plan.split.present() ? wording("({} + {}) {} and their rests", a, b, plural_of(p.type_a))
                              : fmt::format("({} + {}) {}", a, b, tr(plural_of(p.type_a)));
}

std::string shared_too_large(const Violation& v, const Problem& p, const KernelPlan& plan) {
  if (epilogue_bytes(plan) > 0) {
    const std::string parts =
        plan.warps_k > 1 ? wording(" of {} parts of k", plan.warps_k) : std::string();
    return wording(
        "shared memory: {}×{} floats of C{} and padding = {} B; a block on this GPU has {} B: "
        "lower block M or N",
        plan.block_m, plan.block_n, parts, grouped(v.value), grouped(v.limit));
  }
  const long long padding = padding_bytes(plan), buffers = store_buffers(plan).bytes();
  const std::string of_c =
      buffers > 0 ? wording(" + {} B of warps' buffers for C", grouped(buffers)) : "";
  const std::string stages = plan.stages() == 1 ? "" : wording("{} stages × ", plan.stages());
  const std::string padded =
      padding > 0 ? wording(" + {} B padding", grouped(padding * plan.stages())) : "";
  const long long fit = plan.stage_bytes() > 0 ? (v.limit - buffers) / plan.stage_bytes() : 0;
  const std::string way_out =
      plan.stages() > 1 && fit >= 2 ? wording("{} stages fit", fit) : tr("lower block K, M or N");
  return wording("shared memory: {}{}{}{} = {} B; a block on this GPU has {} B: {}", stages,
                 stage_boxes(plan, p), padded, of_c, grouped(v.value), grouped(v.limit), way_out);
}

std::string registers(const Violation& v, const TileConfig& t, const KernelPlan& plan,
                      const DeviceLimits& device) {
  const char* part = t.warp_n > 0 ? "warp M or N" : t.warp_m > 0 ? "warp M" : "thread M or N";
  const bool planned = plan.atom.m > 0;  // else the sentence is asked for without a plan
  const long long sums = planned ? 1LL * mmas_m(plan) * mmas_n(plan) * plan.atom.c.values() : 0;
  const std::string of_c = planned ? wording(", {} of them for C", grouped(sums)) : "";
  const char* const why = v.limit < device.registers_per_thread
                              ? "what the block's threads leave each other"
                              : "the most a thread can have";
  return wording(
      "registers: about {} per thread{}; {} is {}, beyond it they spill to memory: lower {}",
      grouped(v.value), of_c, grouped(v.limit), why, part);
}

std::string too_many_ctas(const Violation& v, const KernelPlan& plan) {
  const bool shared = v.rule == Rule::ctas_by_shared;
  const std::string one = shared ? wording("{} B of shared memory", grouped(plan.shared_bytes()))
                                 : wording("{} threads", grouped(plan.cta_threads()));
  return wording("{} CTAs per SM, of {} each: an SM of this GPU has room for {}: lower {}{}",
                 grouped(v.value), one, grouped(v.limit), label_of(v.field),
                 v.field2 == TileFieldId::none ? "" : wording(" or {}", label_of(v.field2)));
}

}  // namespace

std::string sentence(const Violation& v, const TileConfig& tile, const Problem& p,
                     const KernelPlan& plan, const DeviceLimits& device) {
  switch (v.rule) {
    case Rule::none:
      return "";
    case Rule::extent_range:
      return extent_range(v);
    case Rule::types:
      return types(v, p);
    case Rule::order:
      return order(v, p);
    case Rule::leading_dimension:
      return leading_dimension(v);
    case Rule::device_too_old:
      return wording(
          "compute capability {}: this kernel needs {} or newer; choose another kernel or device",
          capability(v.value), capability(v.limit));
    case Rule::device_too_new:
      return wording(
          "compute capability {}: this kernel's instructions exist on {} alone; choose another "
          "kernel or device, or let it be emulated",
          capability(v.value), capability(v.limit));
    case Rule::value_not_offered:
      return wording("{} is {}; the nearest that this kernel offers is {}", label_of(v.field),
                     grouped(v.value), grouped(v.limit));
    case Rule::not_divisible:
      return not_divisible(v);
    case Rule::warp_too_small:
      return wording("{0} is {1}; the {2} of a warp's 32 lanes need {3}: raise {0} or lower {2}",
                     label_of(v.field), grouped(v.value), label_of(v.field2), grouped(v.limit));
    case Rule::threads_too_many:
      return threads(v, tile, true);
    case Rule::threads_too_few:
      return threads(v, tile, false);
    case Rule::shared_too_large:
      return shared_too_large(v, p, plan);
    case Rule::registers_too_many:
      return registers(v, tile, plan, device);
    case Rule::product_registers:
      return wording(
          "registers: the assembler needs {} for a wgmma as wide as this; of {} threads each "
          "begins "
          "with {}: lower {}{}",
          grouped(v.value), grouped(plan.cta_threads()), grouped(v.limit), label_of(v.field),
          v.field2 == TileFieldId::none ? "" : wording(" or {}", label_of(v.field2)));
    case Rule::ctas_by_threads:
    case Rule::ctas_by_shared:
      return too_many_ctas(v, plan);
    case Rule::grid_too_large:
      return wording(
          "grid: {} rows of block tiles; this GPU launches {}: raise block M or "
          "lower M",
          grouped(v.value), grouped(v.limit));
    case Rule::cluster_too_large:
      return wording("a cluster of {} CTAs; {} is the most: lower cluster M or cluster N",
                     grouped(v.value), grouped(v.limit));
    case Rule::cluster_cuts_k:
      return wording(
          "a cluster of {} CTAs, of which each has another part of k, shares nothing that it "
          "reads: "
          "set cluster M and N to 1, or split K to 1",
          grouped(v.value));
    case Rule::part_too_low:
      return wording(
          "{0} is {1}; {2} is {3}, and each of those CTAs copies lines in eights: raise {0} or "
          "lower "
          "{2}",
          label_of(v.field), grouped(v.value), label_of(v.field2), grouped(v.limit));
  }
  return "";
}

}  // namespace tilescope::model
