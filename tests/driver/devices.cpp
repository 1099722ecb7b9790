// The driver itself, its devices and their contexts, and the names of errors.
//
//   TILESCOPE_EMULATED_DEVICES     how many GPUs there are (1)
//   TILESCOPE_EMULATED_CAPABILITY  their compute capability (9.9, which no NVRTC lists: so the
//                                  worker has to hand over PTX)
//   TILESCOPE_EMULATED_MEMORY      bytes of each (1 GiB)
//   TILESCOPE_EMULATED_DRIVER      the CUDA version that the driver supports (13.9)
#include <cstdlib>
#include <cstring>

#include "tests/driver/emulated_device.h"

namespace tilescope::emulated_driver {
namespace {

/// "13.0" → 13 × factor + 0 × smaller.
int version_of(const std::string& text, int factor, int smaller) {
  const size_t dot = text.find('.');
  const int minor = dot == text.npos ? 0 : std::stoi(text.substr(dot + 1));
  return std::stoi(text) * factor + minor * smaller;
}

std::string lost_mark(int ordinal) { return "lost-" + std::to_string(ordinal); }

bool is_back(int ordinal) { return has_mark("back-" + std::to_string(ordinal)); }

/// What a card that is lost answers every process.
Result answer_of(int ordinal) {
  if (!has_mark(lost_mark(ordinal)) || is_back(ordinal)) return cuda::kSuccess;
  const Result result = std::atoi(text_of_mark(lost_mark(ordinal)).c_str());
  return result != cuda::kSuccess ? result : Result{cuda::kDeviceUnavailable};
}

/// Why the driver itself does not start, as of a real one that has no other card: these two it says
/// of itself, others of a card.
Result refused_start(int count) {
  Result answer = cuda::kSuccess;
  for (int i = 0; i < count; ++i) {
    answer = answer_of(i);
    if (answer != cuda::kUnknown && answer != cuda::kSystemNotReady) return cuda::kSuccess;
  }
  return answer;
}

Result start() {
  static std::mutex once;
  // For as long as the process lives: a driver that did not start looks for no card again.
  static Result refused = cuda::kSuccess;
  const std::lock_guard lock(once);
  Driver& d = driver();
  if (d.initialized) return cuda::kSuccess;
  d.faults = Faults::read();
  if (!d.faults.understood()) return cuda::kInvalidValue;
  if (const Result fault = d.faults.of_init(); fault != cuda::kSuccess) return fault;
  d.version = version_of(text_of_environment("TILESCOPE_EMULATED_DRIVER", "13.9"), 1000, 10);
  const int sm = version_of(text_of_environment("TILESCOPE_EMULATED_CAPABILITY", "9.9"), 10, 1);
  const uint64_t bytes = number_of_environment("TILESCOPE_EMULATED_MEMORY", uint64_t{1} << 30);
  const auto count = static_cast<int>(number_of_environment("TILESCOPE_EMULATED_DEVICES", 1));
  if (refused == cuda::kSuccess) refused = refused_start(count);
  if (refused != cuda::kSuccess) return refused;
  for (int i = 0; i < count; ++i) d.devices.push_back(std::make_unique<Device>(i, sm, bytes));
  if (count == 0) return cuda::kNoDevice;
  d.initialized = true;
  return cuda::kSuccess;
}

/// Calls work with the device that was meant, if it is there and well.
template <class Work>
Result on_device(cuda::Device ordinal, const Work& work) {
  Driver& d = driver();
  if (!d.initialized) return kNotInitialized;
  if (ordinal < 0 || ordinal >= static_cast<int>(d.devices.size())) return kInvalidDevice;
  if (const Result lost = answer_of(ordinal); lost != cuda::kSuccess) return lost;
  return work(*d.devices[static_cast<size_t>(ordinal)]);
}

Result put_text(char* to, int size, const std::string& text) {
  if (size <= 0) return cuda::kInvalidValue;
  std::strncpy(to, text.c_str(), static_cast<size_t>(size) - 1);
  to[size - 1] = '\0';
  return cuda::kSuccess;
}

// A small card: two of an H200's multiprocessors' worth, with the same limits a block.
int attribute_of(const Device& device, int attribute) {
  switch (attribute) {
    case cuda::kMaxThreadsPerBlock:
      return 1024;
    case cuda::kMaxGridDimY:
      return 65535;
    case cuda::kClockRateKhz:
      return 1'000'000;
    case cuda::kMultiprocessorCount:
      return 2;
    case cuda::kL2CacheBytes:
      return 1 << 20;
    case cuda::kMaxThreadsPerMultiprocessor:
      return 2048;
    case cuda::kCapabilityMajor:
      return device.sm / 10;
    case cuda::kCapabilityMinor:
      return device.sm % 10;
    case cuda::kMaxSharedPerMultiprocessor:
      return 228 << 10;
    case cuda::kMaxRegistersPerMultiprocessor:
      return 65536;
    case cuda::kMaxSharedPerBlockOptin:
      return kMostSharedBytes;
    case cuda::kMaxBlocksPerMultiprocessor:
      return 32;
    case cuda::kReservedSharedPerBlock:
      return 1024;
    default:
      return -1;
  }
}

constexpr std::pair<Result, const char*> kNames[] = {
    {cuda::kSuccess, "CUDA_SUCCESS"},
    {cuda::kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
    {cuda::kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
    {kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED"},
    {cuda::kDeviceUnavailable, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
    {cuda::kNoDevice, "CUDA_ERROR_NO_DEVICE"},
    {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
    {cuda::kInvalidImage, "CUDA_ERROR_INVALID_IMAGE"},
    {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
    {cuda::kNoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {cuda::kEccUncorrectable, "CUDA_ERROR_ECC_UNCORRECTABLE"},
    {cuda::kInvalidPtx, "CUDA_ERROR_INVALID_PTX"},
    {cuda::kNvlinkUncorrectable, "CUDA_ERROR_NVLINK_UNCORRECTABLE"},
    {cuda::kUnsupportedPtxVersion, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
    {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
    {kNotFound, "CUDA_ERROR_NOT_FOUND"},
    {cuda::kNotReady, "CUDA_ERROR_NOT_READY"},
    {cuda::kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {cuda::kLaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {cuda::kAssert, "CUDA_ERROR_ASSERT"},
    {cuda::kIllegalInstruction, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
    {cuda::kMisalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {cuda::kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"},
    {kNotSupported, "CUDA_ERROR_NOT_SUPPORTED"},
    {cuda::kSystemNotReady, "CUDA_ERROR_SYSTEM_NOT_READY"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
    {cuda::kUnknown, "CUDA_ERROR_UNKNOWN"}};

}  // namespace

Driver& driver() {
  static auto* one = new Driver;
  return *one;
}

Device*& current_device() {
  thread_local Device* device = nullptr;
  return device;
}

std::optional<Result> Device::lost_amid(Call call) {
  const std::optional<Loss> loss = driver().faults.loss_amid(ordinal, call);
  if (!loss || calls[static_cast<size_t>(call)]++ < loss->after || is_back(ordinal)) {
    return std::nullopt;
  }
  return loss->result;
}

Result Device::lose(Result result) {
  leave_mark(lost_mark(ordinal), std::to_string(result));
  progress.fail(result);
  return result;
}

}  // namespace tilescope::emulated_driver

extern "C" {

using namespace tilescope::emulated_driver;

Result cuInit(unsigned flags) { return flags == 0 ? start() : Result{cuda::kInvalidValue}; }
Result cuDriverGetVersion(int* version) {
  *version = version_of(text_of_environment("TILESCOPE_EMULATED_DRIVER", "13.9"), 1000, 10);
  return cuda::kSuccess;
}
Result cuGetErrorName(Result error, const char** name) {
  for (const auto& [code, text] : kNames) {
    if (code == error) return *name = text, cuda::kSuccess;
  }
  return *name = nullptr, cuda::kInvalidValue;
}
Result cuGetErrorString(Result error, const char** text) { return cuGetErrorName(error, text); }

Result cuDeviceGetCount(int* count) {
  if (!driver().initialized) return kNotInitialized;
  return *count = static_cast<int>(driver().devices.size()), cuda::kSuccess;
}
Result cuDeviceGet(cuda::Device* device, int ordinal) {
  return on_device(ordinal, [&](Device&) { return *device = ordinal, cuda::kSuccess; });
}
Result cuDeviceGetName(char* name, int size, cuda::Device device) {
  return on_device(device, [&](Device&) { return put_text(name, size, "Emulated GPU"); });
}
Result cuDeviceGetPCIBusId(char* id, int size, cuda::Device device) {
  // No bus has it: NVML, where there is one, knows nothing of these cards.
  return on_device(device, [&](Device&) { return put_text(id, size, "none"); });
}
Result cuDeviceGetAttribute(int* value, int attribute, cuda::Device device) {
  return on_device(device, [&](Device& d) -> Result {
    *value = attribute_of(d, attribute);
    return *value < 0 ? cuda::kInvalidValue : cuda::kSuccess;
  });
}
Result cuDevicePrimaryCtxRetain(cuda::Context* context, cuda::Device device) {
  return on_device(device, [&](Device& d) -> Result {
    if (const Result dead = d.progress.failure(); dead != cuda::kSuccess) return dead;
    return *context = reinterpret_cast<cuda::Context>(&d), cuda::kSuccess;
  });
}
Result cuCtxSetCurrent(cuda::Context context) {
  if (!driver().initialized) return kNotInitialized;
  for (const auto& device : driver().devices) {
    if (reinterpret_cast<cuda::Context>(device.get()) == context) {
      return current_device() = device.get(), cuda::kSuccess;
    }
  }
  current_device() = nullptr;
  return context ? Result{kInvalidContext} : Result{cuda::kSuccess};
}

}  // extern "C"
