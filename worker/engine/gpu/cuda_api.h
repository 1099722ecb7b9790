// The part of the CUDA driver API that the worker uses, declared here because the library is opened
// at run time and its header is not on every machine. Checked against cuda.h wherever that exists
// (cuda_api.cpp).
#pragma once
#include <cstddef>
#include <cstdint>

namespace tilescope::worker::cuda {

using Result = int;  // 0 = success
using Device = int;
using DevicePointer = unsigned long long;
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Graph = struct GraphTag*;
using GraphExec = struct GraphExecTag*;

enum : Result {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kDeviceUnavailable = 46,
  kNoDevice = 100,
  kInvalidImage = 200,
  kNoBinaryForGpu = 209,
  kEccUncorrectable = 214,
  kInvalidPtx = 218,
  kNvlinkUncorrectable = 220,
  kUnsupportedPtxVersion = 222,
  kContained = 226,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kAssert = 710,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidPc = 718,
  kLaunchFailed = 719,
  kSystemNotReady = 802,
  kUnknown = 999,
};

enum DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxGridDimY = 6,
  kClockRateKhz = 13,
  kMultiprocessorCount = 16,
  kMemoryClockRateKhz = 36,
  kMemoryBusBits = 37,
  kL2CacheBytes = 38,
  kMaxThreadsPerMultiprocessor = 39,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kMaxSharedPerMultiprocessor = 81,
  kMaxRegistersPerMultiprocessor = 82,
  kMaxSharedPerBlockOptin = 97,
  kMaxBlocksPerMultiprocessor = 106,
  kReservedSharedPerBlock = 111,
};

enum FunctionAttribute : int {
  kMostThreadsOfFunction = 0,
  kStaticSharedBytes = 1,
  kLocalBytes = 3,
  kRegisters = 4,
  kMaxDynamicSharedBytes = 8,
};

enum JitOption : int {
  kJitErrorLog = 5,
  kJitErrorLogBytes = 6,
};

// result, name in the library, arguments
#define TILESCOPE_CUDA_FUNCTIONS(X)                                                               \
  X(init, "cuInit", (unsigned flags))                                                             \
  X(driver_version, "cuDriverGetVersion", (int* version))                                         \
  X(error_name, "cuGetErrorName", (Result error, const char** name))                              \
  X(error_string, "cuGetErrorString", (Result error, const char** text))                          \
  X(device_count, "cuDeviceGetCount", (int* count))                                               \
  X(device_get, "cuDeviceGet", (Device * device, int ordinal))                                    \
  X(device_name, "cuDeviceGetName", (char* name, int size, Device device))                        \
  X(device_attribute, "cuDeviceGetAttribute", (int* value, int attribute, Device device))         \
  X(device_pci_bus_id, "cuDeviceGetPCIBusId", (char* id, int size, Device device))                \
  X(primary_retain, "cuDevicePrimaryCtxRetain", (Context * context, Device device))               \
  X(context_set, "cuCtxSetCurrent", (Context context))                                            \
  X(memory_info, "cuMemGetInfo_v2", (size_t * free, size_t * total))                              \
  X(allocate, "cuMemAlloc_v2", (DevicePointer * pointer, size_t bytes))                           \
  X(free, "cuMemFree_v2", (DevicePointer pointer))                                                \
  X(copy_to_host, "cuMemcpyDtoH_v2", (void* to, DevicePointer from, size_t bytes))                \
  X(copy_to_device, "cuMemcpyHtoD_v2", (DevicePointer to, const void* from, size_t bytes))        \
  X(copy_on_device, "cuMemcpyDtoDAsync_v2",                                                       \
    (DevicePointer to, DevicePointer from, size_t bytes, Stream stream))                          \
  X(set_words, "cuMemsetD32Async",                                                                \
    (DevicePointer to, unsigned value, size_t count, Stream stream))                              \
  X(module_load, "cuModuleLoadData", (Module * module, const void* image))                        \
  X(module_load_with, "cuModuleLoadDataEx",                                                       \
    (Module * module, const void* image, unsigned count, int* options, void** values))            \
  X(module_unload, "cuModuleUnload", (Module module))                                             \
  X(module_function, "cuModuleGetFunction",                                                       \
    (Function * function, Module module, const char* name))                                       \
  X(function_attribute, "cuFuncGetAttribute", (int* value, int attribute, Function function))     \
  X(set_function_attribute, "cuFuncSetAttribute", (Function function, int attribute, int value))  \
  X(launch, "cuLaunchKernel",                                                                     \
    (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,      \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream stream, void** parameters, \
     void** extra))                                                                               \
  X(stream_create, "cuStreamCreate", (Stream * stream, unsigned flags))                           \
  X(stream_create_priority, "cuStreamCreateWithPriority",                                         \
    (Stream * stream, unsigned flags, int priority))                                              \
  X(stream_wait, "cuStreamWaitEvent", (Stream stream, Event event, unsigned flags))               \
  X(stream_destroy, "cuStreamDestroy_v2", (Stream stream))                                        \
  X(stream_synchronize, "cuStreamSynchronize", (Stream stream))                                   \
  X(event_create, "cuEventCreate", (Event * event, unsigned flags))                               \
  X(event_destroy, "cuEventDestroy_v2", (Event event))                                            \
  X(event_record, "cuEventRecord", (Event event, Stream stream))                                  \
  X(event_query, "cuEventQuery", (Event event))                                                   \
  X(event_elapsed, "cuEventElapsedTime", (float* ms, Event start, Event end))

