// A CUDA driver whose only GPU is the emulator, for tests of what calls the driver where there is
// none: TILESCOPE_CUDA_DRIVER names this library. One process uses it; all calls take turns.
//
// $TILESCOPE_EMULATED_FAULT: a kernel whose PTX contains this text faults as an illegal instruction
// does on a GPU: from then on every call of the process fails.
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "emulator/emulator.h"
#include "worker/engine/cuda_api.h"

namespace {

namespace cuda = tilescope::worker::cuda;
namespace emulator = tilescope::emulator;
using cuda::Result;

struct Loaded {
  std::shared_ptr<const emulator::Program> program;
  bool faults = false;
};
struct Entry {
  const Loaded* module;
  std::string name;
};

std::mutex mutex;
emulator::Memory memory;
Result sticky = cuda::kSuccess;
thread_local bool has_context = false;

/// The buffer of an address and what is left of it from there on.
std::span<std::byte> bytes_at(cuda::DevicePointer address) {
  const emulator::Memory::Location at = memory.locate(address);
  if (at.buffer < 0) return {};
  return memory.bytes(address - at.offset).subspan(at.offset);
}

/// Calls work with the lock held, unless the context is dead or was never set in this thread.
template <class Work>
Result guarded(const Work& work) {
  const std::lock_guard lock(mutex);
  if (sticky != cuda::kSuccess) return sticky;
  constexpr Result kInvalidContext = 201;
  return has_context ? work() : kInvalidContext;
}

Result text(char* to, int size, const char* from) {
  std::strncpy(to, from, static_cast<size_t>(size));
  return cuda::kSuccess;
}

}  // namespace

