// Launches, streams and events: everything here returns before the work is done, and a fault shows
// in a later call, as on a GPU.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include <unistd.h>

#include "tests/driver/emulated_device.h"

namespace tilescope::emulated_driver {

void WorkQueue::push(std::function<void()> work) {
  const std::lock_guard lock(progress_.mutex);
  waiting_.push_back(std::move(work));
  ++unfinished_;
  if (!std::exchange(started_, true)) std::thread([this] { run(); }).detach();
  progress_.changed.notify_all();
}

void WorkQueue::run() {
  std::unique_lock lock(progress_.mutex);
  for (;;) {
    progress_.changed.wait(lock, [this] { return !waiting_.empty(); });
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    if (progress_.sticky == cuda::kSuccess) {
      lock.unlock();
      work();
      lock.lock();
    }
    --unfinished_;
    progress_.changed.notify_all();
  }
}

void WorkQueue::wait() {
  std::unique_lock lock(progress_.mutex);
  progress_.changed.wait(lock,
                         [this] { return unfinished_ == 0 || progress_.sticky != cuda::kSuccess; });
}

std::shared_ptr<WorkQueue> Device::stream_of(cuda::Stream stream) {
  if (!stream) return legacy;
  const std::lock_guard lock(streams_mutex);
  for (const auto& queue : streams) {
    if (reinterpret_cast<cuda::Stream>(queue.get()) == stream) return queue;
  }
  return nullptr;
}

void Device::wait_for_all() {
  std::vector<std::shared_ptr<WorkQueue>> all{legacy};
  {
    const std::lock_guard lock(streams_mutex);
    all.insert(all.end(), streams.begin(), streams.end());
  }
  for (const auto& queue : all) queue->wait();
}

namespace {

// Of the device's clock: enough that one launch is a sample, whatever the kernel.
constexpr uint64_t kLaunchNanoseconds = 50'000;

[[noreturn]] void hang() {
  leave_mark("hanging-" + std::to_string(getpid()));
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// The work of a launch, in the stream's thread.
void execute(Device& device, const LoadedFunction& function, const emulator::Launch& launch) {
  const LoadedModule& module = *function.module;
  const Faults& faults = driver().faults;
  const std::string& entry = function.entry.name;
  if (faults.hangs(device.ordinal, *module.program, module.ptx, entry)) hang();
  const Result wished = faults.of_kernel(device.ordinal, *module.program, module.ptx, entry);
  if (wished != cuda::kSuccess) return device.progress.fail(wished);
  emulator::RunResult ran;
  {
    const std::lock_guard lock(device.executing);
    emulator::RunOptions options;
    const uint64_t ctas = uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    if (ctas >= 64) {  // else more threads cost more than they save
      options.threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
    }
    ran = emulator::run(*module.program, entry, launch, device.memory.emulated(), options);
  }
  device.nanoseconds += kLaunchNanoseconds + ran.counts.warp_instructions;
  if (!ran.output.empty()) {
    std::fwrite(ran.output.data(), 1, ran.output.size(), stdout);
    std::fflush(stdout);
  }
  // Warps that wait for each other wait for ever on a GPU.
  if (ran.fault && ran.fault->kind == emulator::Fault::Kind::deadlock) hang();
  if (const Result result = result_of(ran); result != cuda::kSuccess) device.progress.fail(result);
}

/// What a GPU checks before it takes a launch.
bool fits(const LoadedFunction& function, const emulator::Launch& launch) {
  const emulator::Dim3 &grid = launch.grid, &block = launch.block;
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  const uint32_t most = function.entry.max_threads ? function.entry.max_threads : 1024;
  return threads > 0 && threads <= most && grid.x > 0 && grid.x <= 0x7fffffffu && grid.y > 0 &&
         grid.y <= 65535 && grid.z > 0 && grid.z <= 65535 &&
         launch.dynamic_shared_bytes <= function.dynamic_shared_limit;
}

}  // namespace
}  // namespace tilescope::emulated_driver

extern "C" {

using namespace tilescope::emulated_driver;
namespace emulator = tilescope::emulator;

Result cuLaunchKernelEx(const cuda::LaunchConfig* config, cuda::Function function,
                        void** parameters, void** extra) {
  return on_current([&](Device& device) -> Result {
    const auto found = device.functions.find(function);
    const auto queue = device.stream_of(config->stream);
    if (!found || !queue) return kInvalidHandle;
    emulator::Launch launch{{config->grid_x, config->grid_y, config->grid_z},
                            {config->block_x, config->block_y, config->block_z},
                            config->shared_bytes,
                            {}};
    for (unsigned i = 0; i < config->count; ++i) {
      const cuda::LaunchAttribute& attribute = config->attributes[i];
      if (attribute.id != cuda::kClusterDimension) return kNotSupported;
      launch.cluster = {attribute.cluster[0], attribute.cluster[1], attribute.cluster[2]};
    }
    if (extra || !fits(*found, launch)) return cuda::kInvalidValue;
    launch.parameters.resize(found->entry.parameter_bytes);
    for (size_t i = 0; i < found->entry.parameters.size(); ++i) {
      const emulator::Parameter& p = found->entry.parameters[i];
      std::memcpy(launch.parameters.data() + p.offset, parameters[i], p.bytes);
    }
    if (const auto lost = device.lost_amid(Call::launch)) {
      queue->push([&device, result = *lost] { device.lose(result); });
      return cuda::kSuccess;
    }
    // A copy: the module may be unloaded before its turn comes.
    queue->push([&device, function = *found, launch] { execute(device, function, launch); });
    return cuda::kSuccess;
  });
}

Result cuLaunchKernel(cuda::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                      cuda::Stream stream, void** parameters, void** extra) {
  const cuda::LaunchConfig config{grid_x,  grid_y,       grid_z, block_x, block_y,
                                  block_z, shared_bytes, stream, nullptr, 0};
  return cuLaunchKernelEx(&config, function, parameters, extra);
}

Result cuStreamCreate(cuda::Stream* stream, unsigned flags) {
  constexpr unsigned kNonBlocking = 1;
  return on_current([&](Device& device) -> Result {
    if (flags != kNonBlocking) return kNotSupported;  // none that waits for the legacy stream
    const std::lock_guard lock(device.streams_mutex);
    device.streams.push_back(std::make_shared<WorkQueue>(device.progress));
    *stream = reinterpret_cast<cuda::Stream>(device.streams.back().get());
    return cuda::kSuccess;
  });
}
Result cuStreamCreateWithPriority(cuda::Stream* stream, unsigned flags, int) {
  return cuStreamCreate(stream, flags);
}
Result cuStreamDestroy_v2(cuda::Stream stream) {
  return on_current([&](Device& device) -> Result {
    const auto queue = device.stream_of(stream);
    if (!queue) return kInvalidHandle;
    queue->wait();  // its thread stays, without work
    return cuda::kSuccess;
  });
}
Result cuStreamWaitEvent(cuda::Stream stream, cuda::Event event, unsigned) {
  return on_current([&](Device& device) -> Result {
    const auto found = device.events.find(event);
    const auto queue = device.stream_of(stream);
    if (!found || !queue) return kInvalidHandle;
    uint64_t number = 0;
    {
      const std::lock_guard lock(device.progress.mutex);
      number = found->recorded;
    }
    queue->push([&device, found, number] {
      std::unique_lock lock(device.progress.mutex);
      device.progress.changed.wait(lock, [&] {
        return found->passed >= number || device.progress.sticky != cuda::kSuccess;
      });
    });
    return cuda::kSuccess;
  });
}
Result cuStreamSynchronize(cuda::Stream stream) {
  return on_current(Call::synchronize, [&](Device& device) -> Result {
    const auto queue = device.stream_of(stream);
    if (!queue) return kInvalidHandle;
    queue->wait();
    return device.progress.failure();
  });
}

Result cuEventCreate(cuda::Event* event, unsigned) {
  return on_current([&](Device& device) {
    *event = static_cast<cuda::Event>(device.events.add(std::make_shared<RecordedEvent>()));
    return cuda::kSuccess;
  });
}
Result cuEventDestroy_v2(cuda::Event event) {
  return on_current([&](Device& device) {
    return device.events.remove(event) ? Result{cuda::kSuccess} : Result{kInvalidHandle};
  });
}
Result cuEventRecord(cuda::Event event, cuda::Stream stream) {
  return on_current([&](Device& device) -> Result {
    const auto found = device.events.find(event);
    const auto queue = device.stream_of(stream);
    if (!found || !queue) return kInvalidHandle;
    uint64_t number = 0;
    {
      const std::lock_guard lock(device.progress.mutex);
      number = ++found->recorded;
    }
    queue->push([&device, found, number] {
      const std::lock_guard lock(device.progress.mutex);
      found->passed = number;
      found->nanoseconds = device.nanoseconds;
    });
    return cuda::kSuccess;
  });
}
Result cuEventQuery(cuda::Event event) {
  return on_current(Call::query, [&](Device& device) -> Result {
    const auto found = device.events.find(event);
    if (!found) return kInvalidHandle;
    const std::lock_guard lock(device.progress.mutex);
    if (device.progress.sticky != cuda::kSuccess) return device.progress.sticky;
    return found->passed == found->recorded ? cuda::kSuccess : cuda::kNotReady;
  });
}
Result cuEventElapsedTime(float* ms, cuda::Event start, cuda::Event end) {
  return on_current([&](Device& device) -> Result {
    const auto from = device.events.find(start), to = device.events.find(end);
    if (!from || !to) return kInvalidHandle;
    const std::lock_guard lock(device.progress.mutex);
    if (from->recorded == 0 || to->recorded == 0) return kInvalidHandle;
    if (from->passed != from->recorded || to->passed != to->recorded) return cuda::kNotReady;
    *ms = static_cast<float>(
        (static_cast<double>(to->nanoseconds) - static_cast<double>(from->nanoseconds)) * 1e-6);
    return cuda::kSuccess;
  });
}

}  // extern "C"
