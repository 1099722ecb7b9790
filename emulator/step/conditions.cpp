#include "emulator/step/conditions.h"

#include <algorithm>
#include <map>

#include "emulator/compile/control_flow.h"
#include "emulator/run/stepping.h"
#include "emulator/run/trace_recorder.h"

namespace tilescope::emulator {
namespace {

using Stop = StopCondition::Kind;

constexpr uint32_t kNoEndInst = 0xffffffffu;

bool touches_memory(RowKind kind, bool shared) {
  switch (kind) {
    case RowKind::copy:
    case RowKind::bulk_load:
    case RowKind::bulk_store:
    case RowKind::load_generic:
    case RowKind::store_generic:
    case RowKind::atomic:
      return true;
    case RowKind::load_global:
    case RowKind::store_global:
      return !shared;
    case RowKind::load_shared:
    case RowKind::store_shared:
      return shared;
    default:
      return false;
  }
}

bool is_event(RowKind kind, std::optional<EventKind> wanted) {
  const std::optional<EventKind> is = event_kind(kind, true);
  // Asking an mbarrier becomes an event where the phase is found ended, which shows only
  // afterwards.
  if (!is || kind == RowKind::poll) return false;
  if (!wanted || *is == *wanted) return true;
  // Where a generic access goes shows only when it runs.
  return (kind == RowKind::load_generic && wanted == EventKind::load_shared) ||
         (kind == RowKind::store_generic && wanted == EventKind::store_shared);
}

bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) {
  return a < b ? b - a < a_bytes : a - b < b_bytes;
}

bool same_cta(const Dim3& a, const Dim3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

std::string near_lines(const std::vector<int>& lines, int wanted) {
  if (lines.empty()) return "; no line has one";
  const auto it = std::ranges::lower_bound(lines, wanted);
  std::string text;
  if (it != lines.begin()) text += std::to_string(*std::prev(it));
  if (it != lines.end()) text += (text.empty() ? "" : " and ") + std::to_string(*it);
  return "; the nearest that have one: " + text;
}

}  // namespace

SourceLine LinesTold::of(int ptx_line) const {
  if (file_.empty()) return program_.source_line(ptx_line);
  for (const SourceLine& line : program_.source_chain(ptx_line)) {
    if (line.file == file_) return line;
  }
  return {};
}

Conditions::Conditions(const RunState& state, const LinesTold& told) : state_(state) {
  const Code& code = state.entry->code;
  lines_.assign(code.instructions.size(), -1);
  begins_k_step_.assign(code.instructions.size(), false);
  block_of_.assign(code.instructions.size(), 0);
  std::map<std::pair<std::string, int>, int> known;
  for (uint32_t i = 0; i < code.instructions.size(); ++i) {
    if (!is_shown(i)) continue;
    const SourceLine line = told.of(code.info[i].ptx_line);
    if (line.line == 0) continue;
    const auto [it, is_new] =
        known.try_emplace({line.file, line.line}, static_cast<int>(lines_text_.size()));
    if (is_new) lines_text_.push_back(line);
    lines_[i] = it->second;
  }
  const auto limit = [](const Block& b) { return b.end + (b.end_inst != kNoEndInst ? 1 : 0); };
  for (uint32_t b = 0; b < code.blocks.size(); ++b) {
    last_line_.push_back(-1);
    for (uint32_t i = code.blocks[b].begin; i < limit(code.blocks[b]); ++i) {
      block_of_[i] = b;
      if (lines_[i] >= 0) last_line_[b] = lines_[i];
    }
  }
  for (uint32_t b : outer_loops({code.blocks, code.targets}).heads) {
    // A head without an instruction of the text: the block behind it.
    for (size_t tries = 0; tries < code.blocks.size(); ++tries, b = code.blocks[b].next) {
      const Block& block = code.blocks[b];
      uint32_t i = block.begin;
      while (i < limit(block) && !is_shown(i)) ++i;
      if (i < limit(block)) {
        begins_k_step_[i] = true;
        break;
      }
      if (block.kind != BlockEnd::next) break;
    }
  }
}

bool Conditions::is_shown(uint32_t inst) const {
  return state_.entry->code.info[inst].opcode != kSynthetic;
}

std::string Conditions::refuses(const StopCondition& c) const {
  const Code& code = state_.entry->code;
  if (c.warp && *c.warp >= state_.warps) {
    return "warp " + std::to_string(*c.warp) + " does not exist: the CTA has " +
           std::to_string(state_.warps) + ", from 0 on.";
  }
  if (c.lane && *c.lane >= 32) {
    return "lane " + std::to_string(*c.lane) + " does not exist: a warp has 32, from 0 on.";
  }
  const Dim3& g = state_.launch->grid;
  if (c.cta && (c.cta->x >= g.x || c.cta->y >= g.y || c.cta->z >= g.z)) {
    return "CTA (" + std::to_string(c.cta->x) + ", " + std::to_string(c.cta->y) + ", " +
           std::to_string(c.cta->z) + ") lies outside the grid.";
  }
  const bool fits = [&] {
    for (uint32_t i = 0; i < code.instructions.size(); ++i) {
      if (is_shown(i) && may_hold(c, i)) return true;
    }
    return false;
  }();
  if (c.kind == Stop::access && c.bytes == 0) return "a range of 0 bytes is never touched.";
  if (fits) return {};
  std::vector<int> lines;
  switch (c.kind) {
    case Stop::ptx_line:
      for (uint32_t i = 0; i < code.instructions.size(); ++i) {
        if (is_shown(i)) lines.push_back(code.info[i].ptx_line);
      }
      std::ranges::sort(lines);
      return "PTX line " + std::to_string(c.line) + " has no instruction of this kernel" +
             near_lines(lines, c.line) + ".";
    case Stop::source_line:
      for (const SourceLine& l : lines_text_) {
        if (c.file.empty() || l.file == c.file) lines.push_back(l.line);
      }
      std::ranges::sort(lines);
      return "line " + std::to_string(c.line) + (c.file.empty() ? "" : " of " + c.file) +
             " has no instruction of this kernel" + near_lines(lines, c.line) + ".";
    case Stop::writes_register:
      return "no instruction of this kernel writes a register '" + c.name + "'.";
    case Stop::new_line:
      return "the PTX says no source lines: compile it with -lineinfo.";
    case Stop::k_step:
      return "the kernel has no loop.";
    case Stop::access:
      return std::string("no instruction of this kernel") + (c.line ? ", at that PTX line," : "") +
             (c.shared ? " touches shared memory." : " touches global memory.");
    case Stop::event:
      return "no instruction of this kernel is such an event.";
    case Stop::instruction:
    case Stop::moment:
    case Stop::cta_end:
      break;
  }
  return "no instruction of this kernel fits.";
}

bool Conditions::writes(uint32_t inst, const std::string& name) const {
  const Code& code = state_.entry->code;
  for (uint32_t k = code.first_operand[inst]; k < code.first_operand[inst + 1]; ++k) {
    const uint32_t o = code.operands[k];
    if (o != kNoRegister && (o & 1u) && code.registers[o >> 1].name == name) return true;
  }
  return false;
}

// As far as the text alone says.
bool Conditions::may_hold(const StopCondition& c, uint32_t inst) const {
  const Code& code = state_.entry->code;
  const RowKind kind = row(inst).kind;
  switch (c.kind) {
    case Stop::instruction:
    case Stop::moment:
      return true;
    case Stop::new_line:
      return lines_[inst] >= 0;
    case Stop::ptx_line:
      return code.info[inst].ptx_line == c.line;
    case Stop::source_line: {
      if (lines_[inst] < 0) return false;
      const SourceLine& line = lines_text_[static_cast<size_t>(lines_[inst])];
      return line.line == c.line && (c.file.empty() || c.file == line.file);
    }
    case Stop::event:
      return is_event(kind, c.event);
    case Stop::k_step:
      return begins_k_step_[inst];
    case Stop::cta_end:
      return kind == RowKind::leave;
    case Stop::writes_register:
      return writes(inst, c.name);
    case Stop::access:
      return touches_memory(kind, c.shared) && (c.line == 0 || code.info[inst].ptx_line == c.line);
  }
  return false;
}

void Conditions::set(std::span<const StopCondition> conditions) {
  now_.assign(conditions.begin(), conditions.end());
  const size_t count = state_.entry->code.instructions.size();
  flags_.assign(now_.empty() ? 0 : count, 0);
  for (const StopCondition& c : now_) {
    const uint8_t flag = c.kind == Stop::access ? Stepping::kObserved : Stepping::kAsked;
    for (uint32_t i = 0; i < count; ++i) {
      if (is_shown(i) && may_hold(c, i)) flags_[i] |= flag;
    }
  }
}

// The warp ran another line before; what has none does not count.
bool Conditions::begins_line(const CtaRunner& cta, uint32_t inst) const {
  const Block& block = state_.entry->code.blocks[block_of_[inst]];
  for (uint32_t i = inst; i-- > block.begin;) {
    if (lines_[i] >= 0) return lines_[i] != lines_[inst];
  }
  const uint32_t before = cta.last()[cta.current_warp()].lined;
  return before == kNoEndInst || last_line_[before] != lines_[inst];
}

bool Conditions::holds(const StopCondition& c, const CtaRunner& cta, uint32_t inst,
                       uint32_t active) const {
  if (c.kind == Stop::access) return false;
  if (!may_hold(c, inst)) return false;
  const uint32_t w = cta.current_warp();
  if ((c.warp && *c.warp != w) || (c.cta && !same_cta(*c.cta, cta.cta()))) return false;
  switch (c.kind) {
    case Stop::new_line:
      return begins_line(cta, inst);
    case Stop::k_step:
      return !c.iteration || cta.loops().place(w).iteration == static_cast<int32_t>(*c.iteration);
    case Stop::moment:
      return cta.step_at(inst) >= c.step;
    case Stop::cta_end:
      for (size_t i = 0; i < cta.warps().size(); ++i) {
        if ((cta.warps()[i].alive & ~(i == w ? active : 0u)) != 0) return false;
      }
      return true;
    case Stop::event:
      return active != 0;
    case Stop::writes_register:
      return c.lane ? (active >> *c.lane & 1u) != 0 : active != 0;
    case Stop::instruction:
    case Stop::ptx_line:
    case Stop::source_line:
    case Stop::access:
      break;
  }
  return true;
}

bool Conditions::hold(const CtaRunner& cta, uint32_t inst, uint32_t active) const {
  return std::ranges::any_of(now_,
                             [&](const StopCondition& c) { return holds(c, cta, inst, active); });
}

bool Conditions::hold_of_access(const CtaRunner& cta, const CtaRunner& memory, uint32_t inst,
                                Space space, bool reads, bool writes, uint32_t lanes,
                                const uint64_t* addresses, uint32_t bytes) const {
  return std::ranges::any_of(now_, [&](const StopCondition& c) {
    if (c.kind != Stop::access || !may_hold(c, inst)) return false;
    if (space != (c.shared ? Space::shared : Space::global)) return false;
    if (!((c.reads && reads) || (c.writes && writes))) return false;
    // A warp is one of the CTA that is named.
    if (c.warp && (*c.warp != cta.current_warp() || &memory != &cta)) return false;
    if (c.cta && !same_cta(*c.cta, memory.cta())) return false;
    for (uint32_t i = 0; i < 32; ++i) {
      if ((lanes >> i & 1u) == 0 || (c.lane && *c.lane != i)) continue;
      if (overlap(addresses[i], bytes, c.address, c.bytes)) return true;
    }
    return false;
  });
}

}  // namespace tilescope::emulator
