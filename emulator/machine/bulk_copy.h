// Bulk copies (TMA): pieces of up to 16 bytes that go from one memory to another when the
// instruction is issued, whose order with others the checks judge by the mbarrier or the group that
// tells of their end.
#pragma once
#include "emulator/machine/context.h"
#include "emulator/tensor_map.h"

namespace tilescope::emulator {

/// What a reduction makes of the old value and the new one, `bytes` each.
using Reduction = void (*)(std::byte* old, const std::byte* fresh);

/// One instruction's copy for one lane. Both sides are 16-byte aligned, or it is a fault.
class BulkCopy {
 public:
  /// `again`: what another target of a multicast has had before, read once.
  BulkCopy(Context& c, const Inst& in, uint32_t lane, Space from, Space to, bool again = false);
  /// A reduction of elements of so many bytes at the target in place of a copy.
  void reduce(Reduction reduction, int element_bytes) {
    reduction_ = reduction, element_bytes_ = element_bytes;
  }
  /// `bytes` from an address to another, one behind the other.
  void run(uint64_t from, uint64_t to, uint64_t bytes);
  /// A box at `at`: to shared memory at `shared`, or from there.
  void load_box(const TensorMap& map, const int32_t* at, uint64_t shared);
  void store_box(const TensorMap& map, const int32_t* at, uint64_t shared);

 private:
  /// `from` all ones: what lies outside is filled in.
  /// Bytes of shared memory that one box fills, or of which it is stored.
  void count_shared(uint64_t bytes);
  void piece(uint64_t from, uint64_t to, int bytes);
  void flush();
  std::byte* host(Space space, uint64_t address, uint64_t bytes, bool is_store) const;
  void check_start(const TensorMap& map, const int32_t* at) const;
  template <class Line>
  void each_line(const TensorMap& map, const int32_t* at, uint64_t shared, Line line);

  Context& c_;
  const Inst& in_;
  const uint32_t lane_;
  const Space from_, to_;
  const bool again_;
  Reduction reduction_ = nullptr;
  int element_bytes_ = 0;
  uint16_t filler_ = 0;
  // What has been collected.
  int bytes_ = 0, count_ = 0;
  uint64_t from_at_[32], to_at_[32];
};

/// An mbarrier of the cluster hears that so many bytes have come by an asynchronous copy or store.
void complete_transaction(Context& c, const Inst& in, uint32_t lane, uint64_t barrier,
                          uint64_t bytes, const char* what);

/// The map at a generic address, of `rank` dimensions; raises a fault if there is none.
TensorMap tensor_map_at(Context& c, const Inst& in, uint32_t lane, uint64_t address, uint32_t rank);

/// tensormap.replace on the bytes of a map; raises a fault if the value is none of a map's.
void change_map(const Inst& in, uint32_t lane, std::byte* map, TensorField field,
                uint32_t dimension, uint64_t value);

/// Sectors that `bytes` from `address` on touch.
inline uint64_t sectors_of(uint64_t address, uint64_t bytes) {
  return bytes == 0 ? 0 : ((address + bytes - 1) >> 5) - (address >> 5) + 1;
}

}  // namespace tilescope::emulator
