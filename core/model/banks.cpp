#include "core/model/banks.h"

#include <algorithm>
#include <bit>

namespace tilescope::model {
namespace {

/// Words that a group of lanes asks of each bank; the worst bank decides.
class Phase {
 public:
  void add(int64_t address, int bytes) {
    for (int64_t word = address / kBankBytes; word <= (address + bytes - 1) / kBankBytes; ++word) {
      const int bank = static_cast<int>(word % kBanks);
      const auto begin = words_[bank].begin(), end = begin + count_[bank];
      if (std::find(begin, end, word) == end) words_[bank][count_[bank]++] = word;
    }
    used_ = true;
  }
  int wavefronts() const { return *std::max_element(count_.begin(), count_.end()); }
  bool used() const { return used_; }

 private:
  std::array<std::array<int64_t, 32>, kBanks> words_;
  std::array<int, kBanks> count_{};
  bool used_ = false;
};

void close(BankResult& result, const Phase& phase) {
  const int wavefronts = phase.used() ? phase.wavefronts() : 0;
  result.per_phase.push_back(wavefronts);
  result.wavefronts += wavefronts;
  result.ideal += phase.used() ? 1 : 0;
}

int phases_of(int bytes) { return bytes <= 4 ? 1 : bytes / 4; }

}  // namespace

BankResult bank_access(const WarpAccess& access) {
  BankResult result;
  const int phases = phases_of(access.bytes), lanes = 32 / phases;
  for (int p = 0; p < phases; ++p) {
    Phase phase;
    for (int lane = p * lanes; lane < (p + 1) * lanes; ++lane) {
      if (access.active >> lane & 1) phase.add(access.address[lane], access.bytes);
    }
    close(result, phase);
  }
  return result;
}

BankResult bank_ldmatrix(std::span<const int64_t> rows) {
  BankResult result;
  for (size_t first = 0; first < rows.size(); first += 8) {
    Phase phase;
    for (size_t i = first; i < std::min(first + 8, rows.size()); ++i) phase.add(rows[i], 16);
    close(result, phase);
  }
  return result;
}

BankResult bank_strided(int bytes, int64_t stride, Swizzle swizzle) {
  WarpAccess access;
  access.bytes = bytes;
  for (int lane = 0; lane < 32; ++lane) {
    access.add(lane, swizzle_bytes(swizzle, static_cast<int>(lane * stride)));
  }
  return bank_access(access);
}

BankResult bank_ldmatrix_strided(int matrices, int64_t stride, Swizzle swizzle) {
  std::vector<int64_t> rows;
  for (int lane = 0; lane < matrices * 8; ++lane) {
    const int64_t offset = lane % 16 * stride + lane / 16 * 16;
    rows.push_back(swizzle_bytes(swizzle, static_cast<int>(offset)));
  }
  return bank_ldmatrix(rows);
}

void SharedSum::add(const WarpAccess& access) {
  if (access.active == 0) return;
  const BankResult result = bank_access(access);
  ++requests;
  wavefronts += result.wavefronts;
  ideal += result.ideal;
  bytes += static_cast<uint64_t>(std::popcount(access.active)) * access.bytes;
}

void SharedSum::add_ldmatrix(std::span<const int64_t> rows) {
  const BankResult result = bank_ldmatrix(rows);
  ++requests;
  wavefronts += result.wavefronts;
  ideal += result.ideal;
  bytes += rows.size() * 16;
}

void SharedSum::add(const SharedSum& other, uint64_t times) {
  requests += other.requests * times;
  wavefronts += other.wavefronts * times;
  ideal += other.ideal * times;
  bytes += other.bytes * times;
}

}  // namespace tilescope::model
