#include "worker/engine/gpu/card_tensor_map.h"

#include <cstring>

namespace tilescope::worker {
namespace {

// What the driver would refuse is told first, in a sentence of ours.
std::string encode_for_card(const Gpu& gpu, const emulator::TensorMap& map, std::byte* to) {
  if (std::string wrong = emulator::wrong_in(map); !wrong.empty()) return wrong;
  const auto encode = gpu.driver().call().tensor_map_encode;
  if (!encode) return "the driver has no cuTensorMapEncodeTiled; update it to 525 (CUDA 12.0)";
  alignas(64) std::byte bytes[emulator::kTensorMapBytes];
  const int swizzle = map.swizzle == 0 ? 0 : map.swizzle == 32 ? 1 : map.swizzle == 64 ? 2 : 3;
  constexpr int kPromote256 = 3;  // what L2 fetches of a line
  gpu.driver().check(
      encode(bytes, static_cast<int>(map.type), map.rank, reinterpret_cast<void*>(map.address),
             map.dims.data(), map.strides.data(), map.box.data(), map.element_strides.data(),
             /*interleave*/ 0, swizzle, kPromote256, map.nan_fill),
      "to make a tensor map");
  std::memcpy(to, bytes, sizeof bytes);
  return {};
}

}  // namespace

EncodeTensorMap card_encoder(const Gpu& gpu) {
  return [&gpu](const emulator::TensorMap& map, std::byte* to) {
    return encode_for_card(gpu, map, to);
  };
}

}  // namespace tilescope::worker
