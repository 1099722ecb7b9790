#include "core/model/time_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope::model {
namespace {

constexpr CauseRow kRows[] = {
    {Cause::compute, "compute", "compute", "What the tensor cores or the fp32 units need"},
    {Cause::issue, "issue", "issue", "Instructions that the schedulers issue"},
    {Cause::shared, "shared", "shared memory",
     "Wavefronts of shared memory and of the L1, which share one path, with bank conflicts"},
    {Cause::l2, "l2", "L2", "Bytes and lines that come from the L2 to the SMs"},
    {Cause::dram, "dram", "DRAM", "Bytes that come from DRAM and go there"},
    {Cause::tail, "tail", "tail", "SMs without work, in the last wave most of all"},
    {Cause::occupancy, "occupancy", "waiting",
     "Waiting that other warps and stages do not hide, and units that wait for each other"},
    {Cause::launch, "launch", "launch and ends",
     "The launch itself, packing before it, each CTA's prologue and its stores of C"},
};

/// What a predicted time is made of, each in µs but for `clash`.
struct Terms {
  double math = 0, issue = 0, data = 0, l2 = 0, dram = 0;
  double idle = 0, latency = 0;
  double clash = 0;  // of the less busy of arithmetic and data, on top
  double ends = 0;   // of CTAs
  double launch = 0;
};

double norm(double a, double b, double c, double power) {
  return std::pow(std::pow(a, power) + std::pow(b, power) + std::pow(c, power), 1 / power);
}

double busy_of(const Terms& t, const TimeConstants& k) {
  return norm(std::max(t.math, t.issue), t.data, t.l2, k.unit_norm);
}

/// As predict() and sm_time() put it together.
double total(const Terms& t, const TimeConstants& k) {
  const double busy = busy_of(t, k) + t.clash * std::min(std::max(t.math, t.issue), t.data);
  const double sms = busy + t.latency + t.idle + t.ends;
  return norm(sms, t.dram, 0, k.memory_norm) + t.launch;
}

Terms terms_of(const Prediction& p, const TimeConstants& k) {
  Terms t;
  t.math = p.unit(Unit::math), t.issue = p.unit(Unit::issue);
  t.data = p.unit(Unit::shared) + p.unit(Unit::l1), t.l2 = p.unit(Unit::l2);
  t.dram = p.dram_us;
  t.idle = p.part(TimePart::idle), t.latency = p.part(TimePart::latency);
  t.ends = p.part(TimePart::sums);
  t.launch = p.part(TimePart::launch) + p.part(TimePart::pass);
  const double both = std::min(std::max(t.math, t.issue), t.data);
  const double busy = p.part(TimePart::work) + p.part(TimePart::clash);
  if (both > 0) t.clash = (busy - busy_of(t, k)) / both;
  return t;
}

/// `to` with what belongs to a cause of `from`.
void take(Cause cause, const Terms& from, Terms& to) {
  switch (cause) {
    case Cause::compute:
      to.math = from.math;
      return;
    case Cause::issue:
      to.issue = from.issue;
      return;
    case Cause::shared:
      to.data = from.data;
      return;
    case Cause::l2:
      to.l2 = from.l2;
      return;
    case Cause::dram:
      to.dram = from.dram;
      return;
    case Cause::tail:
      to.idle = from.idle;
      return;
    case Cause::occupancy:
      to.latency = from.latency, to.clash = from.clash;
      return;
    case Cause::launch:
      to.ends = from.ends, to.launch = from.launch;
      return;
  }
}

/// "25 % fewer bytes", "far more bytes": a against b; empty: as many.
std::string ratio_words(double a, double b, const char* of) {
  if (b <= 0 && a <= 0) return {};
  if (b <= 0 || a / b >= 10) return a > 0 ? wording("far more {}", of) : std::string();
  const double part = a / b - 1, percent = std::abs(part) * 100;
  if (std::abs(part) < 0.005) return {};
  return part > 0 ? wording("{:.0f} % more {}", percent, of)
                  : wording("{:.0f} % fewer {}", percent, of);
}

/// Of tensor cores or of lanes: a plan has but one of the two.
double products(const Analysis& a) {
  const Counts& c = a.traffic.counts;
  return static_cast<double>(c.mma + c.fma);
}

double wavefronts(const Analysis& a) {
  const Counts& c = a.traffic.counts;
  return static_cast<double>(c.joined_shared_load().wavefronts + c.shared_store.wavefronts +
                             c.shared_copy.wavefronts + c.shared_product.wavefronts);
}

const char* mma_words(MmaKind kind) {
  switch (kind) {
    case MmaKind::threads:
      return "fp32 units";
    case MmaKind::wmma:
      return "wmma";
    case MmaKind::mma_sync:
      return "mma.sync";
    case MmaKind::wgmma:
      return "wgmma";
  }
  return "";
}

/// Of waves, or of CTAs that stay: 0…1.
std::string tail_words(const Analysis& a, const Analysis& b) {
  const bool waves =
      a.waves.count > 0 && b.waves.count > 0 && !stays(a.plan.work) && !stays(b.plan.work);
  if (!waves) return {};
  if (a.waves.count == b.waves.count && std::abs(a.waves.last_fill - b.waves.last_fill) < 0.005) {
    return {};
  }
  return wording("{} wave{}, the last {:.0f} % full, not {}, the last {:.0f} %", a.waves.count,
                 a.waves.count == 1 ? "" : "s", 100 * a.waves.last_fill, b.waves.count,
                 100 * b.waves.last_fill);
}

std::string occupancy_words(const Analysis& a, const Analysis& b) {
  const int here = warps_per_sm(a), there = warps_per_sm(b);
  const int stages = a.plan.stages(), others = b.plan.stages();
  std::string words;
  if (here != there) words = wording("{} warps an SM, not {}", here, there);
  if (stages != others) {
    words += wording("{}{} stage{}, not {}", words.empty() ? "" : "; ", stages,
                     stages == 1 ? "" : "s", others);
  }
  return words;
}

}  // namespace

