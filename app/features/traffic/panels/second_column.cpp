#include "app/features/traffic/panels/second_column.h"

#include "app/kit/table_cells.h"
#include "app/kit/widgets.h"

namespace tilescope::widgets {

TrafficColumn second_column() {
  return {"from B", 0.8f, "How far it is from what B has there, in parts of B's"};
}

void second_cell(const AppContext& context, const std::optional<AgainstSecond>& against) {
  ImGui::TableNextColumn();
  if (!against) return right_text(context, "–", tone_color(context, Tone::dim));
  const std::string text = against_text(*against);
  const Tone tone = text == "same" ? Tone::dim : against->part > 0 ? Tone::warning : Tone::ok;
  right_text(context, text, tone_color(context, tone));
  tooltip(context, against->words);
}

}  // namespace tilescope::widgets
