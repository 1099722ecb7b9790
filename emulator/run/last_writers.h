// Remembers who wrote each byte of a stepped CTA's shared memory last. An entry is of as many bytes
// as one lane has always written together: 16 where all is cp.async of 16 bytes, 1 where bytes are
// stored, so that a checkpoint takes no more room than the kernel's accesses need.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "emulator/stepper.h"

namespace tilescope::emulator {

class LastWriters {
 public:
  static constexpr uint32_t kCoarsest = 16;

  /// Nobody has written. Whoever puts back a copy takes its grain and fills bytes().
  void reset(uint32_t shared_bytes, uint32_t grain = kCoarsest) {
    shared_bytes_ = shared_bytes;
    grain_ = grain ? grain : kCoarsest;
    entries_.assign(count(grain_), 0);
  }
  /// `entry`: StepWriters::packed().
  void note(uint64_t address, uint32_t bytes, uint64_t entry) {
    if (bytes == 0 || address + bytes > shared_bytes_) return;
    while (((address | bytes) & (grain_ - 1)) != 0) halve();
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(address / grain_);
    std::fill_n(first, bytes / grain_, entry);
  }
  uint32_t grain() const { return grain_; }
  const std::vector<uint64_t>& entries() const { return entries_; }
  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(entries_)); }

 private:
  size_t count(uint32_t grain) const { return (size_t{shared_bytes_} + grain - 1) / grain; }
  void halve() {
    std::vector<uint64_t> finer(count(grain_ / 2));
    for (size_t i = 0; i < finer.size(); ++i) finer[i] = entries_[i / 2];
    entries_ = std::move(finer);
    grain_ /= 2;
  }

  uint32_t shared_bytes_ = 0, grain_ = kCoarsest;
  std::vector<uint64_t> entries_;
};

}  // namespace tilescope::emulator
