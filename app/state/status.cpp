#include "app/state/status.h"

#include "app/state/private_copy.h"

#include "app/state/code_link.h"
#include "app/state/feature.h"
#include "app/state/present.h"
#include "app/state/residency.h"
#include "app/state/verifying.h"
#include "core/language/language.h"
#include "core/language/retold.h"
#include "worker/messages/findings.h"

namespace tilescope {
namespace {

using Kind = StatusItem::Kind;

/// Why what features have chosen beside the kernel cannot be.
std::vector<std::string> impossible_choices(const AppState& state) {
  std::vector<std::string> why;
  for (const Feature* feature : all_features()) {
    std::string sentence = feature->impossible ? feature->impossible(state) : std::string();
    if (!sentence.empty()) why.push_back(std::move(sentence));
  }
  return why;
}

void add_compiled(const AppState& state, std::vector<StatusItem>& items) {
  if (!state.derived.kernel) return;
  if (!state.derived.legal()) {
    items.push_back({"not compiled", Kind::kPlain});
  } else if (const worker::CompileResult* told = compiled(state)) {
    items.push_back({wording("{} registers, {} B spilled", told->registers, told->spill_bytes),
                     trust_of(state) == Trust::whole ? Kind::kPlain : Kind::kDim});
  }
}

/// Whether C is right, and what the checks found.
void add_verdict(const AppState& state, std::vector<StatusItem>& items) {
  const Results& r = present_results(state);
  const worker::CodeFinding* found = worker::first_error(r.findings);
  const Verdict verdict = verdict_of(state);
  if (verdict.kind == Verdict::Kind::wrong) {
    items.push_back({verdict.text, Kind::kWarning, verdict.tip});
  } else if (verdict.kind != Verdict::Kind::none && !found) {
    items.push_back(
        {verdict.text, trust_of(state) == Trust::whole ? Kind::kPlain : Kind::kDim, verdict.tip});
  }
  if (!found) return;
  const bool right = verdict.kind == Verdict::Kind::partial || verdict.kind == Verdict::Kind::whole;
  const std::string label = worker::finding_label(*found, other_file_shown(state));
  items.push_back({right ? wording("right here, but {}", label) : label, Kind::kWarning,
                   wording("{}\nClick to see the line in Source.", retold(found->message)),
                   "source.finding"});
}

}  // namespace

StatusItem legality(const AppState& state) {
  if (const OwnKernel* own = state.edit.own()) {
    return {name_of(*own), Kind::kPlain,
            wording("{}\nA kernel of your own; it has no sliders.", own->file)};
  }
  if (!state.derived.legal()) return {"illegal", Kind::kWarning, state.derived.sentence};
  if (has_failed(state)) {
    return {"legal", Kind::kDim, "The tile keeps the kernel's rules; its work has failed."};
  }
  if (!impossible_choices(state).empty()) {
    return {"legal", Kind::kDim, "The kernel's tile, not what is chosen beside it."};
  }
  return {"legal", Kind::kOk};
}

std::vector<StatusItem> status_items(const AppState& state) {
  std::vector<StatusItem> items;
  for (const std::string& why : impossible_choices(state)) {
    items.push_back({why, Kind::kWarning, why});
  }
  items.push_back(legality(state));
  if (has_private_copy(state)) {
    items.push_back({wording("changed source: {}", std::string(state.derived.kernel->file)),
                     Kind::kWarning,
                     "What runs is the text that was changed in Source, not the ladder's. Click to "
                     "see what differs.",
                     "source.difference"});
  }
  add_compiled(state, items);
  add_verdict(state, items);
  const Results& r = state.results;
  if ((state.derived.legal() || state.edit.own()) && !r.error.empty()) {
    const std::string& place = state.error_place_before;
    items.push_back({place.empty() ? r.error : wording("failed: see {}", place.c_str()),
                     Kind::kWarning, retold(r.error) + "\n" + r.error_details});
  }
  if (!state.device_notice.empty())
    items.push_back({state.device_notice, Kind::kWarning, state.device_notice});
  if (!state.kernel_dir_notice.empty())
    items.push_back({state.kernel_dir_notice, Kind::kWarning, state.kernel_dir_notice});
  if (!state.said.empty() && state.now < state.said_until)
    items.push_back({state.said, Kind::kOk, state.said});
  return items;
}

}  // namespace tilescope
