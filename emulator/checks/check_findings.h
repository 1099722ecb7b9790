// Collects what the checks see: of each kind of error one finding per source line, with a count.
// The findings of the CTAs are then joined in the same way.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
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
  bool between_lanes = false;                // as Finding has it
};

class Findings {
 public:
  explicit Findings(const RunState& state) : state_(&state) {}
  /// A warp runs the instructions of a block; `steps` of it with these.
  void run_block(const Block& block, uint32_t warp, uint64_t steps) {
    block_ = &block, warp_ = warp, steps_ = steps;
  }
  /// `text` makes what stands between "CTA …, lane …: " and ", at PTX line …"; called once a
  /// finding, and once more where warps meet at a line of which only lanes were known.
  template <class Text>
  void add(Dim3 cta, const Sighting& seen, Text text, uint64_t count = 1, bool remark = false) {
    const auto [at, is_known] = place_of(seen, remark);
    if (at == kNoRoom) return;
    if (at == all_.size()) {
      all_.push_back(make(cta, seen, text(), remark));
    } else if (all_[at].between_lanes && !seen.between_lanes) {
      all_[at] = take_over(make(cta, seen, text(), remark), std::move(all_[at]));
    }
    all_[at].count += count;
    if (!is_known) note_lines(all_[at], seen);
  }
  /// Takes over those of a later CTA.
  void merge(Findings&& later);
  bool empty() const { return all_.empty(); }
  const std::vector<Finding>& all() const { return all_; }

 private:
  using Key = std::tuple<Fault::Kind, bool, uint32_t, uint32_t, bool>;  // its instructions
  using Place = std::tuple<Fault::Kind, bool, std::string>;   // a source line, and whether a remark
  static constexpr size_t kMost = 200, kNoRoom = ~size_t{0};  // lines at fault
  static constexpr size_t kMostKeys = 1u << 16;
  /// Its index in all_ (the end: it is new), and whether these very instructions were seen before.
  std::pair<size_t, bool> place_of(const Sighting& seen, bool remark);
  Finding make(Dim3 cta, const Sighting& seen, const std::string& text, bool remark) const;
  /// The one with count and lines of the other.
  static Finding take_over(Finding finding, Finding&& before);
  void note_lines(Finding& finding, const Sighting& seen) const;
  std::optional<Finding::Moment> moment_of(uint32_t inst) const;

  const RunState* state_;
  std::map<Key, size_t> index_;
  std::map<Place, size_t> places_;
  std::vector<Place> names_;  // of all_
  std::vector<Finding> all_;
  const Block* block_ = nullptr;  // under way
  uint32_t warp_ = 0;
  uint64_t steps_ = 0;
};

/// Where an instruction stands in the source, with all that it was inlined into: copies that were
/// unrolled of one statement are one place.
std::string place_words(const RunState& state, uint32_t inst);
/// " at PTX line 12 (kernel.cu:3)", or nothing.
std::string line_words(const RunState& state, uint32_t inst);
std::string hex(uint64_t v);
std::string cta_words(Dim3 cta);
/// " ('A' + 4096, which has 4096 bytes)"; says so if the address is in no buffer's range.
std::string buffer_words(const RunState& state, uint64_t address);
/// "a 4-byte load … at 0x10 … is out of bounds": of the kinds that an access alone can show.
std::string access_words(const RunState& state, Fault::Kind kind, Dim3 cta, uint64_t address,
                         const std::string& what);

}  // namespace tilescope::emulator
