// Decides whether one CTA's access to global memory is ordered before another's. It is if the first
// CTA, after its access, writes a flag (by atomic, volatile or release) with a fence before, and
// the second one, before its own access, reads that flag later (by atomic, volatile or acquire). A
// CTA may hand on in the same way what it knows of a third one.
#pragma once
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace tilescope::emulator {

/// A moment of a CTA, told by what other CTAs can see of it.
struct CtaMoment {
  uint32_t syncs = 0;   // operations before it by which CTAs may meet
  uint32_t fences = 0;  // of the whole GPU, by any of its warps
};

/// One operation on one address by which CTAs may meet.
struct Touch {
  uint64_t address = 0;
  uint64_t time = 0;  // in order of all CTAs; 0 = not known
  CtaMoment at;       // with itself
  uint8_t order = 0;  // as CheckPlan::order
};

class CtaOrder {
 public:
  explicit CtaOrder(uint64_t& work) : work_(work) {}
  void add(uint32_t cta, const std::vector<Touch>& touches);
  /// True if CTA b at moment `to` must see what CTA a did at moment `from`. `looks`: b's access is
  /// itself one that always looks at memory anew (volatile, atomic), and needs no acquire.
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