std::span<const CauseRow> causes() { return kRows; }

std::array<double, kCauses> time_difference(const Prediction& a, const Prediction& b,
                                            const TimeConstants& constants) {
  const Terms ours = terms_of(a, constants), theirs = terms_of(b, constants);
  constexpr unsigned kSets = 1U << kCauses;
  std::array<double, kSets> times{};  // with the causes of a set as in `a`, the others as in `b`
  for (unsigned set = 0; set < kSets; ++set) {
    Terms mixed = theirs;
    for (int i = 0; i < kCauses; ++i) {
      if (set >> i & 1U) take(static_cast<Cause>(i), ours, mixed);
    }
    times[set] = total(mixed, constants);
  }
  // In how large a part of all orders exactly the others of a set stand before a cause.
  std::array<double, kCauses> weight{};
  weight[0] = 1.0 / kCauses;
  for (int n = 1; n < kCauses; ++n) weight[n] = weight[n - 1] * n / (kCauses - n);
  std::array<double, kCauses> parts{};
  for (int i = 0; i < kCauses; ++i) {
    for (unsigned set = 0; set < kSets; ++set) {
      if (set >> i & 1U) continue;
      parts[i] += weight[std::popcount(set)] * (times[set | 1U << i] - times[set]);
    }
  }
  return parts;
}

int warps_per_sm(const Analysis& a) {
  return a.occupancy.ctas_per_sm * ceil_div(a.launch.threads, 32);
}

std::string cause_words(Cause cause, const Analysis& a, const Analysis& b) {
  const Traffic &ours = a.traffic, &theirs = b.traffic;
  const auto level = [](const MemoryLevel& l) { return l.read + l.write; };
  switch (cause) {
    case Cause::compute:
      if (a.plan.atom.kind != b.plan.atom.kind) {
        return wording("{}, not {}", mma_words(a.plan.atom.kind), mma_words(b.plan.atom.kind));
      }
      return ratio_words(products(a), products(b), tr("products"));
    case Cause::issue:
      return ratio_words(a.prediction.unit(Unit::issue), b.prediction.unit(Unit::issue),
                         tr("instructions"));
    case Cause::shared: {
      std::string words = ratio_words(wavefronts(a), wavefronts(b), tr("wavefronts"));
      const auto conflicts = [](const Traffic& t) { return t.counts.shared_load.conflicts(); };
      if (conflicts(ours) == conflicts(theirs)) return words;
      return words + wording("{}{} conflicts, not {}", words.empty() ? "" : "; ",
                             grouped(static_cast<long long>(conflicts(ours))),
                             grouped(static_cast<long long>(conflicts(theirs))));
    }
    case Cause::l2: {
      std::string words = ratio_words(level(ours.l2), level(theirs.l2), tr("bytes"));
      const bool boxes = by_boxes(a.plan.copy_a.kind), others = by_boxes(b.plan.copy_a.kind);
      if (boxes == others) return words;
      return words + (words.empty() ? "" : "; ") +
             (boxes ? tr("by boxes (TMA)") : tr("not by boxes (TMA)"));
    }
    case Cause::dram:
      return ratio_words(a.dram_read.value_or(ours.dram.read) + ours.dram.write,
                         b.dram_read.value_or(theirs.dram.read) + theirs.dram.write, tr("bytes"));
    case Cause::tail:
      return tail_words(a, b);
    case Cause::occupancy:
      return occupancy_words(a, b);
    case Cause::launch: {
      const auto items = [](const Analysis& x) {
        return static_cast<double>(x.traffic.counts.ctas);
      };
      return ratio_words(items(a), items(b), tr("CTAs"));
    }
  }
  return {};
}

}  // namespace tilescope::model
