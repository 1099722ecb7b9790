#include "worker/engine/trace_data.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "core/layout/matrix_move.h"

namespace tilescope::worker {
namespace {

/// Bytes of the type that an opcode ends with: ".f32" → 4.
int type_bytes(std::string_view opcode) {
  const size_t dot = opcode.rfind('.');
  int bits = 0;
  if (dot == opcode.npos || dot + 2 >= opcode.size()) return 4;
  std::from_chars(opcode.data() + dot + 2, opcode.data() + opcode.size(), bits);
  return bits >= 8 ? bits / 8 : 4;
}

bool is_active(const emulator::Event& event, int lane) { return (event.active >> lane & 1) != 0; }

}  // namespace

DataFollower::DataFollower(const EmulatedGemm& gemm, const PtxFlow& flow,
                           const emulator::Trace& trace)
    : gemm_(gemm),
      flow_(flow),
      trace_(trace),
      granule_(element_bytes(gemm.problem.type_a)),
      shared_(gemm.launch.dynamic_shared_bytes / static_cast<unsigned>(granule_)),
      warps_(trace.warps) {
  for (Warp& warp : warps_) warp.registers.resize(static_cast<size_t>(flow.registers()));
}

DataEvent DataFollower::follow(const emulator::Event& event) {
  using emulator::EventKind;
  DataEvent data;
  data.raw = &event;
  data.instruction = flow_.at_line(event.ptx_line);
  Warp& warp = warps_[event.warp];
  if (event.index == warp.next_index && warp.last_line != 0) {
    for (const auto* instruction : flow_.between(warp.last_line, event.ptx_line)) {
      move(warp, *instruction);
    }
  } else if (event.index != 0) {  // a gap in the record: registers are unknown
    for (Register& r : warp.registers) r = nullptr;
  }
  warp.next_index = int64_t{event.index} + 1;
  warp.last_line = event.ptx_line;
  if (!data.instruction) return data;

  switch (event.kind) {
    case EventKind::copy:
      copy(event, data);
      break;
    case EventKind::load_global:
    case EventKind::load_shared:
      load(event, data, warp);
      break;
    case EventKind::store_global:
    case EventKind::store_shared:
      store(event, data, warp);
      break;
    case EventKind::mma:
      mma(data, warp);
      break;
    case EventKind::fma:
      fma(data, warp);
      break;
    default:
      break;
  }
  return data;
}

const std::array<uint64_t, 32>* DataFollower::addresses(int32_t slot) const {
  return slot < 0 ? nullptr : &trace_.addresses[static_cast<size_t>(slot)];
}

Element DataFollower::global_element(uint64_t address) const {
  const EmulatedGemm::Place place = gemm_.locate(address);
  if (place.matrix < 0) return {};
  const ElementType type = operand_type(gemm_.problem, static_cast<Operand>(place.matrix));
  return {place.matrix, place.offset / static_cast<unsigned>(element_bytes(type))};
}

Element DataFollower::shared_element(uint64_t offset) const {
  const uint64_t granule = offset / static_cast<unsigned>(granule_);
  return granule < shared_.size() ? shared_[granule] : Element();
}

Element DataFollower::register_element(uint32_t warp, int reg, int lane, int part) const {
  const Register& value = warps_[warp].registers[static_cast<size_t>(reg)];
  return value ? value->elements[static_cast<size_t>(lane)][static_cast<size_t>(part)] : Element();
}

void DataFollower::set_shared(uint64_t offset, Element element) {
  const uint64_t granule = offset / static_cast<unsigned>(granule_);
  if (granule < shared_.size()) shared_[granule] = element;
}

Coord DataFollower::coord(Element element) const {
  const auto operand = static_cast<Operand>(element.matrix());
  const auto leading = static_cast<uint64_t>(leading_dimension(gemm_.problem, operand));
  const int line = static_cast<int>(element.index() / leading);
  const int along = static_cast<int>(element.index() % leading);
  return operand_order(gemm_.problem, operand) == Order::row_major ? Coord{line, along}
                                                                   : Coord{along, line};
}

int DataFollower::k_of(Element element) const {
  const Coord at = coord(element);
  return element.matrix() == static_cast<int>(Operand::a) ? at.col : at.row;
}

int DataFollower::stage_of(uint64_t shared_offset) const {
  const int bytes = gemm_.plan.stage_bytes;
  return bytes > 0 ? static_cast<int>(shared_offset / static_cast<unsigned>(bytes)) : -1;
}

void DataFollower::note(DataEvent& data, Element element) const {
  if (!element) return;
  ++data.elements;
  if (data.matrix >= 0) return;
  data.matrix = static_cast<int8_t>(element.matrix());
  if (element.matrix() != static_cast<int>(Operand::c)) {
    data.k_step = k_of(element) / gemm_.plan.block_k;
  }
}

void DataFollower::move(Warp& warp, const PtxFlow::Instruction& in) {
  const std::vector<int>& to = in.operand(0);
  if (to.empty() || in.is_branch || in.is("setp")) return;
  const auto reg = [&](int id) -> Register& { return warp.registers[static_cast<size_t>(id)]; };
  const std::vector<int>& from = in.operand(1);
  const bool copies = in.is("mov") || in.is("cvt");
  if (copies && to.size() == 1 && from.size() == 1) {
    reg(to[0]) = reg(from[0]);
  } else if (copies && to.size() == 1 && from.size() == kParts) {  // {low, high} → register
    auto value = std::make_shared<Value>();
    for (size_t part = 0; part < kParts; ++part) {
      if (const Register& source = reg(from[part])) {
        value->stage = source->stage;
        for (size_t l = 0; l < 32; ++l) value->elements[l][part] = source->elements[l][0];
      }
    }
    reg(to[0]) = value;
  } else if (copies && to.size() == kParts && from.size() == 1) {
    const Register source = reg(from[0]);
    for (size_t part = 0; part < kParts; ++part) {
      if (!source) {
        reg(to[part]) = nullptr;
        continue;
      }
      auto value = std::make_shared<Value>();
      value->stage = source->stage;
      for (size_t l = 0; l < 32; ++l) value->elements[l][0] = source->elements[l][part];
      reg(to[part]) = value;
    }
  } else if (in.is("selp") && in.operand(2).size() <= 1) {
    // Which one a lane took is not recorded; one side of a zero-fill is a constant.
    const std::vector<int>& other = in.operand(2);
    Register chosen = from.empty() ? nullptr : reg(from[0]);
    if (!chosen && !other.empty()) chosen = reg(other[0]);
    reg(to[0]) = chosen;
  } else {
    for (const int id : to) reg(id) = nullptr;
  }
}

void DataFollower::copy(const emulator::Event& event, DataEvent& data) {
  data.shared = true;
  const auto* from = addresses(event.address_slot);  // null if all lanes fill with zeros
  const auto* to = addresses(event.address_slot2);
  if (!to) return;
  for (int lane = 0; lane < 32; ++lane) {
    if (!is_active(event, lane)) continue;
    const auto l = static_cast<size_t>(lane);
    if (data.stage < 0) data.stage = stage_of((*to)[l]);
    // A lane that reads nothing has address 0 and fills with zeros.
    const bool reads = from && (*from)[l] != 0;
    for (int byte = 0; byte < event.bytes; byte += granule_) {
      const auto offset = static_cast<unsigned>(byte);
      const Element element = reads ? global_element((*from)[l] + offset) : Element();
      set_shared((*to)[l] + offset, element);
      note(data, element);
    }
  }
}

void DataFollower::load(const emulator::Event& event, DataEvent& data, Warp& warp) {
  data.shared = event.kind == emulator::EventKind::load_shared;
  const auto* address = addresses(event.address_slot);
  if (!address) return;
  const std::vector<int>& to = data.instruction->operand(0);
  const bool matrices = data.instruction->is("ldmatrix");
  const bool transposed = data.instruction->opcode.find(".trans") != std::string_view::npos;
  const FragmentLayout matrix = matrix_registers(1, transposed);
  constexpr int kHalfBytes = 2;  // of an ldmatrix element
  const int bytes = matrices ? 4 : type_bytes(data.instruction->opcode);
  if (data.shared) {
    data.stage =
        stage_of((*address)[static_cast<size_t>(std::countr_zero(event.active | 1u << 31))]);
  }
  for (size_t r = 0; r < to.size(); ++r) {
    auto value = std::make_shared<Value>();
    Register& target = warp.registers[static_cast<size_t>(to[r])];
    if (event.active != 0xffffffffu && target) *value = *target;  // other lanes keep theirs
    value->stage = data.stage;
    for (int lane = 0; lane < 32; ++lane) {
      if (!is_active(event, lane)) continue;
      for (int part = 0; part < std::min(kParts, std::max(1, bytes / granule_)); ++part) {
        uint64_t at = 0;
        if (!matrices) {
          at = (*address)[static_cast<size_t>(lane)] + r * static_cast<unsigned>(bytes) +
               static_cast<unsigned>(part * granule_);
        } else {
          const Coord in_matrix = fragment_coord(matrix, lane, part);
          at = (*address)[r * kMatrixRows + static_cast<size_t>(in_matrix.row)] +
               static_cast<unsigned>(in_matrix.col * kHalfBytes);
        }
        const Element element = data.shared ? shared_element(at) : global_element(at);
        value->elements[static_cast<size_t>(lane)][static_cast<size_t>(part)] = element;
        note(data, element);
      }
    }
    target = value;
  }
}

void DataFollower::store(const emulator::Event& event, DataEvent& data, Warp& warp) {
  data.shared = event.kind == emulator::EventKind::store_shared;
  const auto* address = addresses(event.address_slot);
  if (!address) return;
  const std::vector<int>& from = data.instruction->operand(1);
  const int bytes = type_bytes(data.instruction->opcode);
  for (int lane = 0; lane < 32; ++lane) {
    if (!is_active(event, lane)) continue;
    const uint64_t first = (*address)[static_cast<size_t>(lane)];
    if (!data.shared) {
      for (int byte = 0; byte < event.bytes; byte += element_bytes(gemm_.problem.type_c)) {
        note(data, global_element(first + static_cast<unsigned>(byte)));
      }
      continue;
    }
    if (data.stage < 0) data.stage = stage_of(first);
    for (size_t r = 0; r < from.size(); ++r) {
      const Register& source = warp.registers[static_cast<size_t>(from[r])];
      for (int part = 0; part < std::min(kParts, std::max(1, bytes / granule_)); ++part) {
        const Element element =
            source ? source->elements[static_cast<size_t>(lane)][static_cast<size_t>(part)]
                   : Element();
        set_shared(
            first + r * static_cast<unsigned>(bytes) + static_cast<unsigned>(part * granule_),
            element);
        note(data, element);
      }
    }
  }
}

void DataFollower::mma(DataEvent& data, const Warp& warp) {
  const auto lowest = [&](size_t operand, int& outer, int& k) {
    for (const int id : data.instruction->operand(operand)) {
      const Register& source = warp.registers[static_cast<size_t>(id)];
      if (!source) continue;
      if (operand == 1) data.stage = source->stage;
      for (const auto& lane : source->elements) {
        for (const Element element : lane) {
          if (!element) continue;
          const Coord at = coord(element);
          const bool is_a = element.matrix() == static_cast<int>(Operand::a);
          const int o = is_a ? at.row : at.col, depth = is_a ? at.col : at.row;
          if (outer < 0 || o < outer) outer = o;
          if (k < 0 || depth < k) k = depth;
        }
      }
    }
  };
  int k_a = -1, k_b = -1;
  lowest(1, data.mma_row, k_a);
  lowest(2, data.mma_col, k_b);
  // Of the two, one may be padding; if both are known they multiply the same k.
  data.mma_k = std::max(k_a, k_b);
  if (data.mma_k >= 0) data.k_step = data.mma_k / gemm_.plan.block_k;
}

void DataFollower::fma(DataEvent& data, Warp& warp) {
  for (const size_t operand : {size_t{1}, size_t{2}}) {
    for (const int id : data.instruction->operand(operand)) {
      const Register& source = warp.registers[static_cast<size_t>(id)];
      if (!source || data.k_step >= 0) continue;
      for (const auto& lane : source->elements) {
        if (!lane[0] || lane[0].matrix() == static_cast<int>(Operand::c)) continue;
        data.k_step = k_of(lane[0]) / gemm_.plan.block_k;
        data.stage = source->stage;
        break;
      }
    }
  }
  for (const int id : data.instruction->operand(0)) {
    warp.registers[static_cast<size_t>(id)] = nullptr;
  }
}

}  // namespace tilescope::worker
