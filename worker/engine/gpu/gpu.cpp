#include "worker/engine/gpu/gpu.h"

#include <chrono>
#include <thread>
#include <utility>

#include "worker/engine/error.h"

namespace tilescope::worker {

std::shared_ptr<const CudaDriver> CudaDriver::open() {
  auto driver = std::make_shared<CudaDriver>();
  const std::string given = environment("TILESCOPE_CUDA_DRIVER");
  const std::vector<std::string> names =
      given.empty() ? std::vector<std::string>{"libcuda.so.1", "libcuda.so"}
                    : std::vector<std::string>{given};
  std::string why;
  driver->library_ = SharedLibrary::open(names, &why);
  if (!driver->library_) {
    // A library that was named may lie there and still not open: then the loader's reason counts.
    const std::string what =
        given.empty()
            ? "NVIDIA's driver library " + names.front() + " was not found"
            : "The driver library that TILESCOPE_CUDA_DRIVER names does not open (" + why + ")";
    fail(kMissing, what +
                       "; install the driver to measure on a GPU. The emulator and the recordings "
                       "work without it.");
  }
  const char* lacking = nullptr;
#define TILESCOPE_CUDA_FUNCTION(name, symbol, arguments) \
  if (!driver->library_->load(driver->functions_.name, symbol)) lacking = symbol;
  TILESCOPE_CUDA_FUNCTIONS(TILESCOPE_CUDA_FUNCTION)
#undef TILESCOPE_CUDA_FUNCTION
#define TILESCOPE_CUDA_FUNCTION(name, symbol, arguments) \
  driver->library_->load(driver->functions_.name, symbol);
  TILESCOPE_CUDA_GRAPH_FUNCTIONS(TILESCOPE_CUDA_FUNCTION)
  TILESCOPE_CUDA_TENSOR_FUNCTIONS(TILESCOPE_CUDA_FUNCTION)
  TILESCOPE_CUDA_CLUSTER_FUNCTIONS(TILESCOPE_CUDA_FUNCTION)
#undef TILESCOPE_CUDA_FUNCTION
  if (lacking) {
    fail(kMissing, "The driver library " + driver->library_->name() + " has no " + lacking +
                       "; update NVIDIA's driver to 525 (CUDA 12.0) or later.");
  }
  cuda::Result result = driver->functions_.init(0);
  // A driver that has lost its card may start and then not even count.
  if (result == cuda::kSuccess) result = driver->functions_.device_count(&driver->device_count_);
  // What a driver found at its start it may say for as long as the process lives.
  const nlohmann::json gone = {{"needs_reset", true}};
  if (result == cuda::kNoDevice) {
    fail(kMissing,
         "NVIDIA's driver is installed, but it sees no GPU; check nvidia-smi and "
         "CUDA_VISIBLE_DEVICES. The emulator and the recordings work without one.",
         gone);
  }
  if (result != cuda::kSuccess) {
    fail(kMissing,
         "NVIDIA's driver does not start (" + driver->name_of(result) +
             "); check nvidia-smi, and reboot if the driver was updated since the last "
             "start. The emulator and the recordings work without it.",
         gone);
  }
  return driver;
}

std::string CudaDriver::version() const {
  int version = 0;
  check(functions_.driver_version(&version), "to ask for the driver's version");
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string CudaDriver::name_of(cuda::Result error) const {
  const char* name = nullptr;
  if (functions_.error_name(error, &name) == cuda::kSuccess && name) return name;
  return "CUDA error " + std::to_string(error);
}

void CudaDriver::check(cuda::Result result, const std::string& doing,
                       const std::string& kernel) const {
  if (result == cuda::kSuccess) return;
  const std::string name = name_of(result);
  nlohmann::json data = {{"cuda_error", result}, {"cuda_error_name", name}};
  if (cuda::is_sticky(result)) data["fatal"] = true;
  if (cuda::needs_reset(result)) data["needs_reset"] = true;
  fail(result == cuda::kNoDevice ? kMissing : kFailed,
       failure_sentence(result, name, doing, kernel), std::move(data));
}

Gpu::Gpu(int ordinal, bool with_context) : driver_(CudaDriver::open()) {
  const cuda::Functions& f = driver_->call();
  const int count = driver_->device_count();
  if (ordinal < 0 || ordinal >= count) {
    fail(kMissing, "There is no GPU cuda:" + std::to_string(ordinal) + "; this machine has " +
                       std::to_string(count) + (count == 1 ? " GPU: cuda:0." : " GPUs."));
  }
  const std::string which = "cuda:" + std::to_string(ordinal);
  const auto check = [&](cuda::Result result, const std::string& doing) {
    // No kernel ran that could have done it: a card that others hold, or one that is gone.
    if (cuda::needs_reset(result)) {
      fail(kMissing, unavailable_sentence(which, driver_->name_of(result)),
           {{"needs_reset", true}});
    }
    driver_->check(result, doing);
  };
  check(f.device_get(&device_, ordinal), "to open " + which);
  char text[256] = {};
  check(f.device_name(text, sizeof text - 1, device_), "to ask for the GPU's name");
  name_ = text;
  if (f.device_pci_bus_id(text, sizeof text - 1, device_) == cuda::kSuccess) pci_bus_id_ = text;
  const auto attribute = [&](cuda::DeviceAttribute which_one) {
    int value = 0;
    check(f.device_attribute(&value, which_one, device_), "to ask for the GPU's limits");
    return value;
  };
  limits_.sm = attribute(cuda::kCapabilityMajor) * 10 + attribute(cuda::kCapabilityMinor);
  limits_.sm_count = attribute(cuda::kMultiprocessorCount);
  limits_.shared_per_block = attribute(cuda::kMaxSharedPerBlockOptin);
  limits_.shared_per_sm = attribute(cuda::kMaxSharedPerMultiprocessor);
  limits_.shared_reserved_per_block = attribute(cuda::kReservedSharedPerBlock);
  limits_.threads_per_block = attribute(cuda::kMaxThreadsPerBlock);
  limits_.threads_per_sm = attribute(cuda::kMaxThreadsPerMultiprocessor);
  limits_.ctas_per_sm = attribute(cuda::kMaxBlocksPerMultiprocessor);
  limits_.registers_per_sm = attribute(cuda::kMaxRegistersPerMultiprocessor);
  limits_.grid_y = attribute(cuda::kMaxGridDimY);
  l2_bytes_ = attribute(cuda::kL2CacheBytes);
  const auto may_be_known = [&](cuda::DeviceAttribute which_one) {
    int value = 0;
    return f.device_attribute(&value, which_one, device_) == cuda::kSuccess ? value : 0;
  };
  clock_mhz_ = may_be_known(cuda::kClockRateKhz) / 1e3;
  // Two transfers per clock, over so many bits.
  dram_gb_per_second_ =
      2e3 * may_be_known(cuda::kMemoryClockRateKhz) * may_be_known(cuda::kMemoryBusBits) / 8 / 1e9;
  if (!with_context) return;
  check(f.primary_retain(&context_, device_), "to open a context on " + name_);
  check(f.context_set(context_), "to use the context on " + name_);
  constexpr unsigned kNonBlocking = 1;
  check(f.stream_create(&stream_, kNonBlocking), "to make a stream");
  check(f.event_create(&done_, 0), "to make an event");
}

size_t Gpu::free_bytes() const {
  size_t free = 0, total = 0;
  driver_->check(driver_->call().memory_info(&free, &total), "to ask for free memory");
  return free;
}

void Gpu::use() const {
  driver_->check(driver_->call().context_set(context_), "to use the context on " + name_);
}

void Gpu::synchronize(const std::string& kernel) const {
  driver_->check(driver_->call().event_record(done_, stream_), "to wait for the GPU", kernel);
  wait(done_, kernel);
}

void Gpu::write_printed() const {
  driver_->check(driver_->call().stream_synchronize(stream_), "to read what was printed");
}

void Gpu::finish_copies() const {
  driver_->check(driver_->call().stream_synchronize(nullptr), "to copy to the GPU");
}

void Gpu::wait(cuda::Event event, const std::string& kernel) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  // Asking leaves a core to the rest of the machine; the time is taken on the GPU, not here.
  for (;;) {
    const cuda::Result result = driver_->call().event_query(event);
    if (result != cuda::kNotReady) return driver_->check(result, "to wait for the GPU", kernel);
    const Clock::time_point now = Clock::now();
    const double waited = std::chrono::duration<double>(now - begin).count();
    if (time_limit_ > 0 && waited > time_limit_) {
      stuck_ = true;
      fail(kFailed, too_long_sentence(kernel, time_limit_),
           {{"fatal", true}, {"time_limit", time_limit_}});
    }
    if (waiting_ && now - told_ > std::chrono::seconds(1)) {
      told_ = now;
      waiting_();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

GpuBuffer::GpuBuffer(const Gpu& gpu, size_t bytes) : gpu_(&gpu), bytes_(bytes) {
  const cuda::Result result = gpu.driver().call().allocate(&address_, bytes ? bytes : 1);
  if (result == cuda::kOutOfMemory) {
    address_ = 0;
    fail(kMissing, memory_sentence(gpu.name(), static_cast<double>(bytes),
                                   static_cast<double>(gpu.free_bytes())));
  }
  gpu.driver().check(result, "to allocate memory");
}
GpuBuffer::~GpuBuffer() {
  if (address_ != 0 && !gpu_->is_stuck()) gpu_->driver().call().free(address_);
}
void GpuBuffer::swap(GpuBuffer& other) {
  std::swap(gpu_, other.gpu_);
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
}
void GpuBuffer::read(void* to, size_t bytes) const {
  gpu_->driver().check(gpu_->driver().call().copy_to_host(to, address_, bytes),
                       "to copy from the GPU");
}

GpuModule::GpuModule(const Gpu& gpu, const std::vector<std::byte>& cubin, const std::string& ptx,
                     const std::string& made_by, const std::string& way_out)
    : gpu_(gpu) {
  const void* image = cubin.empty() ? static_cast<const void*>(ptx.c_str()) : cubin.data();
  // Why the driver's compiler refuses a PTX.
  constexpr size_t kLog = 4096;
  std::vector<char> log(kLog, '\0');
  int options[] = {cuda::kJitErrorLog, cuda::kJitErrorLogBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(kLog)};
  const auto load = [&](const void* from) {
    return gpu.driver().call().module_load_with(&module_, from, 2, options, values);
  };
  cuda::Result result = load(image);
  // Machine code that this driver has no use for: its own compiler may have some for the PTX.
  if (result == cuda::kNoBinaryForGpu && !cubin.empty() && !ptx.empty()) result = load(ptx.c_str());
  if (result == cuda::kInvalidImage || result == cuda::kNoBinaryForGpu ||
      result == cuda::kUnsupportedPtxVersion || result == cuda::kInvalidPtx) {
    // A driver that is too old is one that is missing; anything else is wrong with the code.
    log.back() = '\0';
    std::string error = gpu.driver().name_of(result);
    const std::string text = log.data();
    if (const std::string first = text.substr(0, text.find('\n')); !first.empty()) {
      error += ": " + first;
    }
    fail(result == cuda::kUnsupportedPtxVersion ? kMissing : kFailed,
         load_sentence(error, gpu.driver().version(), made_by, way_out), {{"cuda_error", result}});
  }
  gpu.driver().check(result, "to load the kernel");
}
GpuModule::~GpuModule() {
  if (module_ && !gpu_.is_stuck()) gpu_.driver().call().module_unload(module_);
}
cuda::Function GpuModule::function(const char* name) const {
  cuda::Function function = nullptr;
  gpu_.driver().check(gpu_.driver().call().module_function(&function, module_, name),
                      std::string("to find ") + name + " in the kernel's code");
  return function;
}
int GpuModule::attribute(cuda::Function function, cuda::FunctionAttribute attribute) const {
  int value = 0;
  gpu_.driver().check(gpu_.driver().call().function_attribute(&value, attribute, function),
                      "to ask for the kernel's registers");
  return value;
}

GpuEvent::GpuEvent(const Gpu& gpu) : gpu_(gpu) {
  gpu.driver().check(gpu.driver().call().event_create(&event_, 0), "to make an event");
}
GpuEvent::~GpuEvent() {
  if (event_ && !gpu_.is_stuck()) gpu_.driver().call().event_destroy(event_);
}
void GpuEvent::record(cuda::Stream stream) {
  gpu_.driver().check(gpu_.driver().call().event_record(event_, stream ? stream : gpu_.stream()),
                      "to record an event");
}
void GpuEvent::hold(cuda::Stream stream) const {
  gpu_.driver().check(gpu_.driver().call().stream_wait(stream, event_, 0), "to order two streams");
}
void GpuEvent::wait(const std::string& kernel) const { gpu_.wait(event_, kernel); }
double GpuEvent::microseconds_since(const GpuEvent& start) const {
  float ms = 0;
  gpu_.driver().check(gpu_.driver().call().event_elapsed(&ms, start.event_, event_),
                      "to read the time");
  return static_cast<double>(ms) * 1000.0;
}

void launch(const Gpu& gpu, cuda::Function function, const GpuLaunch& shape, void** parameters,
            const std::string& kernel, cuda::Stream stream) {
  if (shape.cluster_x != 0) {
    const auto launch_with = gpu.driver().call().launch_with;
    if (!launch_with) {
      fail(kUsage, "The driver has no cuLaunchKernelEx, by which " + kernel +
                       " is launched in clusters; update it to 520 (CUDA 11.8) or later.");
    }
    cuda::LaunchAttribute attribute;
    attribute.id = cuda::kClusterDimension;
    attribute.cluster[0] = shape.cluster_x;
    attribute.cluster[1] = shape.cluster_y;
    attribute.cluster[2] = shape.cluster_z;
    const cuda::LaunchConfig config{shape.grid_x,       shape.grid_y,
                                    shape.grid_z,       shape.threads,
                                    shape.threads_y,    shape.threads_z,
                                    shape.shared_bytes, stream ? stream : gpu.stream(),
                                    &attribute,         1};
    gpu.driver().check(launch_with(&config, function, parameters, nullptr),
                       "to launch " + kernel + " in clusters", kernel);
    return;
  }
  gpu.driver().check(
      gpu.driver().call().launch(function, shape.grid_x, shape.grid_y, shape.grid_z, shape.threads,
                                 shape.threads_y, shape.threads_z, shape.shared_bytes,
                                 stream ? stream : gpu.stream(), parameters, nullptr),
      "to launch " + kernel, kernel);
}

GpuStream::GpuStream(const Gpu& gpu) : gpu_(gpu) {
  constexpr unsigned kNonBlocking = 1;
  constexpr int kHigh = -100;  // drivers take the highest that they have
  gpu.driver().check(gpu.driver().call().stream_create_priority(&stream_, kNonBlocking, kHigh),
                     "to make a stream");
}
GpuStream::~GpuStream() {
  if (stream_ && !gpu_.is_stuck()) gpu_.driver().call().stream_destroy(stream_);
}

}  // namespace tilescope::worker
