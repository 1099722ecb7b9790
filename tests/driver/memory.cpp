// Memory: allocations, copies, fills. What is asynchronous in CUDA is queued in its stream here.
#include <cstring>
#include <new>

#include "emulator/compile/code.h"
#include "emulator/machine/memory_impl.h"
#include "tests/driver/emulated_device.h"

namespace tilescope::emulated_driver {
namespace {

constexpr uint64_t kGranule = 512;
// Fresh memory holds what was there before, on a GPU: never the zeros that hide a missing fill.
constexpr int kGarbage = 0xcd;
constexpr uint64_t kMostGarbage = 16u << 20;  // touching more would only cost time

uint64_t rounded(uint64_t bytes) { return (bytes + kGranule - 1) / kGranule * kGranule; }

}  // namespace

Result DeviceMemory::allocate(uint64_t bytes, uint64_t& address) {
  if (bytes == 0) return cuda::kInvalidValue;
  if (bytes > free_bytes() || rounded(bytes) > free_bytes()) return cuda::kOutOfMemory;
  auto& buffers = memory_.impl().buffers;
  try {
    // A new range of addresses as long as there are any, so that a stale pointer meets nothing.
    try {
      address = memory_.allocate("device memory", bytes);
    } catch (const std::bad_alloc&) {
      if (freed_.empty()) return cuda::kOutOfMemory;
      auto data = emulator::allocate_bytes(bytes);
      address = freed_.front();
      freed_.pop_front();
      emulator::Memory::Impl::Buffer& buffer = buffers[(address >> emulator::kRegionShift) - 1];
      buffer.data = std::move(data);
      buffer.bytes = bytes;
    }
  } catch (const std::bad_alloc&) {
    return cuda::kOutOfMemory;
  }
  const auto whole = memory_.bytes(address);
  std::memset(whole.data(), kGarbage, std::min<uint64_t>(whole.size(), kMostGarbage));
  allocated_[address] = rounded(bytes);
  used_ += rounded(bytes);
  return cuda::kSuccess;
}

Result DeviceMemory::release(uint64_t address) {
  const auto found = allocated_.find(address);
  if (found == allocated_.end()) return cuda::kInvalidValue;
  used_ -= found->second;
  allocated_.erase(found);
  // The emulator has no free of its own: an empty buffer stays, which no access can hit.
  auto& buffer = memory_.impl().buffers[(address >> emulator::kRegionShift) - 1];
  buffer.data = emulator::allocate_bytes(0);
  buffer.bytes = 0;
  freed_.push_back(address);
  return cuda::kSuccess;
}

std::span<std::byte> DeviceMemory::at(uint64_t address, uint64_t bytes) {
  const emulator::Memory::Location place = memory_.locate(address);
  if (place.buffer < 0) return {};
  const auto whole = memory_.bytes(address);
  if (bytes > whole.size() - place.offset) return {};
  return whole.subspan(place.offset, bytes);
}

namespace {

/// A copy between host and device: the legacy stream's, and done when the call returns.
template <class Copy>
Result copy_now(cuda::DevicePointer address, size_t bytes, const Copy& copy) {
  return on_current(Call::copy, [&](Device& device) -> Result {
    device.legacy->wait();
    if (const Result dead = device.progress.failure(); dead != cuda::kSuccess) return dead;
    const std::lock_guard lock(device.executing);
    if (!device.memory.contains(address, bytes)) return cuda::kInvalidValue;
    copy(device.memory.at(address, bytes).data());
    return cuda::kSuccess;
  });
}

/// Queues `work`, which touches `bytes` of memory.
template <class Work>
Result queue(Device& device, cuda::Stream stream, uint64_t bytes, Work work) {
  const auto queue = device.stream_of(stream);
  if (!queue) return kInvalidHandle;
  queue->push([&device, bytes, work = std::move(work)] {
    const std::lock_guard lock(device.executing);
    work();
    device.nanoseconds += 1000 + bytes / 1000;
  });
  return cuda::kSuccess;
}

}  // namespace
}  // namespace tilescope::emulated_driver

extern "C" {

using namespace tilescope::emulated_driver;

Result cuMemGetInfo_v2(size_t* free, size_t* total) {
  return on_current([&](Device& device) {
    const std::lock_guard lock(device.allocating);
    *free = device.memory.free_bytes();
    *total = device.memory.total();
    return cuda::kSuccess;
  });
}
Result cuMemAlloc_v2(cuda::DevicePointer* pointer, size_t bytes) {
  return on_current([&](Device& device) -> Result {
    const std::scoped_lock lock(device.executing, device.allocating);
    if (driver().faults.fails_to_allocate(device.ordinal, ++device.allocations, bytes)) {
      return cuda::kOutOfMemory;
    }
    uint64_t address = 0;
    const Result result = device.memory.allocate(bytes, address);
    if (result == cuda::kSuccess) *pointer = address;
    return result;
  });
}
Result cuMemFree_v2(cuda::DevicePointer pointer) {
  return on_current([&](Device& device) -> Result {
    if (pointer == 0) return cuda::kSuccess;
    device.wait_for_all();  // as the real one does: nobody may still use it
    if (const Result dead = device.progress.failure(); dead != cuda::kSuccess) return dead;
    const std::scoped_lock lock(device.executing, device.allocating);
    return device.memory.release(pointer);
  });
}
Result cuMemcpyHtoD_v2(cuda::DevicePointer to, const void* from, size_t bytes) {
  return copy_now(to, bytes, [&](std::byte* at) { std::memcpy(at, from, bytes); });
}
Result cuMemcpyDtoH_v2(void* to, cuda::DevicePointer from, size_t bytes) {
  return copy_now(from, bytes, [&](const std::byte* at) { std::memcpy(to, at, bytes); });
}
Result cuMemcpyDtoDAsync_v2(cuda::DevicePointer to, cuda::DevicePointer from, size_t bytes,
                            cuda::Stream stream) {
  return on_current(Call::copy, [&](Device& device) -> Result {
    const std::lock_guard lock(device.allocating);  // not that of what runs: the call does not wait
    DeviceMemory& memory = device.memory;
    if (!memory.contains(to, bytes) || !memory.contains(from, bytes)) return cuda::kInvalidValue;
    return queue(device, stream, bytes, [&memory, to, from, bytes] {
      std::memmove(memory.at(to, bytes).data(), memory.at(from, bytes).data(), bytes);
    });
  });
}
Result cuMemsetD32Async(cuda::DevicePointer to, unsigned value, size_t count, cuda::Stream stream) {
  return on_current(Call::copy, [&](Device& device) -> Result {
    const std::lock_guard lock(device.allocating);  // not that of what runs: the call does not wait
    DeviceMemory& memory = device.memory;
    if (to % 4 != 0 || !memory.contains(to, 4 * count)) return cuda::kInvalidValue;
    return queue(device, stream, 4 * count, [&memory, to, value, count] {
      std::byte* at = memory.at(to, 4 * count).data();
      for (size_t i = 0; i < count; ++i) std::memcpy(at + 4 * i, &value, 4);
    });
  });
}

}  // extern "C"
