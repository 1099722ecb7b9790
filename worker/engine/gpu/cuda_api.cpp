// Our declarations against the real header.
#include "worker/engine/gpu/cuda_api.h"

#if TILESCOPE_HAVE_CUDA_H
#include <cuda.h>

#include <type_traits>

#include "emulator/tensor_map.h"

namespace tilescope::worker::cuda {

static_assert(sizeof(CUresult) == sizeof(Result) && sizeof(CUdevice) == sizeof(Device));
static_assert(sizeof(CUdeviceptr) == sizeof(DevicePointer));
#define TILESCOPE_SAME(ours, theirs) \
  static_assert(static_cast<int>(ours) == static_cast<int>(theirs))
TILESCOPE_SAME(kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
TILESCOPE_SAME(kDeviceUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE);
TILESCOPE_SAME(kNoDevice, CUDA_ERROR_NO_DEVICE);
TILESCOPE_SAME(kInvalidImage, CUDA_ERROR_INVALID_IMAGE);
TILESCOPE_SAME(kNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
TILESCOPE_SAME(kEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE);
TILESCOPE_SAME(kInvalidPtx, CUDA_ERROR_INVALID_PTX);
TILESCOPE_SAME(kNvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE);
TILESCOPE_SAME(kUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
TILESCOPE_SAME(kNotReady, CUDA_ERROR_NOT_READY);
TILESCOPE_SAME(kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
TILESCOPE_SAME(kLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
TILESCOPE_SAME(kLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT);
TILESCOPE_SAME(kAssert, CUDA_ERROR_ASSERT);
TILESCOPE_SAME(kHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR);
TILESCOPE_SAME(kIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
TILESCOPE_SAME(kMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
TILESCOPE_SAME(kInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE);
TILESCOPE_SAME(kInvalidPc, CUDA_ERROR_INVALID_PC);
TILESCOPE_SAME(kLaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
TILESCOPE_SAME(kSystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY);
TILESCOPE_SAME(kUnknown, CUDA_ERROR_UNKNOWN);
TILESCOPE_SAME(kMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
TILESCOPE_SAME(kMaxGridDimY, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
TILESCOPE_SAME(kClockRateKhz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
TILESCOPE_SAME(kMultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
TILESCOPE_SAME(kL2CacheBytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
TILESCOPE_SAME(kMaxThreadsPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
TILESCOPE_SAME(kCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
TILESCOPE_SAME(kCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
TILESCOPE_SAME(kMaxSharedPerMultiprocessor,
               CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
TILESCOPE_SAME(kMaxRegistersPerMultiprocessor,
               CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
TILESCOPE_SAME(kMaxSharedPerBlockOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
TILESCOPE_SAME(kMaxBlocksPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
TILESCOPE_SAME(kReservedSharedPerBlock, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
TILESCOPE_SAME(kMostThreadsOfFunction, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
TILESCOPE_SAME(kStaticSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
TILESCOPE_SAME(kLocalBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
TILESCOPE_SAME(kRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS);
TILESCOPE_SAME(kMaxDynamicSharedBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
TILESCOPE_SAME(kJitErrorLog, CU_JIT_ERROR_LOG_BUFFER);
TILESCOPE_SAME(kJitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
#define TILESCOPE_SAME_TENSOR(ours, theirs) \
  TILESCOPE_SAME(emulator::TensorType::ours, CU_TENSOR_MAP_DATA_TYPE_##theirs)
TILESCOPE_SAME_TENSOR(u8, UINT8);
TILESCOPE_SAME_TENSOR(u16, UINT16);
TILESCOPE_SAME_TENSOR(u32, UINT32);
TILESCOPE_SAME_TENSOR(s32, INT32);
TILESCOPE_SAME_TENSOR(u64, UINT64);
TILESCOPE_SAME_TENSOR(s64, INT64);
TILESCOPE_SAME_TENSOR(f16, FLOAT16);
TILESCOPE_SAME_TENSOR(f32, FLOAT32);
TILESCOPE_SAME_TENSOR(f64, FLOAT64);
TILESCOPE_SAME_TENSOR(bf16, BFLOAT16);
TILESCOPE_SAME_TENSOR(f32_ftz, FLOAT32_FTZ);
TILESCOPE_SAME_TENSOR(tf32, TFLOAT32);
TILESCOPE_SAME_TENSOR(tf32_ftz, TFLOAT32_FTZ);
#undef TILESCOPE_SAME_TENSOR
static_assert(sizeof(CUtensorMap) == emulator::kTensorMapBytes);
TILESCOPE_SAME(kClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
static_assert(sizeof(CUlaunchAttribute) == sizeof(LaunchAttribute) &&
              sizeof(CUlaunchConfig) == sizeof(LaunchConfig) &&
              offsetof(CUlaunchAttribute, value) == offsetof(LaunchAttribute, bytes) &&
              offsetof(CUlaunchConfig, attrs) == offsetof(LaunchConfig, attributes) &&
              offsetof(CUlaunchConfig, hStream) == offsetof(LaunchConfig, stream));
#undef TILESCOPE_SAME

// The number of arguments and their sizes; handles are pointers on both sides.
template <class R, class... Arguments>
constexpr auto shape_of(R (*)(Arguments...)) {
  struct Shape {
    size_t count, sizes[16];
  };
  return Shape{sizeof...(Arguments), {sizeof(Arguments)...}};  // NOLINT(bugprone-sizeof-expression)
}
template <class Ours, class Theirs>
constexpr bool same_shape(Ours* ours, Theirs* theirs) {
  const auto a = shape_of(ours);
  const auto b = shape_of(theirs);
  if (a.count != b.count) return false;
  for (size_t i = 0; i < a.count; ++i) {
    if (a.sizes[i] != b.sizes[i]) return false;
  }
  return true;
}
#define TILESCOPE_SAME_CALL(name, real)                                     \
  static_assert(same_shape(static_cast<decltype(Functions::name)>(nullptr), \
                           static_cast<decltype(&::real)>(nullptr)))
TILESCOPE_SAME_CALL(init, cuInit);
TILESCOPE_SAME_CALL(device_get, cuDeviceGet);
TILESCOPE_SAME_CALL(device_attribute, cuDeviceGetAttribute);
TILESCOPE_SAME_CALL(primary_retain, cuDevicePrimaryCtxRetain);
TILESCOPE_SAME_CALL(memory_info, cuMemGetInfo);
TILESCOPE_SAME_CALL(allocate, cuMemAlloc);
TILESCOPE_SAME_CALL(copy_to_host, cuMemcpyDtoH);
TILESCOPE_SAME_CALL(copy_to_device, cuMemcpyHtoD);
TILESCOPE_SAME_CALL(copy_on_device, cuMemcpyDtoDAsync);
TILESCOPE_SAME_CALL(set_words, cuMemsetD32Async);
TILESCOPE_SAME_CALL(module_load, cuModuleLoadData);
TILESCOPE_SAME_CALL(module_function, cuModuleGetFunction);
TILESCOPE_SAME_CALL(function_attribute, cuFuncGetAttribute);
TILESCOPE_SAME_CALL(set_function_attribute, cuFuncSetAttribute);
TILESCOPE_SAME_CALL(launch, cuLaunchKernel);
TILESCOPE_SAME_CALL(stream_create, cuStreamCreate);
TILESCOPE_SAME_CALL(event_create, cuEventCreate);
TILESCOPE_SAME_CALL(event_record, cuEventRecord);
TILESCOPE_SAME_CALL(tensor_map_encode, cuTensorMapEncodeTiled);
TILESCOPE_SAME_CALL(launch_with, cuLaunchKernelEx);
TILESCOPE_SAME_CALL(begin_capture, cuStreamBeginCapture);
TILESCOPE_SAME_CALL(end_capture, cuStreamEndCapture);
TILESCOPE_SAME_CALL(graph_instantiate, cuGraphInstantiateWithFlags);
TILESCOPE_SAME_CALL(graph_launch, cuGraphLaunch);
#undef TILESCOPE_SAME_CALL

}  // namespace tilescope::worker::cuda
#endif
