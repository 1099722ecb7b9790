#include "app/state/feature.h"

#include <nlohmann/json.hpp>

#include "app/features/own/bug_progress.h"
#include "app/features/own/own_asker.h"
#include "app/features/own/own_examples.h"
#include "app/features/own/own_measurer.h"
#include "app/features/own/own_view.h"

namespace tilescope {
namespace own_row {
namespace {

constexpr size_t kLongestPath = 4096;

std::vector<std::unique_ptr<Asker>> askers(WorkerLink& link) {
  return list_of<OwnAsker, OwnMeasurer>(link);
}

void save(const AppState& state, nlohmann::json& session) {
  session["own_files"] = state.of<OwnRecent>().files;
  save_bugs(state, session);
}

void load(AppState& state, const nlohmann::json& session) {
  load_bugs(state, session);
  const auto files = session.find("own_files");
  if (files == session.end() || !files->is_array()) return;
  OwnRecent recent;
  for (const nlohmann::json& file : *files) {
    const bool path = file.is_string() && !file.get_ref<const std::string&>().empty() &&
                      file.get_ref<const std::string&>().size() <= kLongestPath;
    if (path && recent.files.size() < kMostRecent) recent.files.push_back(file.get<std::string>());
  }
  state.of<OwnRecent>() = std::move(recent);
}

std::vector<std::string> opened(const AppState& state) { return state.of<OwnRecent>().files; }

}  // namespace
}  // namespace own_row

extern const Feature own_feature{.askers = own_row::askers,
                                 .begin_frame = look_at_bugs,
                                 .session = {.save = own_row::save,
                                             .load = own_row::load,
                                             .personal = true,
                                             .opened = own_row::opened},
                                 .answers = example_answers};

}  // namespace tilescope
