#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "emulator/compile/code.h"
#include "emulator/machine/memory_impl.h"

namespace tilescope::emulator {

namespace {

// From here on pages come from the system, zero already and for nothing until they are touched: a
// trace runs one CTA of matrices that it leaves mostly alone.
#ifdef __EMSCRIPTEN__  // whose mmap is malloc's, and whose madvise does nothing
constexpr uint64_t kMapped = ~uint64_t{0};
#else
constexpr uint64_t kMapped = 1u << 20;
#endif

}  // namespace

void AlignedDelete::operator()(std::byte* p) const {
  if (mapped) {
    munmap(p, mapped);
  } else {
    std::free(p);
  }
}

AlignedBytes allocate_bytes(uint64_t bytes) {
  const uint64_t rounded = ((bytes ? bytes : 1) + 511) & ~uint64_t{511};
  if (rounded > std::numeric_limits<size_t>::max()) throw std::bad_alloc();  // of 32 bits
  if (rounded >= kMapped) {
    void* p = mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    return AlignedBytes(static_cast<std::byte*>(p), AlignedDelete{rounded});
  }
  void* p = std::aligned_alloc(512, rounded);
  if (!p) throw std::bad_alloc();
  std::memset(p, 0, rounded);
  return AlignedBytes(static_cast<std::byte*>(p));
}

Memory::Memory() : impl_(std::make_unique<Impl>()) {}
Memory::~Memory() = default;
Memory::Memory(Memory&&) noexcept = default;
Memory& Memory::operator=(Memory&&) noexcept = default;

uint64_t Memory::allocate(std::string name, uint64_t bytes, bool read_only) {
  if (impl_->buffers.size() >= kMaxBuffers || bytes > kOffsetMask) throw std::bad_alloc();
  impl_->buffers.push_back({std::move(name), allocate_bytes(bytes), bytes, read_only, false});
  return uint64_t{impl_->buffers.size()} << kRegionShift;
}

Memory::Location Memory::locate(uint64_t address) const {
  const uint64_t index = address >> kRegionShift, offset = address & kOffsetMask;
  if (index == 0 || index > impl_->buffers.size()) return {};
  if (offset >= impl_->buffers[index - 1].bytes) return {};
  return {static_cast<int>(index) - 1, offset};
}

std::span<std::byte> Memory::bytes(uint64_t address) {
  const uint64_t index = address >> kRegionShift;
  if (index == 0 || index > impl_->buffers.size()) return {};
  Impl::Buffer& b = impl_->buffers[index - 1];
  if ((address & kOffsetMask) != 0 && (address & kOffsetMask) >= b.bytes) return {};
  return {b.data.get(), static_cast<size_t>(b.bytes)};
}

std::span<const std::byte> Memory::bytes(uint64_t address) const {
  return const_cast<Memory*>(this)->bytes(address);
}

// Pages of zeros are not written, so that the copy of what nobody has touched stays as it is.
Memory Memory::copy() const {
  static constexpr std::byte kZeros[4096]{};
  Memory to;
  for (const Impl::Buffer& b : impl_->buffers) {
    const std::span<std::byte> all = to.bytes(to.allocate(b.name, b.bytes, b.read_only));
    to.impl_->buffers.back().unwritten = b.unwritten;
    for (size_t at = 0; at < all.size(); at += sizeof kZeros) {
      const size_t n = std::min(sizeof kZeros, all.size() - at);
      if (std::memcmp(b.data.get() + at, kZeros, n) != 0) {
        std::memcpy(all.data() + at, b.data.get() + at, n);
      }
    }
  }
  return to;
}

void Memory::zero(uint64_t address) {
  const std::span<std::byte> all = bytes(address);
  if (all.empty()) return;
  const Impl::Buffer& b = impl_->buffers[(address >> kRegionShift) - 1];
  // Pages that nobody touched stay untouched.
  const uint64_t mapped = b.data.get_deleter().mapped;
  if (mapped && madvise(b.data.get(), mapped, MADV_DONTNEED) == 0) return;
  std::memset(all.data(), 0, all.size());
}

void Memory::expect_written_first(uint64_t address) {
  const uint64_t index = address >> kRegionShift;
  if (index >= 1 && index <= impl_->buffers.size()) impl_->buffers[index - 1].unwritten = true;
}

const std::string& Memory::name(int buffer) const {
  static const std::string none;
  if (buffer < 0 || static_cast<size_t>(buffer) >= impl_->buffers.size()) return none;
  return impl_->buffers[static_cast<size_t>(buffer)].name;
}

}  // namespace tilescope::emulator
