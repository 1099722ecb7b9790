// Tensor maps, in the emulator's own encoding: what it executes must be able to read them.
#include <algorithm>
#include <cstring>

#include "emulator/tensor_map.h"
#include "tests/driver/emulated_device.h"

namespace {

using namespace tilescope::emulated_driver;
namespace cuda = tilescope::worker::cuda;
namespace emulator = tilescope::emulator;

/// Bytes of the driver's CUtensorMapSwizzle: none, 32, 64, 128.
constexpr uint32_t kSwizzles[] = {0, 32, 64, 128};

}  // namespace

extern "C" Result cuTensorMapEncodeTiled(void* to, int type, uint32_t rank, void* address,
                                         const uint64_t* dims, const uint64_t* strides,
                                         const uint32_t* box, const uint32_t* element_strides,
                                         int interleave, int swizzle, int /*promotion*/,
                                         int nan_fill) {
  if (rank < 1 || rank > 5 || interleave != 0 || swizzle < 0 || swizzle > 3) {
    return cuda::kInvalidValue;
  }
  emulator::TensorMap map;
  map.type = static_cast<emulator::TensorType>(type);
  map.rank = rank, map.address = reinterpret_cast<uint64_t>(address);
  std::copy_n(dims, rank, map.dims.begin());
  std::copy_n(strides, rank - 1, map.strides.begin());
  std::copy_n(box, rank, map.box.begin());
  std::copy_n(element_strides, rank, map.element_strides.begin());
  map.swizzle = kSwizzles[swizzle];
  map.nan_fill = nan_fill != 0;
  if (!emulator::wrong_in(map).empty()) return cuda::kInvalidValue;
  const auto bytes = emulator::encode(map);
  std::memcpy(to, bytes.data(), bytes.size());
  return cuda::kSuccess;
}
