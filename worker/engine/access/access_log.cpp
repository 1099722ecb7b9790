#include "worker/engine/access/access_log.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

namespace tilescope::worker {

using emulator::MemoryAccess;

AccessLog::AccessLog(std::optional<emulator::Dim3> alone, emulator::Dim3 grid, uint32_t most,
                     uint32_t most_patterns)
    : alone_(alone), grid_(grid), most_(most), most_patterns_(most_patterns) {}

uint32_t AccessLog::pattern_of(const MemoryAccess& a) {
  AccessPattern p;
  p.lanes = a.lanes, p.bytes = a.bytes;
  const uint64_t first = a.addresses[std::countr_zero(a.lanes)];
  uint64_t hash = (uint64_t{a.lanes} << 8 | a.bytes) * 0x9e3779b97f4a7c15u;
  for (size_t i = 0; i < 32; ++i) {
    const uint64_t difference = a.lanes >> i & 1u ? a.addresses[i] - first : 0;
    p.difference[i] = static_cast<int64_t>(difference);
    hash = (hash ^ difference) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  for (;; ++hash) {  // two that share a hash stand behind each other
    const auto [at, is_new] = found_.try_emplace(hash, static_cast<uint32_t>(patterns_.size()));
    if (is_new) patterns_.push_back(p);
    if (is_new || patterns_[at->second] == p) return at->second;
  }
}

// The same wherever a pattern lies, but for its place in a sector or a word of a bank.
emulator::AccessCost AccessLog::cost(const MemoryAccess& a, uint32_t pattern) {
  const uint64_t first = a.addresses[std::countr_zero(a.lanes)];
  const uint64_t place = a.shared ? (first & 3) | 32 | (a.pairs ? 64 : 0) : first & 31;
  const auto [at, is_new] = costs_.try_emplace(uint64_t{pattern} << 8 | place);
  if (is_new) at->second = cost_of(a);
  return at->second;
}

uint32_t AccessLog::instruction_of(int ptx_line) {
  const auto [at, is_new] =
      instructions_.try_emplace(ptx_line, static_cast<uint32_t>(lines_.size()));
  if (is_new) lines_.push_back(ptx_line);
  return at->second;
}

void AccessLog::note_epoch(const MemoryAccess& a, uint32_t cta) {
  std::vector<uint32_t>& epochs = epochs_[cta];
  if (epochs.size() <= a.epoch) epochs.resize(a.epoch + 1, 0);
  const auto within = static_cast<uint32_t>(a.step - a.epoch_step);
  epochs[a.epoch] = std::max(epochs[a.epoch], within + 1);
}

bool AccessLog::see(const MemoryAccess& a) {
  // What another CTA of its cluster does to a CTA's shared memory is shown there.
  const emulator::Dim3& at = a.shared ? a.memory : a.cta;
  if (alone_ && (at.x != alone_->x || at.y != alone_->y || at.z != alone_->z)) return true;
  if (a.lanes == 0) return true;
  if (records_.size() >= most_ || patterns_.size() >= most_patterns_) {
    full_ = true;
    return false;
  }
  const uint32_t cta =
      alone_ ? 0
             : static_cast<uint32_t>(at.x + uint64_t{grid_.x} * (at.y + uint64_t{grid_.y} * at.z));
  const uint32_t pattern = pattern_of(a);
  const emulator::AccessCost cost = this->cost(a, pattern);
  const auto narrow = [](uint32_t n) {
    return static_cast<uint16_t>(std::min<uint32_t>(n, std::numeric_limits<uint16_t>::max()));
  };
  AccessRecord r;
  r.address = a.addresses[std::countr_zero(a.lanes)];
  r.step = static_cast<uint32_t>(a.step);
  r.moment = static_cast<uint32_t>(a.step - a.epoch_step);
  r.epoch = a.epoch;
  r.cta = cta;
  r.pattern = pattern;
  r.instruction = instruction_of(a.ptx_line);
  r.warp = static_cast<uint16_t>(a.warp);
  r.flags = static_cast<uint16_t>((a.shared ? AccessRecord::kShared : 0) |
                                  (a.reads ? AccessRecord::kReads : 0) |
                                  (a.writes ? AccessRecord::kWrites : 0));
  r.cost = narrow(cost.cost), r.ideal = narrow(cost.ideal);
  records_.push_back(r);
  note_epoch(a, cta);
  return true;
}

void AccessLog::give(AccessAnswer& answer) {
  // From here on the numbers are where the epochs begin.
  for (auto& [cta, epochs] : epochs_) {
    uint32_t begin = 0;
    for (uint32_t& epoch : epochs) begin += std::exchange(epoch, begin);
    answer.moments = std::max(answer.moments, begin);
  }
  for (AccessRecord& r : records_) r.moment += epochs_.at(r.cta)[r.epoch];
  std::stable_sort(
      records_.begin(), records_.end(),
      [](const AccessRecord& x, const AccessRecord& y) { return x.moment < y.moment; });
  // Instructions by their PTX lines.
  std::vector<uint32_t> order(lines_.size()), place(lines_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](uint32_t x, uint32_t y) { return lines_[x] < lines_[y]; });
  for (uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    answer.instructions.push_back({.ptx_line = lines_[order[i]]});
  }
  for (AccessRecord& r : records_) r.instruction = place[r.instruction];
  answer.patterns = std::move(patterns_);
  answer.records = std::move(records_);
}

}  // namespace tilescope::worker
