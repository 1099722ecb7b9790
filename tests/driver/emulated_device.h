// One emulated GPU with its primary context: what all entry points work on.
#pragma once
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/emulator.h"
#include "tests/driver/faults.h"

namespace tilescope::emulated_driver {

// Beside those that the worker knows.
enum : Result {
  kNotInitialized = 3,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotSupported = 801,
};

constexpr int kMostSharedBytes = 227 << 10;  // a block, static and dynamic together

/// The memory of a card: really given back when freed, so that what is free is what is left.
class DeviceMemory {
 public:
  explicit DeviceMemory(uint64_t total) : total_(total) {}
  Result allocate(uint64_t bytes, uint64_t& address);
  Result release(uint64_t address);
  /// `bytes` from `address` on; empty if not all of them lie in one allocation.
  std::span<std::byte> at(uint64_t address, uint64_t bytes);
  bool contains(uint64_t address, uint64_t bytes) {
    return bytes == 0 || !at(address, bytes).empty();
  }
  uint64_t total() const { return total_; }
  uint64_t free_bytes() const { return total_ - used_; }
  emulator::Memory& emulated() { return memory_; }

 private:
  emulator::Memory memory_;
  std::map<uint64_t, uint64_t> allocated_;  // address → bytes that it takes
  std::deque<uint64_t> freed_;              // addresses, the longest free first
  uint64_t total_, used_ = 0;
};

/// How far the work of a context is; shared by its streams and by those who wait for them.
struct Progress {
  std::mutex mutex;
  std::condition_variable changed;
  Result sticky = cuda::kSuccess;  // set once: from then on every call returns it

  Result failure() {
    const std::lock_guard lock(mutex);
    return sticky;
  }
  void fail(Result result) {
    const std::lock_guard lock(mutex);
    if (sticky == cuda::kSuccess) sticky = result;
    changed.notify_all();
  }
};

/// A stream: its work is done in order by a thread of its own, and beside that of other streams.
class WorkQueue {
 public:
  explicit WorkQueue(Progress& progress) : progress_(progress) {}
  void push(std::function<void()> work);
  /// Until all is done, or the context is dead.
  void wait();

 private:
  void run();
  Progress& progress_;
  std::deque<std::function<void()>> waiting_;
  size_t unfinished_ = 0;
  bool started_ = false;
};

struct LoadedModule {
  std::shared_ptr<const emulator::Program> program;
  std::string ptx;
};
struct LoadedFunction {
  std::shared_ptr<const LoadedModule> module;
  const void* module_handle = nullptr;
  emulator::EntryInfo entry;
  uint32_t dynamic_shared_limit = 48u << 10;  // until more is asked for
};
struct RecordedEvent {                // guarded by Progress::mutex
  uint64_t recorded = 0, passed = 0;  // how often
  uint64_t nanoseconds = 0;           // of the device's clock, when passed
};

/// What the driver's opaque handles stand for. A stale one is found, not followed.
template <class Object>
class Handles {
 public:
  void* add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    void* handle = object.get();
    objects_[handle] = std::move(object);
    return handle;
  }
  std::shared_ptr<Object> find(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }
  bool remove(const void* handle) {
    const std::lock_guard lock(mutex_);
    return objects_.erase(handle) == 1;
  }
  template <class Condition>
  void remove_if(const Condition& condition) {
    const std::lock_guard lock(mutex_);
    std::erase_if(objects_, [&](const auto& entry) { return condition(*entry.second); });
  }

 private:
  std::mutex mutex_;
  std::map<const void*, std::shared_ptr<Object>> objects_;
};

struct Device {
  Device(int number, int capability_times_ten, uint64_t memory_bytes)
      : ordinal(number), sm(capability_times_ten), memory(memory_bytes) {}
  /// The stream that a handle names; null is the legacy one.
  std::shared_ptr<WorkQueue> stream_of(cuda::Stream stream);
  void wait_for_all();
  /// What the card answers from this call on, if it is the one that it is lost with.
  std::optional<Result> lost_amid(Call call);
  Result lose(Result result);

  const int ordinal, sm;
  std::mutex executing;   // one piece of work at a time
  std::mutex allocating;  // where memory is; taken after the former
  DeviceMemory memory;
  uint64_t allocations = 0;  // so far
  Progress progress;
  std::shared_ptr<WorkQueue> legacy = std::make_shared<WorkQueue>(progress);
  std::mutex streams_mutex;
  std::vector<std::shared_ptr<WorkQueue>> streams;
  std::array<std::atomic<uint64_t>, kCalls> calls = {};  // so far
  /// Advances by what is executed, not by what the machine takes for it: the same work takes the
  /// same time, however busy the machine is.
  std::atomic<uint64_t> nanoseconds = 0;
  Handles<LoadedModule> modules;
  Handles<LoadedFunction> functions;
  Handles<RecordedEvent> events;
};

/// Never destroyed: its threads may work until the process is gone.
struct Driver {
  std::atomic<bool> initialized = false;
  Faults faults;
  int version = 0;
  std::vector<std::unique_ptr<Device>> devices;
};
Driver& driver();

/// The device of the calling thread's context; null if none is set.
Device*& current_device();

/// Calls work unless there is no context, or it is dead.
template <class Work>
Result on_current(const Work& work) {
  if (!driver().initialized) return kNotInitialized;
  Device* device = current_device();
  if (!device) return kInvalidContext;
  if (const Result dead = device->progress.failure(); dead != cuda::kSuccess) return dead;
  return work(*device);
}
/// One of the calls amid which the card may be lost.
template <class Work>
Result on_current(Call call, const Work& work) {
  return on_current([&](Device& device) -> Result {
    if (const auto lost = device.lost_amid(call)) return device.lose(*lost);
    return work(device);
  });
}

}  // namespace tilescope::emulated_driver
