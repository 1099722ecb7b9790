// Shared memory of a stepped CTA: what its bytes are by the kernel's plan, and what the next
// instruction does with them.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <stdexcept>
#include <string_view>

#include "app/features/step/step_words.h"
#include "app/state/present_launch.h"
#include "core/language/language.h"
#include "core/model/banks.h"
#include "core/model/format.h"
#include "core/sheet/argument_spec.h"
#include "core/sheet/sheet_error.h"

namespace tilescope {
namespace {

Operand operand_of(RegionKind kind) {
  switch (kind) {
    case RegionKind::a:
    case RegionKind::rest_a:
      return Operand::a;
    case RegionKind::b:
    case RegionKind::rest_b:
      return Operand::b;
    case RegionKind::none:
    case RegionKind::c:
    case RegionKind::mbarriers:
      break;
  }
  return Operand::c;
}

/// As the A of a GEMM of one's own, where its sheet says what that is of.
SharedForm form_of_own(const AppState& state) {
  const worker::LaunchRequest* launch = state.own_launch.get();
  if (!launch || !launch->sheet || !launch->sheet->gemm) return {};
  try {
    const auto a = static_cast<size_t>(launch->sheet->gemm->a);
    const sheet::ArgumentSpec spec = sheet::parse_spec(launch->sheet->args.at(a));
    const auto* buffer = std::get_if<sheet::BufferSpec>(&spec);
    const std::string_view type = buffer && buffer->type ? buffer->type->name : "";
    if (type == "f16") return {NumberForm::f16, 2};
    if (type == "bf16") return {NumberForm::bf16, 2};
  } catch (const sheet::SheetError&) {
  } catch (const std::out_of_range&) {
  }
  return {};
}

const char* region_name(RegionKind kind) {
  switch (kind) {
    case RegionKind::a:
      return "A";
    case RegionKind::b:
      return "B";
    case RegionKind::rest_a:
      return "the rest of A";
    case RegionKind::rest_b:
      return "the rest of B";
    case RegionKind::c:
      return "C";
    case RegionKind::mbarriers:
      return "mbarriers";
    case RegionKind::none:
      break;
  }
  return "";
}

NumberForm form_of_type(ElementType type, int bytes) {
  if (bytes != element_bytes(type)) return bytes == 4 ? NumberForm::f32 : NumberForm::hex;
  switch (type) {
    case ElementType::f32:
      return NumberForm::f32;
    case ElementType::f16:
      return NumberForm::f16;
    case ElementType::bf16:
      return NumberForm::bf16;
    default:
      break;
  }
  return NumberForm::hex;
}

}  // namespace

std::optional<WarpAccess> shared_access(const emulator::StepState& state) {
  for (const emulator::StepAccess& a : state.accesses) {
    if (!a.shared || a.lanes == 0) continue;
    WarpAccess access;
    access.bytes = static_cast<int>(std::clamp(a.bytes, 1u, 16u));
    const std::string& opcode = state.place.opcode;
    const bool rows = opcode.starts_with("ldmatrix") || opcode.starts_with("stmatrix");
    access.use = rows ? SharedUse::rows : a.writes ? SharedUse::store : SharedUse::load;
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      if ((a.lanes >> lane & 1u) == 0) continue;
      const uint64_t at = a.addresses[static_cast<size_t>(lane)];
      if (at < state.shared.size()) access.add(lane, static_cast<long long>(at));
    }
    if (access.active != 0) return access;
  }
  return std::nullopt;
}

std::array<int, kBanks> words_on_banks(const WarpAccess& access) {
  std::set<long long> words;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((access.active >> lane & 1u) == 0) continue;
    const long long from = access.address[lane];
    for (long long w = from / kBankBytes; w <= (from + access.bytes - 1) / kBankBytes; ++w) {
      words.insert(w);
    }
  }
  std::array<int, kBanks> banks{};
  for (const long long word : words) ++banks[static_cast<size_t>(word % kBanks)];
  return banks;
}

