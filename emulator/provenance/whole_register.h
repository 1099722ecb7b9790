// Provenance would be slow if it kept 32 tags for each register of a warp. But the lanes of most
// registers hold elements whose places differ in one of a few ways (the pattern of a load), or sums
// that grow together. Such a register is told by one `Whole`: a base, and the number of a pattern.
// The tags of its lanes are written out only when somebody asks for a single lane.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace tilescope::emulator {

/// The patterns: how far each lane's tag is from the first lane's. Each pattern is kept once.
class Shapes {
 public:
  using Differences = std::array<int32_t, 32>;
  struct Shape {
    Differences difference;
    int32_t low, high;
  };
  static constexpr uint32_t kNone = 0xffffffffu;

  /// The number of a pattern, which is added if it is new; kNone if there are too many.
  uint32_t find(const Differences& d) {
    // What the last ones were is most likely: a loop loads with a few shapes.
    for (const uint32_t recent : recent_) {
      if (recent < all_.size() && same(all_[recent].difference, d)) return recent;
    }
    uint64_t hash = 0;
    for (const int32_t v : d) hash = (hash ^ static_cast<uint32_t>(v)) * 0x9e3779b97f4a7c15u;
    std::vector<uint32_t>& known = by_hash_[hash];
    for (const uint32_t i : known) {
      if (same(all_[i].difference, d)) return recent_[next_++ % recent_.size()] = i;
    }
    if (all_.size() >= kMost) return kNone;
    Shape s{d, d[0], d[0]};
    for (const int32_t v : d) {
      s.low = v < s.low ? v : s.low;
      s.high = v > s.high ? v : s.high;
    }
    all_.push_back(s);
    known.push_back(static_cast<uint32_t>(all_.size()) - 1);
    return recent_[next_++ % recent_.size()] = known.back();
  }
  const Shape& operator[](uint32_t i) const { return all_[i]; }

 private:
  static constexpr size_t kMost = 1u << 14;
  static bool same(const Differences& a, const Differences& b) {
    return std::memcmp(a.data(), b.data(), sizeof a) == 0;
  }
  std::vector<Shape> all_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> by_hash_;
  std::array<uint32_t, 4> recent_{kNone, kNone, kNone, kNone};
  size_t next_ = 0;
};

/// What the 32 lanes of a 32-bit register hold, if it can be told together.
struct Whole {
  enum class Kind : uint8_t {
    lanes,     // it cannot: ask each lane's tags
    elements,  // lane i: granule base + difference[i] and the next one; all took the same route
    sums       // lane i: the first products of run base + i, equally many of each
  } kind = Kind::lanes;
  bool stale = false;  // the tags of the single lanes have not been written out yet
  uint32_t base = 0;
  uint32_t number = 0;  // elements: of the pattern; sums: of the group of runs
  uint32_t more = 0;    // elements: the route; sums: how many products
};

}  // namespace tilescope::emulator
