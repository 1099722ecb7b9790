#include "worker/engine/emulate/launch_tensor_maps.h"

#include <cstring>

#include "core/model/names.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

emulator::TensorType tensor_type(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return emulator::TensorType::f16;
    case ElementType::bf16:
      return emulator::TensorType::bf16;
    case ElementType::f32:
      return emulator::TensorType::f32;
    case ElementType::tf32:
      return emulator::TensorType::tf32;
    case ElementType::f64:
      return emulator::TensorType::f64;
    case ElementType::s32:
      return emulator::TensorType::s32;
    case ElementType::e4m3:
    case ElementType::e5m2:
    case ElementType::s8:
    case ElementType::u8:
    case ElementType::s4:
    case ElementType::u4:
    case ElementType::b1:
    case ElementType::count:
      return emulator::TensorType::u8;
  }
  return emulator::TensorType::u8;
}

}  // namespace

std::string encode_for_emulator(const emulator::TensorMap& map, std::byte* to) {
  std::string wrong = emulator::wrong_in(map);
  if (!wrong.empty()) return wrong;
  const auto bytes = emulator::encode(map);
  std::memcpy(to, bytes.data(), bytes.size());
  return {};
}

emulator::TensorMap tensor_map_of(const TensorBox& box, uint64_t address) {
  emulator::TensorMap map;
  map.type = tensor_type(box.type);
  map.rank = 2, map.address = address;
  map.dims = {static_cast<uint64_t>(box.extents[0]), static_cast<uint64_t>(box.extents[1])};
  map.strides = {static_cast<uint64_t>(box.pitch_bytes)};
  map.box = {static_cast<uint32_t>(box.box[0]), static_cast<uint32_t>(box.box[1])};
  map.swizzle =
      box.swizzle == Swizzle::none ? 0 : static_cast<uint32_t>(swizzle_row_bytes(box.swizzle));
  return map;
}

TensorMaps make_tensor_maps(const KernelPlan& plan, const Problem& given, const GemmArgs& args,
                            const EncodeTensorMap& encode, int k) {
  TensorMaps maps;
  for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
    if (!has_tensor_map(plan, o)) continue;
    const bool is_a = o == Operand::a, is_b = o == Operand::b;
    const uint64_t address = is_a ? args.a : is_b ? args.b : args.c;
    TensorMap& to = is_a ? maps.a : is_b ? maps.b : maps.c;
    const std::string wrong = encode(tensor_map_of(tensor_box(plan, given, o, k), address),
                                     reinterpret_cast<std::byte*>(to.words));
    if (!wrong.empty()) {
      fail(kFailed, std::string("There is no tensor map of ") + model::name_of(o) + ": " + wrong +
                        "; choose another tile or layout.");
    }
  }
  return maps;
}

}  // namespace tilescope::worker