extern "C" {

Result cuInit(unsigned) { return cuda::kSuccess; }
Result cuDriverGetVersion(int* version) { return *version = 13000, cuda::kSuccess; }
Result cuGetErrorName(Result error, const char** name) {
  *name = error == cuda::kIllegalInstruction ? "CUDA_ERROR_ILLEGAL_INSTRUCTION" : "CUDA_ERROR";
  return cuda::kSuccess;
}
Result cuGetErrorString(Result error, const char** name) { return cuGetErrorName(error, name); }
Result cuDeviceGetCount(int* count) { return *count = 1, cuda::kSuccess; }
Result cuDeviceGet(cuda::Device* device, int) { return *device = 0, cuda::kSuccess; }
Result cuDeviceGetName(char* name, int size, cuda::Device) {
  return text(name, size, "Emulated GPU");
}
Result cuDeviceGetPCIBusId(char* id, int size, cuda::Device) { return text(id, size, "none"); }
Result cuDeviceGetAttribute(int* value, int attribute, cuda::Device) {
  *value = attribute == cuda::kCapabilityMajor ? 9 : attribute == cuda::kCapabilityMinor ? 0 : 1024;
  return cuda::kSuccess;
}
Result cuDevicePrimaryCtxRetain(cuda::Context* context, cuda::Device) {
  static int one;
  return *context = reinterpret_cast<cuda::Context>(&one), cuda::kSuccess;
}
Result cuCtxSetCurrent(cuda::Context) { return has_context = true, cuda::kSuccess; }
Result cuMemGetInfo_v2(size_t* free, size_t* total) {
  return *free = *total = size_t{1} << 33, cuda::kSuccess;
}
Result cuMemAlloc_v2(cuda::DevicePointer* pointer, size_t bytes) {
  return guarded([&] { return *pointer = memory.allocate("device", bytes), cuda::kSuccess; });
}
// The emulator keeps its buffers; tests need few.
Result cuMemFree_v2(cuda::DevicePointer) { return cuda::kSuccess; }
Result cuMemcpyHtoD_v2(cuda::DevicePointer to, const void* from, size_t bytes) {
  return guarded([&]() -> Result {
    const auto at = bytes_at(to);
    if (at.size() < bytes) return cuda::kInvalidValue;
    return std::memcpy(at.data(), from, bytes), cuda::kSuccess;
  });
}
Result cuMemcpyDtoH_v2(void* to, cuda::DevicePointer from, size_t bytes) {
  return guarded([&]() -> Result {
    const auto at = bytes_at(from);
    if (at.size() < bytes) return cuda::kInvalidValue;
    return std::memcpy(to, at.data(), bytes), cuda::kSuccess;
  });
}
Result cuMemcpyDtoDAsync_v2(cuda::DevicePointer to, cuda::DevicePointer from, size_t bytes,
                            cuda::Stream) {
  return guarded([&] {
    return std::memcpy(bytes_at(to).data(), bytes_at(from).data(), bytes), cuda::kSuccess;
  });
}
Result cuMemsetD32Async(cuda::DevicePointer to, unsigned value, size_t count, cuda::Stream) {
  return guarded([&]() -> Result {
    const auto at = bytes_at(to);
    if (at.size() < 4 * count) return cuda::kInvalidValue;
    for (size_t i = 0; i < count; ++i) std::memcpy(at.data() + 4 * i, &value, 4);
    return cuda::kSuccess;
  });
}
Result cuModuleLoadDataEx(cuda::Module* module, const void* image, unsigned count, int* options,
                          void** values) {
  const char* ptx = static_cast<const char*>(image);
  auto parsed = emulator::Program::parse(ptx);
  if (const auto* errors = std::get_if<1>(&parsed)) {
    if (count == 2 && options[0] == cuda::kJitErrorLog) {
      std::strncpy(static_cast<char*>(values[0]), errors->front().message.c_str(),
                   reinterpret_cast<size_t>(values[1]));
    }
    return cuda::kInvalidPtx;
  }
  const char* fault = std::getenv("TILESCOPE_EMULATED_FAULT");
  return guarded([&] {
    auto* loaded = new Loaded{std::get<0>(parsed), fault && std::strstr(ptx, fault)};
    return *module = reinterpret_cast<cuda::Module>(loaded), cuda::kSuccess;
  });
}
Result cuModuleLoadData(cuda::Module* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
Result cuModuleUnload(cuda::Module module) {
  return delete reinterpret_cast<Loaded*>(module), cuda::kSuccess;
}
Result cuModuleGetFunction(cuda::Function* function, cuda::Module module, const char* name) {
  return guarded([&] {
    *function =
        reinterpret_cast<cuda::Function>(new Entry{reinterpret_cast<Loaded*>(module), name});
    return cuda::kSuccess;
  });
}
Result cuFuncGetAttribute(int* value, int, cuda::Function) { return *value = 0, cuda::kSuccess; }
Result cuFuncSetAttribute(cuda::Function, int, int) { return cuda::kSuccess; }
Result cuLaunchKernel(cuda::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                      cuda::Stream, void** parameters, void**) {
  return guarded([&]() -> Result {
    const Entry& entry = *reinterpret_cast<Entry*>(function);
    if (entry.module->faults) return sticky = cuda::kIllegalInstruction, cuda::kSuccess;
    emulator::Launch launch{
        {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, {}};
    const emulator::EntryInfo* info = entry.module->program->find(entry.name);
    launch.parameters.resize(info->parameter_bytes);
    for (size_t i = 0; i < info->parameters.size(); ++i) {
      const emulator::Parameter& p = info->parameters[i];
      std::memcpy(launch.parameters.data() + p.offset, parameters[i], p.bytes);
    }
    const auto ran = emulator::run(*entry.module->program, entry.name, launch, memory);
    if (ran.fault) sticky = cuda::kIllegalAddress;
    return cuda::kSuccess;
  });
}
Result cuStreamCreate(cuda::Stream* stream, unsigned) { return *stream = nullptr, cuda::kSuccess; }
Result cuStreamSynchronize(cuda::Stream) { return sticky; }
Result cuEventCreate(cuda::Event* event, unsigned) {
  static int one;
  return *event = reinterpret_cast<cuda::Event>(&one), cuda::kSuccess;
}
Result cuEventDestroy_v2(cuda::Event) { return cuda::kSuccess; }
Result cuEventRecord(cuda::Event, cuda::Stream) { return sticky; }
Result cuEventQuery(cuda::Event) { return sticky; }
Result cuEventElapsedTime(float* ms, cuda::Event, cuda::Event) { return *ms = 1, cuda::kSuccess; }

}  // extern "C"
