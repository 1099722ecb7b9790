#include "emulator/checks/check_findings.h"

#include <algorithm>

namespace tilescope::emulator {
namespace {

void insert(std::vector<int>& ascending, int line) {
  const auto at = std::lower_bound(ascending.begin(), ascending.end(), line);
  if (at == ascending.end() || *at != line) ascending.insert(at, line);
}

}  // namespace

std::string place_words(const RunState& state, uint32_t inst) {
  if (inst == kNoInst) return "";
  const int line = state.entry->code.info[inst].ptx_line;
  std::string words;
  for (const SourceLine& source : state.program->source_chain(line)) {
    words += source.file + ":" + std::to_string(source.line) + "<";
  }
  return words.empty() ? std::to_string(line) : words;
}

std::string line_words(const RunState& state, uint32_t inst) {
  if (inst == kNoInst) return "";
  const int line = state.entry->code.info[inst].ptx_line;
  const SourceLine source = state.program->source_line(line);
  std::string text = " at PTX line " + std::to_string(line);
  if (source.line) text += " (" + source.file + ":" + std::to_string(source.line) + ")";
  return text;
}

std::string cta_words(Dim3 cta) {
  return "CTA (" + std::to_string(cta.x) + ", " + std::to_string(cta.y) + ", " +
         std::to_string(cta.z) + ")";
}

Finding Findings::make(Dim3 cta, const Sighting& seen, const std::string& text, bool remark) const {
  Finding f;
  f.remark = remark;
  f.count = 0;
  f.between_lanes = seen.between_lanes;
  f.fault.kind = seen.kind;
  f.fault.cta = cta;
  f.fault.warp = seen.warp;
  f.fault.lane = seen.lane;
  f.fault.address = seen.address;
  f.seen = moment_of(seen.inst);
  if (seen.inst != kNoInst) {
    f.fault.ptx_line = state_->entry->code.info[seen.inst].ptx_line;
    f.fault.source = state_->program->source_line(f.fault.ptx_line);
  }
  if (seen.other != kNoInst) {
    f.other_ptx_line = state_->entry->code.info[seen.other].ptx_line;
    f.other_source = state_->program->source_line(f.other_ptx_line);
  }
  const std::string at = line_words(*state_, seen.inst);
  f.fault.message = cta_words(cta) + ", warp " + std::to_string(seen.warp) + ", lane " +
                    std::to_string(seen.lane) + ": " + text + (at.empty() ? "" : "," + at) + ".";
  return f;
}

// What is told of an instruction of another block or warp was seen at the end of this one: a
// barrier, or a wait.
std::optional<Finding::Moment> Findings::moment_of(uint32_t inst) const {
  if (!block_) return std::nullopt;
  const uint64_t first = steps_ - (block_->end - block_->begin + 1);
  const bool inside = inst >= block_->begin && inst <= block_->end;
  return Finding::Moment{warp_, inside ? first + (inst - block_->begin) : steps_ - 1};
}

std::pair<size_t, bool> Findings::place_of(const Sighting& seen, bool remark) {
  const Key key{seen.kind, remark, seen.inst, seen.other, seen.between_lanes};
  if (const auto it = index_.find(key); it != index_.end()) return {it->second, true};
  const Place place{seen.kind, remark, place_words(*state_, seen.inst)};
  auto it = places_.find(place);
  if (it == places_.end()) {
    if (all_.size() >= kMost) return {kNoRoom, false};
    it = places_.emplace(place, all_.size()).first;
    names_.push_back(place);
  }
  if (index_.size() < kMostKeys) index_.emplace(key, it->second);
  return {it->second, false};
}

Finding Findings::take_over(Finding finding, Finding&& before) {
  finding.count = before.count;
  finding.ptx_lines = std::move(before.ptx_lines);
  finding.other_ptx_lines = std::move(before.other_ptx_lines);
  return finding;
}

void Findings::note_lines(Finding& finding, const Sighting& seen) const {
  const auto line = [&](uint32_t inst) { return state_->entry->code.info[inst].ptx_line; };
  if (seen.inst != kNoInst) insert(finding.ptx_lines, line(seen.inst));
  if (seen.other != kNoInst) insert(finding.other_ptx_lines, line(seen.other));
}

void Findings::merge(Findings&& later) {
  for (size_t i = 0; i < later.all_.size(); ++i) {
    Finding& f = later.all_[i];
    const auto it = places_.find(later.names_[i]);
    if (it == places_.end()) {
      if (all_.size() >= kMost) continue;
      places_.emplace(later.names_[i], all_.size());
      names_.push_back(later.names_[i]);
      all_.push_back(std::move(f));
      continue;
    }
    Finding& known = all_[it->second];
    known.count += f.count;
    for (const int line : f.ptx_lines) insert(known.ptx_lines, line);
    for (const int line : f.other_ptx_lines) insert(known.other_ptx_lines, line);
    if (known.between_lanes && !f.between_lanes) known = take_over(std::move(f), std::move(known));
  }
}

}  // namespace tilescope::emulator
