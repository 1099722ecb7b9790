#include "emulator/machine/bulk_copy.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/compile/code.h"
#include "emulator/machine/mbarrier.h"
#include "emulator/machine/swizzled.h"

namespace tilescope::emulator {
namespace {

constexpr int kPieceBytes = 16;  // bytes
constexpr uint64_t kOutside = ~0ull;

const char* copy_words(Space space, bool is_store) {
  if (space == Space::shared) {
    return is_store ? "a bulk copy to shared memory" : "a bulk copy from shared memory";
  }
  return is_store ? "a bulk copy to global memory" : "a bulk copy from global memory";
}

template <class Word>
void reduce_word(Reduction reduction, std::byte* at, const std::byte* fresh) {
  auto* word = reinterpret_cast<Word*>(at);
  Word old = __atomic_load_n(word, __ATOMIC_RELAXED), result;
  do {
    result = old;
    reduction(reinterpret_cast<std::byte*>(&result), fresh);
  } while (
      !__atomic_compare_exchange_n(word, &old, result, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}
/// Each element by itself, as other CTAs may change it meanwhile on other host threads.
void reduce_at_once(Reduction reduction, std::byte* at, const std::byte* fresh, int bytes) {
  switch (bytes) {
    case 2:
      return reduce_word<uint16_t>(reduction, at, fresh);
    case 4:
      return reduce_word<uint32_t>(reduction, at, fresh);
    default:
      return reduce_word<uint64_t>(reduction, at, fresh);
  }
}

// What a NaN fill writes, a NaN of every type: as an H200 does (2026-11-28).
constexpr uint16_t kNanFill = 0x7ff7;

}  // namespace

BulkCopy::BulkCopy(Context& c, const Inst& in, uint32_t lane, Space from, Space to, bool again)
    : c_(c), in_(in), lane_(lane), from_(from), to_(to), again_(again) {
  if (again) return;
  Site& site = c.sites[in.site];
  if (from == Space::global || to == Space::global) ++site.requests;
  if (from == Space::shared || to == Space::shared) ++site.shared_requests;
}

std::byte* BulkCopy::host(Space space, uint64_t address, uint64_t bytes, bool is_store) const {
  const char* what = copy_words(space, is_store);
  if (space == Space::shared) {
    if (address <= c_.shared_bytes && address + bytes <= c_.shared_bytes) {
      return c_.shared + address;
    }
    // Not tolerated, as a lane's access may be: what is copied is larger than where that would go.
    const uint32_t rank = rank_of(address, c_.cluster_rank);
    const uint64_t offset = address >> kRankShift ? address & kClusterOffset : address;
    if ((address >> 32) != 0 || rank >= c_.cluster_ctas || offset + bytes > c_.shared_bytes) {
      raise(in_, Fault::Kind::out_of_bounds, lane_, address, what);
    }
    if (rank != c_.cluster_rank && c_.peers[rank]->gone) {
      raise(in_, Fault::Kind::cta_left, lane_, address, what);
    }
    return check_shared_lane(c_, in_, lane_, address, bytes, 1, is_store, what);
  }
  const uint64_t index = address >> kRegionShift, offset = address & kOffsetMask;
  const Region* region = index < c_.region_count ? c_.regions + index : nullptr;
  if (!region || !region->data || offset + bytes > region->bytes) {
    raise(in_, Fault::Kind::out_of_bounds, lane_, address, what);
  }
  if (is_store && region->read_only) raise(in_, Fault::Kind::read_only, lane_, address, what);
  return region->data + offset;
}

// Pieces of one size are collected up to a warp's worth, which is what observers know; those that
// are copied, and those that are filled in.
void BulkCopy::piece(uint64_t from, uint64_t to, int bytes) {
  const bool alike = bytes == bytes_ && (from == kOutside) == (from_at_[0] == kOutside);
  if (count_ == 32 || (count_ > 0 && !alike)) flush();
  bytes_ = bytes;
  from_at_[count_] = from;
  to_at_[count_++] = to;
}

void BulkCopy::flush() {
  if (count_ == 0) return;
  const auto size = static_cast<uint64_t>(bytes_);
  if (c_.observer) {  // before, as a stepped run keeps what is there
    const uint32_t whole = c_.mask;
    for (int i = count_; i < 32; ++i) from_at_[i] = from_at_[0], to_at_[i] = to_at_[0];
    set_mask(c_, count_ == 32 ? ~0u : (1u << count_) - 1);
    c_.observer->bulk(
        c_, in_,
        {from_, to_, from_at_, to_at_, bytes_, reduction_ != nullptr, element_bytes_, again_});
    set_mask(c_, whole);
  }
  for (int i = 0; i < count_; ++i) {
    std::byte* to = host(to_, to_at_[i], size, true);
    if (from_at_[i] == kOutside) {
      for (size_t byte = 0; byte < size; byte += 2) {  // of one byte no NaN is asked for
        std::memcpy(to + byte, &filler_, std::min<size_t>(size - byte, sizeof filler_));
      }
      continue;
    }
    const std::byte* from = host(from_, from_at_[i], size, false);
    if (!reduction_) {
      std::memcpy(to, from, size);
      continue;
    }
    for (int e = 0; e < bytes_; e += element_bytes_) {
      reduce_at_once(reduction_, to + e, from + e, element_bytes_);
    }
  }
  count_ = 0;
}

void BulkCopy::run(uint64_t from, uint64_t to, uint64_t bytes) {
  for (const auto& [address, space, is_store] :
       {std::tuple{from, from_, false}, std::tuple{to, to_, true}}) {
    if (address % kPieceBytes)
      raise(in_, Fault::Kind::misaligned, lane_, address, copy_words(space, is_store));
  }
  if (bytes % kPieceBytes) {
    raise(in_, Fault::Kind::unsupported, lane_, bytes,
          "the size of a bulk copy must be a multiple of 16 bytes");
  }
  if (bytes == 0) return;
  host(from_, from, bytes, false), host(to_, to, bytes, true);  // one fault, of the whole
  Site& site = c_.sites[in_.site];
  if (!again_ && (from_ == Space::global || to_ == Space::global)) {
    site.sectors += sectors_of(from_ == Space::global ? from : to, bytes);
    site.bytes += bytes;
  }
  site.wavefronts += (bytes + 127) / 128, site.ideal += (bytes + 127) / 128;
  site.shared_bytes += bytes;
  for (uint64_t i = 0; i < bytes; i += kPieceBytes) piece(from + i, to + i, kPieceBytes);
  flush();
}

// Lines of the box along its first dimension: line(global address of its first element or nowhere,
// which element of the first dimension that is, address in shared memory).
template <class Line>
void BulkCopy::each_line(const TensorMap& map, const int32_t* at, uint64_t shared, Line line) {
  const bool to_shared = to_ == Space::shared;
  if (shared % 128) {
    raise(in_, Fault::Kind::misaligned, lane_, shared, copy_words(Space::shared, to_shared),
          "; align the box in shared memory to 128 bytes");
  }
  const uint32_t size = tensor_type_bytes(map.type), bytes = map.box[0] * size;
  if (map.swizzle != 0 && bytes < map.swizzle) {
    raise(in_, Fault::Kind::unsupported, lane_, bytes,
          "a box whose first dimension has fewer bytes than the swizzle: how it lies is not "
          "documented");
  }
  uint32_t count[5] = {1, 1, 1, 1, 1};
  uint64_t lines = 1;
  for (uint32_t d = 1; d < map.rank; ++d) {
    count[d] = (map.box[d] + map.element_strides[d] - 1) / map.element_strides[d];
    lines *= count[d];
  }
  host(Space::shared, shared, lines * bytes, to_shared);
  for (uint64_t n = 0; n < lines; ++n) {
    uint64_t address = map.address;
    bool inside = true;
    uint64_t rest = n;
    for (uint32_t d = 1; d < map.rank; ++d) {
      const int64_t x =
          int64_t{at[d]} + static_cast<int64_t>(rest % count[d] * map.element_strides[d]);
      rest /= count[d];
      inside = inside && x >= 0 && static_cast<uint64_t>(x) < map.dims[d];
      address += static_cast<uint64_t>(x) * map.strides[d - 1];
    }
    line(inside ? address : kOutside, shared + n * bytes);
  }
}

void BulkCopy::count_shared(uint64_t bytes) {
  Site& site = c_.sites[in_.site];
  const uint64_t waves = (bytes + 127) / 128;
  site.wavefronts += waves, site.ideal += waves, site.shared_bytes += bytes;
}

// A card takes others for illegal instructions (an H200, 2026-11-28: loads and stores, types of 1
// to 8 bytes, with and without swizzle); the ISA's text does not say so.
void BulkCopy::check_start(const TensorMap& map, const int32_t* at) const {
  const auto bytes = int64_t{at[0]} * tensor_type_bytes(map.type);
  if (bytes % kPieceBytes == 0) return;
  raise(in_, lane_, static_cast<uint64_t>(bytes),
        "a box begins " + std::to_string(bytes) + " bytes into its line (first coordinate " +
            std::to_string(at[0]) +
            "); what is no multiple of 16 is an illegal instruction on a card");
}

void BulkCopy::load_box(const TensorMap& map, const int32_t* at, uint64_t shared) {
  element_bytes_ = static_cast<int>(tensor_type_bytes(map.type));
  filler_ = map.nan_fill ? kNanFill : uint16_t{0};
  check_start(map, at);
  const int size = static_cast<int>(tensor_type_bytes(map.type));
  const int64_t dim = static_cast<int64_t>(map.dims[0]), x = at[0];
  const int box = static_cast<int>(map.box[0]), chunk = kPieceBytes / size;
  // Elements of the line that exist.
  const int first = static_cast<int>(std::clamp<int64_t>(-x, 0, box));
  const int end = static_cast<int>(std::clamp<int64_t>(dim - x, 0, box));
  uint64_t filled = 0;
  each_line(map, at, shared, [&](uint64_t line, uint64_t to) {
    filled += static_cast<uint64_t>(box * size);
    const uint64_t start = line + static_cast<uint64_t>(x * size);  // of element 0, if it existed
    const bool any = line != kOutside && first < end;
    if (any) {
      const uint64_t bytes = static_cast<uint64_t>((end - first) * size);
      const uint64_t address = start + static_cast<uint64_t>(first * size);
      host(Space::global, address, bytes, false);
      Site& site = c_.sites[in_.site];
      if (!again_) site.sectors += sectors_of(address, bytes), site.bytes += bytes;
    }
    for (int e = 0; e < box; e += chunk) {
      const uint64_t place = swizzled(to + static_cast<uint64_t>(e * size), map.swizzle);
      const uint64_t from = start + static_cast<uint64_t>(e * size);
      if (any && e >= first && e + chunk <= end && from % kPieceBytes == 0) {
        piece(from, place, kPieceBytes);
        continue;
      }
      if (!any || e >= end || e + chunk <= first) {
        piece(kOutside, place, kPieceBytes);
        continue;
      }
      for (int i = e; i < e + chunk; ++i) {
        const uint64_t element = place + static_cast<uint64_t>((i - e) * size);
        const bool inside = i >= first && i < end;
        piece(inside ? start + static_cast<uint64_t>(i * size) : kOutside, element, size);
      }
    }
  });
  flush();
  count_shared(filled);
}

void BulkCopy::store_box(const TensorMap& map, const int32_t* at, uint64_t shared) {
  element_bytes_ = static_cast<int>(tensor_type_bytes(map.type));
  const int size = static_cast<int>(tensor_type_bytes(map.type));
  for (uint32_t d = 0; d < map.rank; ++d) {
    if (at[d] < 0) {
      raise(in_, Fault::Kind::unsupported, lane_, static_cast<uint64_t>(at[d]),
            "a bulk store's coordinates must not be negative");
    }
  }
  check_start(map, at);
  const int64_t dim = static_cast<int64_t>(map.dims[0]), x = at[0];
  const int box = static_cast<int>(map.box[0]), chunk = kPieceBytes / size;
  const int end = static_cast<int>(std::clamp<int64_t>(dim - x, 0, box));
  uint64_t read = 0;  // of what lies outside nothing is
  each_line(map, at, shared, [&](uint64_t line, uint64_t from) {
    if (line == kOutside || end == 0) return;
    read += static_cast<uint64_t>((end + chunk - 1) / chunk * kPieceBytes);
    const uint64_t start = line + static_cast<uint64_t>(x * size);
    const uint64_t bytes = static_cast<uint64_t>(end * size);
    host(Space::global, start, bytes, true);
    Site& site = c_.sites[in_.site];
    site.sectors += sectors_of(start, bytes), site.bytes += bytes;
    for (int e = 0; e < end; e += chunk) {
      const uint64_t place = swizzled(from + static_cast<uint64_t>(e * size), map.swizzle);
      const uint64_t to = start + static_cast<uint64_t>(e * size);
      if (e + chunk <= end && to % kPieceBytes == 0) {
        piece(place, to, kPieceBytes);
        continue;
      }
      for (int i = e; i < std::min(e + chunk, end); ++i) {
        const uint64_t step = static_cast<uint64_t>((i - e) * size);
        piece(place + step, to + step, size);
      }
    }
  });
  flush();
  count_shared(read);
}

void complete_transaction(Context& c, const Inst& in, uint32_t lane, uint64_t barrier,
                          uint64_t bytes, const char* what) {
  std::byte* at = check_shared_lane(c, in, lane, barrier, 8, 8, true, what);
  uint64_t bits = 0;
  std::memcpy(&bits, at, 8);
  BarrierObject o = BarrierObject::of(bits);
  o.bytes -= static_cast<int32_t>(bytes);
  o.complete_if_done();
  bits = o.bits();
  std::memcpy(at, &bits, 8);
  if (c.observer) c.observer->complete(c, in, barrier);
}

TensorMap tensor_map_at(Context& c, const Inst& in, uint32_t lane, uint64_t address,
                        uint32_t rank) {
  const uint64_t index = address >> kRegionShift, offset = address & kOffsetMask;
  const Region* region = index < c.region_count ? c.regions + index : nullptr;
  if (!region || !region->data || offset + kTensorMapBytes > region->bytes) {
    raise(in, Fault::Kind::out_of_bounds, lane, address, "a read of a tensor map");
  }
  if (address % 64) raise(in, Fault::Kind::misaligned, lane, address, "a read of a tensor map");
  TensorMap map;
  if (!decode(region->data + offset, map)) {
    raise(in, Fault::Kind::unsupported, lane, address,
          "what lies there is no tensor map of the emulator's; give the launch one (tensormap:)");
  }
  if (const std::string wrong = wrong_in(map); !wrong.empty()) {
    raise(in, lane, address, "the tensor map that lies there is illegal: " + wrong);
  }
  if (map.rank != rank) {
    raise(in, Fault::Kind::unsupported, lane, map.rank,
          "the tensor map has another number of dimensions than the instruction");
  }
  return map;
}

void change_map(const Inst& in, uint32_t lane, std::byte* map, TensorField field,
                uint32_t dimension, uint64_t value) {
  const std::string wrong = replace_in_map(map, field, dimension, value);
  if (!wrong.empty()) raise(in, lane, value, wrong);
}

}  // namespace tilescope::emulator
