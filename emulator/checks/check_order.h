// Which CTA knows of what another did in global memory: the one writes an address that all may look
// at (atomic, volatile, acquire, release) behind its access, and releases; the other reads that
// address later, and acquires, before its own access. What it knows it may hand on in the same way.
#pragma once
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace tilescope::emulator {

/// A place in what a CTA does, as far as others can tell.
struct CtaMoment {
  uint32_t syncs = 0;   // operations before it by which CTAs may meet
  uint32_t fences = 0;  // of the whole GPU, by any of its warps
};

struct Touch {  // such an operation, of one address
  uint64_t address = 0;
  uint64_t time = 0;  // in order of all CTAs; 0 = not known
  CtaMoment at;       // with itself
  uint8_t order = 0;  // as CheckPlan::order
};

class CtaOrder {
 public:
  explicit CtaOrder(uint64_t& work) : work_(work) {}
  void add(uint32_t cta, const std::vector<Touch>& touches);
  /// CTA b knows at `to` of what CTA a did at `from`. `looks`: the access there is one of those
  /// that always look again; it needs no acquire.
  bool hands_on(uint32_t a, CtaMoment from, uint32_t b, CtaMoment to, bool looks);

 private:
  struct Event {
    Touch touch;
    uint32_t cta;
  };
  struct Known {  // since when a CTA knows
    CtaMoment acquired{~0u, 0}, seen{~0u, 0};
  };
  const std::vector<Known>& spread(uint32_t cta, CtaMoment from);

  uint64_t& work_;
  std::vector<Event> events_;
  bool sorted_ = false;
  uint32_t ctas_ = 0;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::vector<Known>> known_;
};

}  // namespace tilescope::emulator
