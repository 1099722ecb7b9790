#include "core/model/banks.h"

#include <bit>

namespace tilescope::model {

BankResult bank_access(const WarpAccess& access, int phases) {
  const BankPhases found = bank_phases(access);
  BankResult result{found.total(), found.ideal(), {}};
  const int told = phases > 0 ? phases : found.phases;
  result.per_phase.assign(found.wavefronts, found.wavefronts + told);
  return result;
}

BankResult bank_ldmatrix(std::span<const int64_t> rows) {
  WarpAccess access;
  access.bytes = kMatrixRowBytes, access.use = SharedUse::rows;
  for (size_t lane = 0; lane < rows.size(); ++lane) access.add(static_cast<int>(lane), rows[lane]);
  return bank_access(access, ceil_div(static_cast<int>(rows.size()), kMatrixRows));
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
