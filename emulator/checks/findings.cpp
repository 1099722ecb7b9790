#include "emulator/checks/findings.h"

namespace tilescope::emulator {

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

Finding Findings::make(Dim3 cta, const Sighting& seen, const std::string& text, uint64_t count,
                       bool remark) const {
  Finding f;
  f.remark = remark;
  f.count = count;
  f.fault.kind = seen.kind;
  f.fault.cta = cta;
  f.fault.warp = seen.warp;
  f.fault.lane = seen.lane;
  f.fault.address = seen.address;
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

void Findings::push(const Key& key, Finding&& finding) {
  index_.emplace(key, all_.size());
  keys_.push_back(key);
  all_.push_back(std::move(finding));
}

void Findings::merge(Findings&& later) {
  for (size_t i = 0; i < later.all_.size(); ++i) {
    Finding& f = later.all_[i];
    if (auto it = index_.find(later.keys_[i]); it != index_.end()) {
      all_[it->second].count += f.count;
    } else if (all_.size() < kMost) {
      push(later.keys_[i], std::move(f));
    }
  }
}

}  // namespace tilescope::emulator
