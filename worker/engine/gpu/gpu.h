// One GPU: driver library, primary context, memory, modules, launches, events. All failures are one
// sentence; sticky ones carry data["fatal"], upon which the process ends itself.
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/layout/device_limits.h"
#include "worker/engine/gpu/cuda_api.h"
#include "worker/engine/shared_library.h"

namespace tilescope::worker {

class CudaDriver {
 public:
  /// TILESCOPE_CUDA_DRIVER (a library), else libcuda.so.1. Fails with exit code 3.
  static std::shared_ptr<const CudaDriver> open();

  const cuda::Functions& call() const { return functions_; }
  int device_count() const { return device_count_; }
  std::string version() const;  // "13.0": what the driver supports
  std::string name_of(cuda::Result error) const;
  /// Fails unless `result` is success. `doing`: "to allocate 4.0 GB"; `kernel`, if one was running.
  void check(cuda::Result result, const std::string& doing, const std::string& kernel = {}) const;

 private:
  std::unique_ptr<SharedLibrary> library_;
  cuda::Functions functions_;
  int device_count_ = 0;
};

class Gpu {
 public:
  /// Without a context it can only be asked what it is; making one takes a third of a second.
  explicit Gpu(int ordinal, bool with_context = true);

  const CudaDriver& driver() const { return *driver_; }
  const std::string& name() const { return name_; }
  const std::string& pci_bus_id() const { return pci_bus_id_; }
  const DeviceLimits& limits() const { return limits_; }
  int l2_bytes() const { return l2_bytes_; }
  double clock_mhz() const { return clock_mhz_; }                    // 0 = unknown
  double dram_gb_per_second() const { return dram_gb_per_second_; }  // 0 = unknown
  std::string arch() const { return "sm_" + std::to_string(limits_.sm); }
  size_t free_bytes() const;
  /// Makes the context that of the calling thread; the thread that made the Gpu needs no call.
  void use() const;
  cuda::Stream stream() const { return stream_; }
  /// Until all that was launched is done; see set_time_limit().
  void synchronize(const std::string& kernel = {}) const;
  /// The driver writes what kernels have printed, which it keeps until somebody waits for the card
  /// in this way, to standard output. After synchronize().
  void write_printed() const;
  /// Until what was copied to the card by now is there: the copies are no stream's of ours.
  void finish_copies() const;
  /// Seconds that `kernel` may still take once it is waited for; 0 = as long as it takes. A kernel
  /// that takes longer may never end, and only the end of the process stops it.
  void set_time_limit(double seconds) { time_limit_ = seconds; }
  /// Called once a second from wait(), over however many of them, as long as the driver answers;
  /// empty: nobody is told.
  void tell_waiting(std::function<void()> told) {
    waiting_ = std::move(told);
    told_ = std::chrono::steady_clock::now();
  }
  /// Asks for the event until it is there. Fails for good when the time is up.
  void wait(cuda::Event event, const std::string& kernel) const;
  /// True once a kernel was not done in time. Freeing anything would wait for that kernel, so from
  /// then on nothing is freed: the failure can be reported, and then the process ends.
  bool is_stuck() const { return stuck_; }

 private:
  std::shared_ptr<const CudaDriver> driver_;
  cuda::Device device_ = 0;
  cuda::Context context_ = nullptr;  // primary: shared with libraries, kept until the process ends
  cuda::Stream stream_ = nullptr;
  cuda::Event done_ = nullptr;  // of synchronize()
  double time_limit_ = 0;
  std::function<void()> waiting_;
  mutable std::chrono::steady_clock::time_point told_;
  mutable bool stuck_ = false;
  std::string name_, pci_bus_id_;
  DeviceLimits limits_;
  int l2_bytes_ = 0;
  double clock_mhz_ = 0, dram_gb_per_second_ = 0;
};

/// Device memory, freed at the end.
class GpuBuffer {
 public:
  GpuBuffer() = default;
  GpuBuffer(const Gpu& gpu, size_t bytes);
  GpuBuffer(GpuBuffer&& other) noexcept { swap(other); }
  GpuBuffer& operator=(GpuBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~GpuBuffer();
  cuda::DevicePointer address() const { return address_; }
  size_t bytes() const { return bytes_; }
  void read(void* to, size_t bytes) const;

 private:
  void swap(GpuBuffer& other);
  const Gpu* gpu_ = nullptr;
  cuda::DevicePointer address_ = 0;
  size_t bytes_ = 0;
};

/// A loaded cubin (or PTX, zero-terminated).
class GpuModule {
 public:
  /// Code that the driver does not load fails with load_sentence().
  GpuModule(const Gpu& gpu, const std::vector<std::byte>& cubin, const std::string& ptx,
            const std::string& made_by, const std::string& way_out = {});
  ~GpuModule();
  GpuModule(const GpuModule&) = delete;
  cuda::Function function(const char* name) const;
  int attribute(cuda::Function function, cuda::FunctionAttribute attribute) const;

 private:
  const Gpu& gpu_;
  cuda::Module module_ = nullptr;
};

class GpuEvent {
 public:
  explicit GpuEvent(const Gpu& gpu);
  ~GpuEvent();
  GpuEvent(const GpuEvent&) = delete;
  /// On the card's usual stream unless another is given.
  void record(cuda::Stream stream = nullptr);
  /// Makes what is enqueued on a stream from here on wait for the event.
  void hold(cuda::Stream stream) const;
  /// Until the GPU has passed the event. `kernel` is what ran before it.
  void wait(const std::string& kernel) const;
  double microseconds_since(const GpuEvent& start) const;

 private:
  const Gpu& gpu_;
  cuda::Event event_ = nullptr;
};

struct GpuLaunch {
  unsigned grid_x = 1, grid_y = 1, grid_z = 1, threads = 1, shared_bytes = 0;
  unsigned threads_y = 1, threads_z = 1;                 // `threads` are those along x
  unsigned cluster_x = 0, cluster_y = 0, cluster_z = 0;  // CTAs of a cluster; 0: as the kernel says
};
/// On the card's usual stream unless another is given.
void launch(const Gpu& gpu, cuda::Function function, const GpuLaunch& shape, void** parameters,
            const std::string& kernel, cuda::Stream stream = nullptr);
/// Lines of a matrix: the first, and bytes from one to the next.
struct GpuLines {
  cuda::DevicePointer first = 0;
  size_t pitch = 0;
};

/// A stream beside the card's usual one, whose work goes first where there is a choice.
class GpuStream {
 public:
  explicit GpuStream(const Gpu& gpu);
  ~GpuStream();
  GpuStream(const GpuStream&) = delete;
  cuda::Stream get() const { return stream_; }

 private:
  const Gpu& gpu_;
  cuda::Stream stream_ = nullptr;
};

/// "needs 6.0 GB, 4.1 GB free" before anything is allocated.
std::string memory_sentence(const std::string& device, double needed, double free);
/// What a failed driver call means to a person.
std::string failure_sentence(cuda::Result error, const std::string& name, const std::string& doing,
                             const std::string& kernel);
/// A launch that takes longer than it may.
std::string too_long_sentence(const std::string& kernel, double seconds);
/// A card that cannot be opened. `which`: "cuda:1".
std::string unavailable_sentence(const std::string& which, const std::string& error);
/// A module that does not load: which versions do not fit, and the fix, for code that the worker
/// made itself unless `way_out` says another.
std::string load_sentence(const std::string& error, const std::string& driver,
                          const std::string& made_by, const std::string& way_out = {});

}  // namespace tilescope::worker