std::string shared_access_words(const emulator::StepState& state) {
  if (state.place.ended) return "The run has ended: nothing is accessed next.";
  const auto access = shared_access(state);
  if (!access) return wording("{} does not touch shared memory.", state.place.opcode);
  int words = 0;
  for (const int n : words_on_banks(*access)) words += n;
  const model::BankResult banks = model::bank_access(*access);
  const int lanes = std::popcount(access->active);
  const auto all = std::ranges::count_if(state.accesses, &emulator::StepAccess::shared);
  return wording("{}: {} lane{}, {} B each, {} word{}; {} wavefront{}, {}{}", state.place.opcode,
                 lanes, lanes == 1 ? "" : "s", access->bytes, words, words == 1 ? "" : "s",
                 banks.wavefronts, banks.wavefronts == 1 ? "" : "s",
                 banks.conflicts() == 0 ? tr("no conflict") : wording("{} at best", banks.ideal),
                 all > 1 ? wording("; the first of its {} accesses", all) : "");
}

std::vector<ByteWriter> writers_of_bytes(const emulator::StepState& state, int byte, int bytes) {
  std::vector<ByteWriter> all;
  for (int at = byte; at < byte + bytes; ++at) {
    const auto by = state.writers.at(static_cast<uint64_t>(at));
    if (!by || std::ranges::find(all, *by, &ByteWriter::by) != all.end()) continue;
    const int line = state.writers.source(by->ptx_line).line;
    all.push_back({at, *by,
                   wording("warp {}, lane {} at {}PTX {}, step {}", by->warp, by->lane,
                           line > 0 ? wording("line {}, ", line) : std::string(), by->ptx_line,
                           model::grouped(static_cast<long long>(by->step)))});
  }
  return all;
}

std::vector<SharedPart> shared_parts(const AppState& state, size_t bytes) {
  std::vector<SharedPart> parts{{.name = "all", .first = 0, .bytes = static_cast<int>(bytes)}};
  if (!state.derived.legal()) return parts;
  for (const SharedRegion& region : state.derived.plan.shared) {
    if (!region.present()) continue;
    for (int stage = 0; stage < region.stages; ++stage) {
      SharedPart part{.name = region_name(region.what),
                      .first = region.tile.offset + stage * region.stride,
                      .bytes = region.tile.size_bytes(),
                      .operand = operand_of(region.what)};
      if (region.stages > 1) part.name += fmt::format(" {}", stage);
      if (static_cast<size_t>(part.first + part.bytes) <= bytes) parts.push_back(std::move(part));
    }
  }
  return parts;
}

std::optional<SharedByte> shared_byte(const AppState& state, int byte) {
  if (!state.derived.legal()) return std::nullopt;
  const KernelPlan& plan = state.derived.plan;
  const SharedPlace place = locate(plan, byte, Phase::slices);
  if (place.region < 0 || place.element.row < 0) return std::nullopt;
  const SharedRegion& region = plan.shared[place.region];
  if (region.what == RegionKind::mbarriers) {
    const int number = place.element.row, stages = plan.stages();
    return SharedByte{.words = wording("the mbarrier by which stage {} is {}", number % stages,
                                       number < stages       ? "told full"
                                       : number < 2 * stages ? "given back"
                                                             : "told split"),
                      .element_bytes = kMbarrierBytes};
  }
  // Tiles of A and B are addressed [outer, k]; the matrices [m, k] and [k, n].
  const Operand operand = operand_of(region.what);
  const Coord at = matrix_coord(operand, place.element.row, place.element.col);
  return SharedByte{
      .words = wording("{}[{}, {}] of the slice{}", region_name(region.what), at.row, at.col,
                       region.stages > 1 ? wording(" in stage {}", place.stage) : std::string()),
      .operand = operand,
      .element_bytes = region.tile.bytes_per_element};
}

SharedForm shared_form(const AppState& state, NumberForm chosen) {
  SharedForm form = form_of_own(state);
  if (state.derived.legal() && state.derived.plan.shared[0].present()) {
    form.bytes = state.derived.plan.shared[0].tile.bytes_per_element;
    form.form = form_of_type(state.derived.plan.spec.type_a, form.bytes);
  }
  if (chosen == NumberForm::automatic) return form;
  form.form = chosen;
  form.bytes = 4;
  if (chosen == NumberForm::f16 || chosen == NumberForm::bf16) form.bytes = 2;
  return form;
}

}  // namespace tilescope
