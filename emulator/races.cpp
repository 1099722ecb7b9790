#include "emulator/races.h"

#include <algorithm>
#include <cstring>

namespace tilescope::emulator {
namespace {

constexpr uint64_t kCellBytes = 2;

uint64_t first_cell(uint64_t address) { return address / kCellBytes; }
uint64_t end_cell(uint64_t address, int bytes) {
  return (address + static_cast<uint64_t>(bytes) + kCellBytes - 1) / kCellBytes;
}

}  // namespace

RaceChecker::RaceChecker(std::byte* shared, uint32_t shared_bytes, size_t warps)
    : shared_(shared),
      cells_(shared_bytes / kCellBytes + 1),
      epochs_(warps, 0),
      copies_(warps),
      groups_(warps) {}

void RaceChecker::check_store(Context& c, const Inst& in, uint32_t lane, uint64_t address,
                              int bytes) {
  const uint32_t epoch = epochs_[c.warp];
  for (uint64_t i = first_cell(address); i < end_cell(address, bytes); ++i) {
    const Cell& cell = cells_[i];
    if (cell.in_flight) {
      raise(in, Fault::Kind::race, lane, i * kCellBytes, "a write to shared memory",
            "hits what a cp.async is still copying to");
    }
    if (cell.written == epoch && cell.writer != c.warp) {
      raise(in, Fault::Kind::race, lane, i * kCellBytes, "a write to shared memory",
            "follows another warp's write with no barrier between");
    }
    if (cell.read == epoch && (cell.readers & ~(1u << c.warp)) != 0) {
      raise(in, Fault::Kind::race, lane, i * kCellBytes, "a write to shared memory",
            "follows another warp's read with no barrier between");
    }
  }
}

void RaceChecker::access(Context& c, const Inst& in, bool is_store, const uint64_t* addresses,
                         int bytes) {
  const uint32_t epoch = epochs_[c.warp];
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!((c.mask >> lane) & 1u)) continue;
    const uint64_t a = addresses[lane];
    if (is_store) check_store(c, in, lane, a, bytes);
    for (uint64_t i = first_cell(a); i < end_cell(a, bytes); ++i) {
      Cell& cell = cells_[i];
      if (is_store) {
        cell.written = epoch;
        cell.writer = static_cast<uint16_t>(c.warp);
        continue;
      }
      if (cell.in_flight) {
        raise(in, Fault::Kind::race, lane, i * kCellBytes, "a read of shared memory",
              "comes before the wait for the cp.async that fills it");
      }
      if (cell.written == epoch && cell.writer != c.warp) {
        raise(in, Fault::Kind::race, lane, i * kCellBytes, "a read of shared memory",
              "follows another warp's write with no barrier between");
      }
      if (cell.read != epoch) cell.readers = 0;
      cell.read = epoch;
      cell.readers |= 1u << c.warp;
    }
  }
}

void RaceChecker::copy(Context& c, const Inst& in, const uint64_t* shared, std::byte* const* from,
                       const uint32_t* from_bytes, int bytes) {
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!((c.mask >> lane) & 1u)) continue;
    check_store(c, in, lane, shared[lane], bytes);
    Copy copy{lane, groups_[c.warp][lane], shared[lane], bytes, {}};
    if (from_bytes[lane]) std::memcpy(copy.data.data(), from[lane], from_bytes[lane]);
    for (uint64_t i = first_cell(copy.to); i < end_cell(copy.to, bytes); ++i) ++cells_[i].in_flight;
    copies_[c.warp].push_back(copy);
  }
}

void RaceChecker::commit(Context& c) {
  for (uint32_t lane = 0; lane < 32; ++lane) groups_[c.warp][lane] += (c.mask >> lane) & 1u;
}

void RaceChecker::wait(Context& c, uint32_t groups_left) {
  std::deque<Copy> still;
  for (const Copy& copy : copies_[c.warp]) {
    const bool waits = (c.mask >> copy.lane) & 1u;
    const uint64_t later = groups_[c.warp][copy.lane] - copy.group;  // groups committed from its on
    if (!waits || later <= groups_left) {
      still.push_back(copy);
      continue;
    }
    std::memcpy(shared_ + copy.to, copy.data.data(), static_cast<size_t>(copy.bytes));
    for (uint64_t i = first_cell(copy.to); i < end_cell(copy.to, copy.bytes); ++i) {
      Cell& cell = cells_[i];
      --cell.in_flight;
      cell.written = epochs_[c.warp];
      cell.writer = static_cast<uint16_t>(c.warp);
    }
  }
  copies_[c.warp] = std::move(still);
}

}  // namespace tilescope::emulator
