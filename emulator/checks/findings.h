// What the checks of one CTA have seen, the same thing at the same lines once; and all CTAs'
// together.
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/machine/run_state.h"

namespace tilescope::emulator {

inline constexpr uint32_t kNoInst = 0xffffffffu;

/// One thing seen, before there is a sentence.
struct Sighting {
  Fault::Kind kind{};
  uint32_t warp = 0, lane = 0;
  uint64_t address = 0;
  uint32_t inst = kNoInst, other = kNoInst;  // instructions
};

class Findings {
 public:
  explicit Findings(const RunState& state) : state_(&state) {}
  /// `text` makes what stands between "CTA …, lane …: " and ", at PTX line …"; called once a
  /// finding.
  template <class Text>
  void add(Dim3 cta, const Sighting& seen, Text text, uint64_t count = 1, bool remark = false) {
    const Key key{seen.kind, seen.inst, seen.other};
    if (auto it = index_.find(key); it != index_.end()) {
      all_[it->second].count += count;
    } else if (all_.size() < kMost) {
      push(key, make(cta, seen, text(), count, remark));
    }
  }
  /// Takes over those of a later CTA.
  void merge(Findings&& later);
  bool empty() const { return all_.empty(); }
  const std::vector<Finding>& all() const { return all_; }

 private:
  using Key = std::tuple<Fault::Kind, uint32_t, uint32_t>;
  static constexpr size_t kMost = 200;  // lines at fault
  void push(const Key& key, Finding&& finding);
  Finding make(Dim3 cta, const Sighting& seen, const std::string& text, uint64_t count,
               bool remark) const;

  const RunState* state_;
  std::map<Key, size_t> index_;
  std::vector<Key> keys_;
  std::vector<Finding> all_;
};

/// " at PTX line 12 (kernel.cu:3)", or nothing.
std::string line_words(const RunState& state, uint32_t inst);
std::string hex(uint64_t v);
std::string cta_words(Dim3 cta);
/// " ('A' + 4096, which has 4096 bytes)"; says so if the address is in no buffer's range.
std::string buffer_words(const RunState& state, uint64_t address);
/// "a 4-byte load … at 0x10 … is out of bounds": of the kinds that an access alone can show.
std::string access_words(const RunState& state, Fault::Kind kind, uint64_t address,
                         const std::string& what);

}  // namespace tilescope::emulator
