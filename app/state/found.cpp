#include "app/state/found.h"

#include "app/state/private_copy.h"

#include <algorithm>
#include <utility>

#include "app/state/present.h"

namespace tilescope {
namespace {

size_t records(const Results& r) {
  if (!r.trace) return 0;
  return r.trace->events.size() + r.trace->lead.size() + r.trace->raw.size();
}

bool whole(const Results& r) { return r.of && r.stage != Stage::failed && r.error.empty(); }

auto at_of(const std::vector<Results>& found, const FoundFor& of) {
  return std::ranges::find_if(found, [&](const Results& r) { return r.of == of; });
}

void keep_bounds(std::vector<Results>& found) {
  size_t kept = 0, sum = 0;
  for (; kept < std::min(found.size(), kMostFound); ++kept) {
    sum += records(found[kept]);
    if (kept > 0 && sum > kMostFoundRecords) break;
  }
  found.resize(kept);
}

}  // namespace

FoundFor found_for(const AppState& state, const Edit& edit) {
  return {edit.subject,   edit.problem,          state.device,
          state.gpu.name, sources_folder(state), state.kernel_files_serial};
}

void put_by(AppState& state) {
  if (!whole(state.results)) return;
  std::vector<Results>& found = state.found;
  if (const auto old = at_of(found, *state.results.of); old != found.end()) found.erase(old);
  found.insert(found.begin(), state.results);
  keep_bounds(found);
}

bool take_found(AppState& state) {
  if (!state.derived.legal()) return false;
  const auto at = at_of(state.found, found_for(state, state.edit));
  if (at == state.found.end()) return false;
  state.results = *at;
  state.results.edit_serial = state.edit_serial;
  state.results.stage = Stage::done;
  state.results.stage_since = state.now;
  return true;
}

const Results* find_results(const AppState& state, const Edit& edit) {
  const FoundFor of = found_for(state, edit);
  if (trust_of(state) == Trust::whole && state.results.of == of) return &state.results;
  const auto at = at_of(state.found, of);
  return at != state.found.end() ? &*at : nullptr;
}

}  // namespace tilescope
