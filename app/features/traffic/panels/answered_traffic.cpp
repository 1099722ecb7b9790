#include "app/features/traffic/panels/answered_traffic.h"

#include <algorithm>

#include "app/common/difference_rows.h"
#include "app/features/traffic/traffic_rows.h"
#include "app/kit/core/answered_row.h"
#include "app/state/wrong_answer.h"

namespace tilescope::widgets {
namespace {

constexpr const char* kTrafficSections[] = {kModelSection, kTrafficSection, kSharedSection};

bool is_level(std::string_view row) {
  const std::string_view section = difference_section(row);
  return std::ranges::any_of(kTrafficSections,
                             [&](std::string_view one) { return one == section; });
}

}  // namespace

void answered_traffic(const AppContext& context, bool has_levels) {
  const AppState& state = *context.state;
  // Rows are made for this alone only where something is wrong.
  if (!answered_fact_of(state, kTrafficSections)) return;
  if (has_levels &&
      std::ranges::any_of(traffic_rows(state, model::Count::bytes), [&](const TrafficRow& row) {
        return is_level(row.id) && answered_fact(state, row.id) != nullptr;
      })) {
    return;
  }
  answered_line(context, kTrafficSections);
}

void answered_level(const AppContext& context, std::string_view level) {
  if (is_level(level)) answered_row(context, level);
}

}  // namespace tilescope::widgets
