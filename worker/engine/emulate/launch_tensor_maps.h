// Tensor maps of kernels and of launch sheets, by an encoder: the emulator has one of its own, a
// card its driver's.
#pragma once
#include <cstddef>
#include <functional>
#include <string>

#include "core/layout/tensor_box.h"
#include "emulator/tensor_map.h"
#include "kernels/common/args.h"
#include "kernels/common/tensor_maps.h"

namespace tilescope::worker {

/// Writes the 128 bytes of a map, or says in a sentence why it cannot.
using EncodeTensorMap = std::function<std::string(const emulator::TensorMap& map, std::byte* to)>;
std::string encode_for_emulator(const emulator::TensorMap& map, std::byte* to);

/// The matrix and the boxes, at the address of the matrix' first element.
emulator::TensorMap tensor_map_of(const TensorBox& box, uint64_t address);

/// What a kernel takes behind its other arguments, of a problem as it was stated. `args`: of the
/// problem as it is read. `k`: as tensor_box() has it. Fails with a sentence if the encoder refuses
/// one.
TensorMaps make_tensor_maps(const KernelPlan& plan, const Problem& given, const GemmArgs& args,
                            const EncodeTensorMap& encode, int k = 0);
/// Where they lie in the parameter block, behind so many bytes.
constexpr size_t tensor_maps_at(size_t bytes) {
  return (bytes + alignof(TensorMaps) - 1) / alignof(TensorMaps) * alignof(TensorMaps);
}

}  // namespace tilescope::worker
