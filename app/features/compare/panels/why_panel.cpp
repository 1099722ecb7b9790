// Why: from B's time to A's in steps, a cause each.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/features/compare/panels/compare_parts.h"
#include "app/features/compare/why_second.h"
#include "app/kit/scene_cache.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/second.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

using namespace widgets;

struct View {
  SceneCache<viz::WaterfallState> cache{&viz::build_waterfall};
  int hovered = -1;
  WhySecond why;
};
View& view() {
  static View v;
  return v;
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  if (!need_second(context, "Why")) return;
  View& v = view();
  v.why = why_second(state);
  ImGui::PushTextWrapPos(0);
  ImGui::PushFont(context.fonts.bold, Fonts::kText);
  ImGui::TextUnformatted(v.why.sentence.c_str());
  ImGui::PopFont();
  ImGui::PopTextWrapPos();
  if (!v.why.known()) return;
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context, wording("one launch · {}", translated(v.why.standing)), Tone::dim);
  ImGui::PopFont();
  v.why.bars.hovered = v.hovered;
  viz::Size size = room_for_scene(context);
  size.h = std::max(size.h, viz::waterfall_height(v.why.bars));
  const SceneInput input = show_scene(context, "why_scene", v.cache.get(context, size, v.why.bars));
  v.hovered = -1;
  if (!input.hovered || input.hovered->kind != viz::Pick::Kind::point) return;
  const auto index = static_cast<size_t>(input.hovered->value);
  if (index >= v.why.bars.steps.size()) return;
  v.hovered = input.hovered->value;
  const viz::WaterfallStep& step = v.why.bars.steps[index];
  tooltip(context, fmt::format("{}: {}\n{}{}", step.name, step.figure, v.why.tips[index],
                               step.words.empty() ? "" : "\n" + step.words));
}

}  // namespace

extern const Panel why_panel = {
    .id = "compare_why",
    .title = "Why",
    .docks = {.tune = Dock::kBottomRight, .compare = Dock::kBottomLeft},
    .draw = draw,
    .without_plan = true,
};

}  // namespace tilescope
