#include "app/features/source/panels/source_news.h"

#include <algorithm>
#include <cstdlib>

#include "app/kit/widgets.h"
#include "core/language/language.h"

namespace tilescope::widgets {
namespace {

size_t nearest(const std::vector<LineBlock>& blocks, int line) {
  const auto far = [line](const LineBlock& b) {
    return line < b.first ? b.first - line : line > b.last ? line - b.last : 0;
  };
  const auto found = std::min_element(
      blocks.begin(), blocks.end(), [&](const auto& a, const auto& b) { return far(a) < far(b); });
  return static_cast<size_t>(found - blocks.begin());
}

std::string legend(const KernelEntry& kernel, const std::vector<LineBlock>& blocks) {
  const KernelEntry* below = rung_below(kernel);
  if (!below) return "the lowest rung: there is none below it to differ from";
  if (blocks.empty()) return wording("no line differs from {}", below->file);
  int lines = 0;
  for (const LineBlock& block : blocks) lines += block.last - block.first + 1;
  return wording("new since {:02} {}: {} lines in {} places", below->info.number, below->info.id,
                 lines, blocks.size());
}

}  // namespace

SourceNews source_news(AppContext& context, const KernelEntry& kernel,
                       const std::vector<LineBlock>& blocks, int line) {
  SourceNews asked;
  const float s = context.scale, height = ImGui::GetFrameHeight();
  ImGui::PushID("news");
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (!blocks.empty()) {  // the mark itself
    ImGui::GetWindowDrawList()->AddRectFilled(
        {at.x, at.y + 2 * s}, {at.x + 4 * s, at.y + height - 2 * s}, to_imgui(context.theme->ok));
  }
  ImGui::Dummy({4 * s, height});
  ImGui::SameLine(0, 4 * s);
  ImGui::AlignTextToFramePadding();
  const float gap = 2 * s, buttons = (blocks.empty() ? 1 : 3) * (height + gap);
  elided(context, legend(kernel, blocks), Tone::plain,
         std::max(40 * s, ImGui::GetContentRegionAvail().x - buttons - gap));
  const auto button = [&](const char* label, const char* tip) {
    ImGui::SameLine(0, gap);
    const bool pressed = ImGui::Button(tr_id(label), {height, 0});
    tooltip(context, tip);
    return pressed;
  };
  if (!blocks.empty()) {
    const size_t here = nearest(blocks, line), count = blocks.size();
    // From between two blocks the next one is below, not the one after it.
    const size_t next = line < blocks[here].first ? here : (here + 1) % count;
    const size_t previous = line > blocks[here].last ? here : (here + count - 1) % count;
    if (button("▲###previous", "The place before this one")) asked.show = blocks[previous].first;
    if (button("▼###next", "The next place that is new")) asked.show = blocks[next].first;
  }
  if (button("×###close", "No marks for what is new")) asked.close = true;
  ImGui::PopID();
  return asked;
}

}  // namespace tilescope::widgets
