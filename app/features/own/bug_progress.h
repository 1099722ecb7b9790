// How far a person has come with each planted bug: found, and mended and proven right.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/features/own/own_bugs.h"
#include "app/state/app_state.h"

namespace tilescope {

enum class BugState { untried, found, proven };

/// AppState::of<BugView>().
struct BugView {
  std::map<std::string, BugState> known;  // by id: the best that it came to
  std::map<std::string, int> hints;       // by id: how many are shown
  std::string closed;                     // id of the one whose card was put away
};

BugState bug_state(const AppState& state, const PlantedBug& bug);
/// Once per frame: what stands there, is pointed at and has been run is seen by itself.
void look_at_bugs(AppState& state);

/// Opens its file; or why not, in a sentence.
std::string open_bug(AppState& state, const PlantedBug& bug);
/// All hints of a bug; the last one names the line.
std::vector<std::string> hints_of(const PlantedBug& bug);
/// The cure against what stands in Source, in place of it, or no more.
void show_cure(AppState& state, const PlantedBug& bug, bool on);
bool is_cure_shown(const AppState& state);

void save_bugs(const AppState& state, nlohmann::json& session);
void load_bugs(AppState& state, const nlohmann::json& session);

}  // namespace tilescope
