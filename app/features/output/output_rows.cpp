#include "app/features/output/output_rows.h"

#include <algorithm>

#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/model/format.h"
#include "worker/messages/findings.h"

namespace tilescope {
namespace {

std::string number(uint64_t n) { return model::grouped(static_cast<long long>(n)); }

std::string place_words(const emulator::StepCopies& c) {
  return c.source.line > 0 ? wording("line {}", c.source.line) : wording("PTX line {}", c.ptx_line);
}

std::string copies_words(const emulator::StepCopies& c) {
  if (c.copies == 0) return tr("nothing");
  return wording("{} B by {} cop{}", number(c.bytes), number(c.copies),
                 c.copies == 1 ? "y" : "ies");
}

}  // namespace

std::vector<FindingSoFar> findings_so_far(const worker::StepAnswer& answer) {
  std::vector<FindingSoFar> rows;
  if (!answer.checks) return rows;
  for (const worker::StepFinding& f : answer.checks->found) {
    FindingSoFar& row = rows.emplace_back();
    row.head = worker::finding_label(f.finding, f.finding.file);
    if (f.finding.count > 1) row.head += wording(" · {} lanes", number(f.finding.count));
    row.text = retold(f.finding.message);
    // A line of another file is no line of Source.
    row.place = {f.finding.file.empty() ? f.finding.line : 0, f.finding.ptx_line};
    const auto& cta = f.finding.cta;
    row.moment = {{static_cast<int>(cta[0]), static_cast<int>(cta[1]), static_cast<int>(cta[2])},
                  f.seen_warp,
                  f.seen_step};
  }
  return rows;
}

std::string findings_summary(const worker::StepAnswer& answer) {
  if (!answer.checks) return "";
  const uint64_t later = answer.checks->later;
  std::string text = wording("{} up to here", answer.checks->found.size());
  if (later > 0) text += wording(", {} come{} later", number(later), later == 1 ? "s" : "");
  if (answer.checks->cut_short) text = wording("{}, perhaps more", text);
  return text;
}

std::vector<CopiesOfWarp> copies_in_flight(const emulator::StepState& state) {
  std::vector<CopiesOfWarp> rows;
  for (size_t w = 0; w < state.warps.size(); ++w) {
    const std::vector<emulator::StepCopies>& all = state.warps[w].copies;
    if (all.empty()) continue;
    CopiesOfWarp& row = rows.emplace_back();
    row.warp = static_cast<int>(w);
    const auto groups = std::ranges::count_if(all, &emulator::StepCopies::committed);
    std::string sizes, open;
    for (const emulator::StepCopies& c : all) {
      if (c.committed) {
        sizes += (sizes.empty() ? "" : ", ") + number(c.bytes) + " B";
        row.tip += wording("a group: {}, committed at {}, step {}\n", copies_words(c),
                           place_words(c), number(c.step));
      } else {
        open = wording("{} B not committed", number(c.bytes));
        row.tip += wording("not committed: {}, the last at {}, step {}\n", copies_words(c),
                           place_words(c), number(c.step));
      }
    }
    if (groups > 0) row.words = wording("{} group{}: {}", groups, groups == 1 ? "" : "s", sizes);
    if (!open.empty()) row.words += (row.words.empty() ? "" : " · ") + open;
    const emulator::StepCopies& oldest = all.front();
    row.place = {oldest.source.line, oldest.ptx_line};
    const emulator::Dim3& cta = state.cta;
    row.moment = {{static_cast<int>(cta.x), static_cast<int>(cta.y), static_cast<int>(cta.z)},
                  row.warp,
                  oldest.step};
  }
  return rows;
}

std::string end_of_text(const std::string& text, size_t most) {
  if (text.size() <= most) return text;
  size_t from = text.size() - most;
  const size_t line = text.find('\n', from);
  if (line != std::string::npos && line + 1 < text.size()) from = line + 1;
  return wording("… {} bytes before\n", number(from)) + text.substr(from);
}

}  // namespace tilescope
