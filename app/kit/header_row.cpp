#include "app/kit/header_row.h"

#include "app/kit/widgets.h"
#include "core/language/language.h"

namespace tilescope::widgets {
namespace {

constexpr const char* kMore = "…";

/// How many of the first items have room, with the button for the others where it is needed.
size_t fitting(std::span<const HeaderItem> items, float room, float gap) {
  float all = -gap;
  for (const HeaderItem& item : items) all += item.width + gap;
  if (all <= room) return items.size();
  float used = small_button_width(kMore);
  size_t count = 0;
  while (count < items.size() && used + gap + items[count].width <= room) {
    used += gap + items[count++].width;
  }
  return count;
}

}  // namespace

float small_button_width(const char* label) {
  return ImGui::CalcTextSize(tr(label)).x + 2 * ImGui::GetStyle().FramePadding.x;
}

bool beside(float gap, float width) {
  // The cursor is at the begin of the next line: there the row's right end is known.
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  const bool room = ImGui::GetItemRectMax().x + gap + width <= right;
  if (room) ImGui::SameLine(0, gap);
  return room;
}

void header_row(const AppContext& context, std::span<const HeaderItem> items) {
  const float gap = 8 * context.scale;
  const size_t shown = fitting(items, ImGui::GetContentRegionAvail().x, gap);
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) ImGui::SameLine(0, gap);
    items[i].draw();
  }
  if (shown == items.size()) return;
  if (shown > 0) ImGui::SameLine(0, gap);
  if (ImGui::SmallButton(kMore)) ImGui::OpenPopup("more");
  tooltip(context, "What has no room beside the tab");
  if (!ImGui::BeginPopup("more")) return;
  for (size_t i = shown; i < items.size(); ++i) items[i].draw();
  ImGui::EndPopup();
}

}  // namespace tilescope::widgets