// Of tensor maps; left out where the driver has none (before CUDA 12).
#define TILESCOPE_CUDA_TENSOR_FUNCTIONS(X)                                                \
  X(tensor_map_encode, "cuTensorMapEncodeTiled",                                          \
    (void* map, int type, unsigned rank, void* address, const uint64_t* dims,             \
     const uint64_t* strides, const uint32_t* box, const uint32_t* steps, int interleave, \
     int swizzle, int promotion, int fill))

/// How a launch is made that has attributes.
struct LaunchAttribute {
  int id = 0, pad = 0;
  union {
    char bytes[64] = {};
    unsigned cluster[3];  // kClusterDimension: CTAs along x, y and z
  };
};
inline constexpr int kClusterDimension = 4;
struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned count;
};

// Of launches in clusters; left out where the driver has none (before CUDA 11.8).
#define TILESCOPE_CUDA_CLUSTER_FUNCTIONS(X) \
  X(launch_with, "cuLaunchKernelEx",        \
    (const LaunchConfig* config, Function function, void** parameters, void** extra))

// Of launches captured once and sent at once; left out where the driver has none.
#define TILESCOPE_CUDA_GRAPH_FUNCTIONS(X)                                 \
  X(begin_capture, "cuStreamBeginCapture_v2", (Stream stream, int mode))  \
  X(end_capture, "cuStreamEndCapture", (Stream stream, Graph * graph))    \
  X(graph_instantiate, "cuGraphInstantiateWithFlags",                     \
    (GraphExec * executable, Graph graph, unsigned long long flags))      \
  X(graph_launch, "cuGraphLaunch", (GraphExec executable, Stream stream)) \
  X(graph_destroy, "cuGraphDestroy", (Graph graph))                       \
  X(graph_exec_destroy, "cuGraphExecDestroy", (GraphExec executable))

/// Every call goes through this table: a test may fill it from a library of its own.
struct Functions {
#define TILESCOPE_CUDA_FUNCTION(name, symbol, arguments) Result(*name) arguments = nullptr;
  TILESCOPE_CUDA_FUNCTIONS(TILESCOPE_CUDA_FUNCTION)
  TILESCOPE_CUDA_GRAPH_FUNCTIONS(TILESCOPE_CUDA_FUNCTION)
  TILESCOPE_CUDA_TENSOR_FUNCTIONS(TILESCOPE_CUDA_FUNCTION)
  TILESCOPE_CUDA_CLUSTER_FUNCTIONS(TILESCOPE_CUDA_FUNCTION)
#undef TILESCOPE_CUDA_FUNCTION
};

/// The card itself is gone or broken: a new process does not help either, only a reset does. A card
/// that falls off the bus is unavailable to some calls and an unknown error to others, and a system
/// whose fabric is gone is not ready.
constexpr bool needs_reset(Result error) {
  return error == kEccUncorrectable || error == kNvlinkUncorrectable ||
         error == kDeviceUnavailable || error == kSystemNotReady || error == kUnknown;
}
/// After one of these the context is dead: only a new process helps.
constexpr bool is_sticky(Result error) {
  return needs_reset(error) || error == kContained || error == kIllegalAddress ||
         error == kLaunchTimeout || error == kAssert ||
         (error >= kHardwareStackError && error <= kLaunchFailed);
}

}  // namespace tilescope::worker::cuda
