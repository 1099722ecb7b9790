#include "emulator/step/step_state.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>

namespace tilescope::emulator {
namespace {

constexpr uint32_t kNothing = 0xffffffffu;

/// Reads one CTA of the run.
class CtaReader {
 public:
  CtaReader(const Journey& journey, const CtaRunner& cta, bool is_present)
      : journey_(journey),
        state_(journey.work().state),
        code_(state_.entry->code),
        cta_(cta),
        stands_inside_(is_present && cta.position().inside),
        ended_(journey.is_at_end()) {}

  StepWarp warp(uint32_t w) const;
  StepRegisters registers(uint32_t w, const LiveRegisters& live, bool live_only) const;

 private:
  struct Ran {
    uint32_t inst = kNothing, lanes = 0;
    uint64_t step = 0;
  };
  bool is_present(uint32_t w) const { return stands_inside_ && w == cta_.current_warp(); }
  Ran last(uint32_t w) const;
  /// The first instruction of the text that lanes at this block run; kNothing if it has none.
  uint32_t first_of(uint32_t block, uint32_t from) const;
  StepSplit split(const Split& s, uint32_t inst) const;
  std::vector<bool> live_in(uint32_t w, const LiveRegisters& live) const;

  const Journey& journey_;
  const RunState& state_;
  const Code& code_;
  const CtaRunner& cta_;
  const bool stands_inside_, ended_;
};

uint32_t end_of(const Block& block) { return block.end + (block.end_inst != kNothing ? 1 : 0); }

uint32_t CtaReader::first_of(uint32_t block, uint32_t from) const {
  for (uint32_t i = from; i < end_of(code_.blocks[block]); ++i) {
    if (code_.info[i].opcode != kSynthetic) return i;
  }
  return kNothing;
}

// Of the text, with the lanes whose guard holds (as the guard is now).
CtaReader::Ran CtaReader::last(uint32_t w) const {
  // `first`: the step of the block's first instruction.
  const auto find = [&](uint32_t begin, uint32_t end, uint32_t lanes, uint64_t first) {
    for (uint32_t i = end; i-- > begin;) {
      if (code_.info[i].opcode == kSynthetic) continue;
      const uint64_t step = first + (i - begin);
      const uint16_t guard = code_.instructions[i].guard;
      if (guard == 0) return Ran{i, lanes, step};
      const uint32_t p = cta_.warps()[w].predicates[(guard >> 1) - 1];
      return Ran{i, lanes & (guard & 1u ? ~p : p), step};
    }
    return Ran{};
  };
  if (is_present(w)) {
    const Position& at = cta_.position();
    const uint32_t begin = code_.blocks[at.block].begin;
    const Ran here = find(begin, at.inst, at.split.mask, cta_.step_at(begin));
    if (here.inst != kNothing) return here;
  }
  const LastBlock& before = cta_.last()[w];
  if (before.block == kNothing) return {};
  const Block& block = code_.blocks[before.block];
  return find(block.begin, end_of(block), before.lanes,
              before.steps - (block.end - block.begin + 1));
}

StepSplit CtaReader::split(const Split& s, uint32_t inst) const {
  StepSplit split;
  split.lanes = s.mask;
  split.status = s.parked && s.barrier == kClusterBarrier ? StepSplit::Status::waits_for_cluster
                 : s.parked && s.barrier == kWarpgroup    ? StepSplit::Status::waits_for_warpgroup
                 : s.parked                               ? StepSplit::Status::at_barrier
                 : s.waiting                              ? StepSplit::Status::waits_for_lanes
                 : s.asleep                               ? StepSplit::Status::waits_for_memory
                                                          : StepSplit::Status::ready;
  split.barrier = split.status == StepSplit::Status::at_barrier ? s.barrier : 0;
  if (inst != kNothing) {
    split.ptx_line = code_.info[inst].ptx_line;
    split.source = journey_.lines().of(split.ptx_line);
  }
  return split;
}

StepWarp CtaReader::warp(uint32_t w) const {
  const Warp& from = cta_.warps()[w];
  StepWarp warp;
  warp.alive = from.alive;
  warp.epoch = from.epoch;
  warp.steps = from.steps;
  if (is_present(w)) {
    const Position& at = cta_.position();
    warp.steps = cta_.step_at(at.inst);
    warp.splits.push_back(split(at.split, at.inst));
    warp.splits.back().status = ended_ ? StepSplit::Status::ready : StepSplit::Status::next;
  }
  for (const Split& s : from.splits) {
    const Block& block = code_.blocks[s.block];
    warp.splits.push_back(split(s, s.parked ? block.end_inst : first_of(s.block, block.begin)));
  }
  for (const Poll& p : cta_.polls()) {
    if (p.warp != w) continue;
    StepPoll& poll = warp.polls.emplace_back();
    poll.lane = p.lane, poll.bytes = p.bytes, poll.address = p.address;
    poll.ptx_line = code_.info[p.inst].ptx_line;
    std::memcpy(&poll.value, p.value.data(), std::min<size_t>(p.bytes, sizeof poll.value));
  }
  const LoopCounter::Place place = cta_.loops().place(w);
  warp.loop = place.loop, warp.iteration = place.iteration;
  std::ranges::copy(from.groups, warp.pending_groups.begin());
  warp.copies = cta_.copies(w);
  for (StepCopies& copies : warp.copies) copies.source = journey_.lines().of(copies.ptx_line);
  const Ran ran = last(w);
  if (ran.inst != kNothing) {
    warp.ran_ptx_line = code_.info[ran.inst].ptx_line;
    warp.ran_lanes = ran.lanes;
    warp.ran_step = ran.step;
  }
  return warp;
}

std::vector<bool> CtaReader::live_in(uint32_t w, const LiveRegisters& live) const {
  std::vector<bool> all(code_.registers.size(), false);
  const auto add = [&](uint32_t block, uint32_t inst) {
    const std::vector<bool> more = live.at(block, inst);
    for (size_t r = 0; r < all.size(); ++r) all[r] = all[r] || more[r];
  };
  if (is_present(w)) add(cta_.position().block, cta_.position().inst);
  for (const Split& s : cta_.warps()[w].splits) {
    const Block& block = code_.blocks[s.block];
    add(s.block, s.parked ? block.end : block.begin);
  }
  return all;
}

StepRegisters CtaReader::registers(uint32_t w, const LiveRegisters& live, bool live_only) const {
  StepRegisters result;
  result.warp = w;
  const std::vector<bool> alive = live_in(w, live);
  const Ran ran = last(w);
  std::vector<uint32_t> written;
  if (ran.inst != kNothing) {
    for (uint32_t k = code_.first_operand[ran.inst]; k < code_.first_operand[ran.inst + 1]; ++k) {
      const uint32_t o = code_.operands[k];
      if (o != kNoRegister && (o & 1u)) written.push_back(o >> 1);
    }
  }
  const Warp& warp = cta_.warps()[w];
  for (uint32_t r = 0; r < code_.registers.size(); ++r) {
    const RegisterInfo& info = code_.registers[r];
    const uint32_t slot = code_.register_slots[r];
    if (slot == kNoRegister || info.name.empty()) continue;
    const uint32_t changed = std::ranges::count(written, r) ? ran.lanes : 0;
    if (live_only && !alive[r] && changed == 0) continue;
    const auto first = static_cast<uint32_t>(result.words.size());
    result.registers.push_back({info.name, info.function, info.bits, first, changed, alive[r]});
    const uint32_t words = info.bits == 1 ? 1 : info.bits == 64 ? 64 : 32;
    result.words.resize(first + words);
    const void* from = info.bits == 1 ? static_cast<const void*>(warp.predicates + slot)
                                      : static_cast<const void*>(warp.registers + slot);
    std::memcpy(result.words.data() + first, from, size_t{words} * 4);
  }
  return result;
}

std::string output_of(const Journey& journey) {
  std::map<uint64_t, std::string> by_cta = journey.work().output;
  for (const Turns::Resident& r : journey.turns().residents()) {
    if (!r.runner->output().empty()) by_cta[r.index] = r.runner->output();
  }
  std::string all;
  for (const auto& [index, text] : by_cta) {
    all += text.substr(0, kMaxOutput - std::min(all.size(), kMaxOutput));
  }
  return all;
}

StepBytes bytes_at(const Journey& journey, uint64_t address, uint64_t count) {
  const std::span<std::byte> found = journey.pages().bytes(address, count);
  if (found.size() != count) {
    throw std::out_of_range(std::to_string(count) + " bytes at address " + hex(address) +
                            " do not lie in a buffer of the launch.");
  }
  return {address, {found.begin(), found.end()}};
}

std::vector<uint32_t> wanted_warps(const StepParts& parts, const CtaRunner& cta, bool is_present) {
  const auto count = static_cast<uint32_t>(cta.warps().size());
  std::vector<uint32_t> warps;
  if (parts.all_warps) {
    for (uint32_t w = 0; w < count; ++w) warps.push_back(w);
  } else if (parts.warps) {
    warps = *parts.warps;
  } else {
    warps = {is_present ? cta.current_warp() : 0};
  }
  for (uint32_t w : warps) {
    if (w < count) continue;
    throw std::out_of_range("warp " + std::to_string(w) + " does not exist: the CTA has " +
                            std::to_string(count) + ", from 0 on.");
  }
  return warps;
}

StepWriters writers_of(const Journey& journey, const LastWriters& from) {
  StepWriters writers{from.grain(), from.entries(), {}};
  std::set<int> lines;
  for (size_t i = 0; i < writers.entries.size(); ++i) {
    if (i > 0 && writers.entries[i] == writers.entries[i - 1]) continue;
    if (const auto by = writers.at(i * writers.grain)) lines.insert(by->ptx_line);
  }
  for (const int line : lines) writers.lines.push_back({line, journey.lines().of(line)});
  return writers;
}

void read_barriers(const CtaRunner& cta, StepState& state) {
  for (uint32_t id = 0; id < cta.barriers().size(); ++id) {
    const Barrier& b = cta.barriers()[id];
    if (!b.used) continue;
    state.barriers.push_back({id, b.expected == kNothing ? 0 : b.expected, b.arrived});
  }
}

}  // namespace

const char* status_name(StepSplit::Status status) {
  switch (status) {
    case StepSplit::Status::next:
      return "next";
    case StepSplit::Status::ready:
      return "ready";
    case StepSplit::Status::at_barrier:
      return "at_barrier";
    case StepSplit::Status::waits_for_lanes:
      return "waits_for_lanes";
    case StepSplit::Status::waits_for_memory:
      return "waits_for_memory";
    case StepSplit::Status::waits_for_warpgroup:
      return "waits_for_warpgroup";
    case StepSplit::Status::waits_for_cluster:
      return "waits_for_cluster";
  }
  return "unknown";
}

StepPlace place_of(const Journey& journey) {
  StepPlace place;
  place.tick = journey.now();
  place.ended = journey.is_at_end();
  if (place.ended) place.fault = journey.work().fault;
  const CtaRunner* cta = journey.runner();
  if (!cta) return place;
  const Code& code = journey.work().state.entry->code;
  const uint32_t w = cta->current_warp();
  place.cta = cta->cta();
  place.warp = w;
  const Warp& warp = cta->warps()[w];
  place.step = warp.steps;
  place.epoch = warp.epoch;
  const LoopCounter::Place loop = cta->loops().place(w);
  place.loop = loop.loop, place.iteration = loop.iteration;
  const Position& at = cta->position();
  if (!at.inside) return place;
  place.step = cta->step_at(at.inst);
  const uint16_t guard = code.instructions[at.inst].guard;
  const uint32_t p = guard ? warp.predicates[(guard >> 1) - 1] : 0;
  place.active = at.split.mask & (guard == 0 ? ~0u : guard & 1u ? ~p : p);
  const InstInfo& info = code.info[at.inst];
  place.ptx_line = info.ptx_line;
  place.source = journey.lines().of(info.ptx_line);
  if (info.opcode != kSynthetic) place.opcode = code.opcodes[info.opcode];
  return place;
}

StepState state_of(const Journey& journey, const LiveRegisters& live, const StepParts& parts) {
  StepState state;
  state.place = place_of(journey);
  const CtaRunner* cta = parts.cta ? nullptr : journey.runner();
  for (const Turns::Resident& r : journey.turns().residents()) {
    const Dim3 at = r.runner->cta();
    state.residents.push_back(
        {at, r.round == CtaRunner::Round::waits || r.round == CtaRunner::Round::peers});
    if (parts.cta && same(*parts.cta, at)) cta = r.runner.get();
  }
  state.ctas_ended = journey.work().done;
  const CtaRunner* present = journey.runner();
  if (parts.cta && present && same(*parts.cta, present->cta())) cta = present;
  if (parts.cta && !cta) {
    throw std::out_of_range(cta_words(*parts.cta) +
                            " has not begun or has ended here, so there is no state of it.");
  }
  if (cta) {
    const CtaReader reader(journey, *cta, cta == present);
    state.cta = cta->cta();
    for (uint32_t w = 0; w < cta->warps().size(); ++w) state.warps.push_back(reader.warp(w));
    read_barriers(*cta, state);
    for (uint32_t w : wanted_warps(parts, *cta, cta == present)) {
      state.registers.push_back(reader.registers(w, live, parts.live_only));
      if (!parts.local) continue;
      const auto local = cta->local(w);
      state.local.insert(state.local.end(), local.begin(), local.end());
    }
    if (parts.shared) state.shared.assign(cta->shared().begin(), cta->shared().end());
    if (parts.writers) state.writers = writers_of(journey, cta->last_writers());
  }
  for (const auto& [address, count] : parts.global) {
    state.global.push_back(bytes_at(journey, address, count));
  }
  if (parts.written_pages) {
    for (uint64_t address : journey.pages().written()) {
      const auto bytes = journey.pages().bytes(address, kPageBytes);
      state.global.push_back({address, {bytes.begin(), bytes.end()}});
    }
  }
  if (parts.output) state.output = output_of(journey);
  return state;
}

}  // namespace tilescope::emulator
