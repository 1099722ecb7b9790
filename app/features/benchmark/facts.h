// What stands beside the headline of Live benchmark, each of what stands now.
#pragma once
#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "app/state/status_item.h"

namespace tilescope {

struct Fact {
  std::string figure;
  std::string caption;
  std::string tip;
  StatusItem::Kind kind = StatusItem::Kind::kPlain;
  const char* command = "";  // that a click runs
};
/// `point`: of the headline.
std::vector<Fact> facts_of(const AppState& state, const HistoryPoint& point);

}  // namespace tilescope
