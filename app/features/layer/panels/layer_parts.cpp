#include "app/features/layer/panels/layer_parts.h"
#include "app/features/layer/layer_causes.h"
#include "app/features/layer/layer_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/model/format.h"
#include "core/model/names.h"
#include "viz/scene/layer/formula.h"
#include "viz/scene/layer/rank_fill.h"

namespace tilescope::widgets {

bool layer_to_show(const AppContext& context) {
  if (shown_layer(*context.state)) return true;
  empty_panel(context, "No layer to show",
              why_not(context.state->edit.beside.of<ChosenLayer>().layer) + ".");
  return false;
}

void formula_text(const AppContext& context, const std::string& text, Tone tone) {
  const std::vector<std::string_view> parts = viz::formula_parts(text);
  const float size = ImGui::GetFontSize();
  float width = 0;
  for (const std::string_view part : parts) {
    width += ImGui::CalcTextSize(part.data(), part.data() + part.size()).x + size * 0.5f;
  }
  if (parts.size() == 1 || width > ImGui::GetContentRegionAvail().x) {
    return elided(context, viz::plain_formula(text), tone);
  }
  const ImU32 ink = ImGui::GetColorU32(tone_color(context, tone));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  float x = at.x;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      const float small = size * viz::kRaisedSize;
      draw->AddText(ImGui::GetFont(), small, {x, at.y - size * 0.08f}, ink, "T");
      x += ImGui::GetFont()->CalcTextSizeA(small, FLT_MAX, 0, "T").x + context.scale;
    }
    const char* const end = parts[i].data() + parts[i].size();
    draw->AddText({x, at.y}, ink, parts[i].data(), end);
    x += ImGui::CalcTextSize(parts[i].data(), end).x;
  }
  ImGui::Dummy({x - at.x, ImGui::GetTextLineHeight()});
}

void hover_step(AppContext& context, int step, int chunk, std::optional<int> rank) {
  context.state->of<LayerView>().hover = step;
  tooltip(context, step_words(*context.state, step, chunk, rank));
}

void follow_steps(AppContext& context, const SceneInput& input) {
  if (!input.hovered || input.hovered->kind != viz::Pick::Kind::point) return;
  const viz::Pick& pick = *input.hovered;
  if (pick.row < 0) {
    hover_step(context, pick.value);
  } else {  // a bar of the time line
    hover_step(context, pick.value, pick.row, pick.col);
  }
  if (input.clicked) choose_step(*context.state, input.hovered->value);
}

std::string step_words(const AppState& state, int number, int chunk, std::optional<int> rank) {
  const workload::Layer* layer = shown_layer(state);
  if (!layer) return {};
  const workload::Workload w = make_workload(*layer);
  if (number < 0 || number >= static_cast<int>(w.steps.size())) return {};
  const workload::Step& step = w.steps[static_cast<size_t>(number)];
  std::string text = fmt::format("{}. {}", number + 1, viz::plain_formula(step.name));
  if (step.chunks > 1) text += wording(", {} chunks", step.chunks);
  if (step.kind == workload::StepKind::gemm) {
    const Problem p = problem_of(w, step, 0);
    text += wording("\nof rank 0: {} × {} × {}, {} → {}", model::grouped(p.m), model::grouped(p.n),
                    model::grouped(p.k), model::name_of(p.type_a), model::name_of(p.type_c));
  }
  const LayerModel* model = layer_model(state);
  if (model && number < static_cast<int>(model->plan.steps.size())) {
    const LayerStep& planned = model->plan.steps[static_cast<size_t>(number)];
    if (!planned.why_not.empty()) text += "\n" + retold(planned.why_not);
    if (planned.choice.kernel) {
      text += wording("\n{:02} {}, {}\nA click opens it in the other panels.",
                      planned.choice.kernel->info.number, planned.choice.kernel->info.id,
                      step_tile(planned));
    }
  }
  const int who = rank.value_or(is_collective(step) ? -1 : 0);
  const std::string begins = begin_words(state, {number, chunk}, who);
  if (!begins.empty()) text += "\n" + viz::plain_formula(begins);
  return text;
}

void rank_swatch(const AppContext& context, ImVec2 from, ImVec2 to, int rank) {
  const viz::Palette& p = palette_of(context);
  const Color color = viz::rank_color(p, rank);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(from, to, to_imgui(viz::mix(p.panel, color, 0.45f)));
  if (viz::rank_hatched(rank)) {
    const float step = 4 * context.scale, high = to.y - from.y;
    draw->PushClipRect(from, to, true);
    for (float x = from.x - high; x < to.x; x += step) {
      draw->AddLine({x, to.y}, {x + high, from.y}, to_imgui(color), context.scale);
    }
    draw->PopClipRect();
  }
  draw->AddRect(from, to, to_imgui(color));
}

void shared_swatch(const AppContext& context, ImVec2 from, ImVec2 to) {
  const float middle = (from.y + to.y) / 2;
  rank_swatch(context, from, {to.x, middle}, 0);
  rank_swatch(context, {from.x, middle}, to, 1);
}

void rank_legend(AppContext& context, int ranks) {
  constexpr int kMost = 8;
  const float s = context.scale, gap = 12 * s, mark = 16 * s;
  struct Key {
    std::string name;
    int rank;  // −1: what all of them have
  };
  std::vector<Key> keys;
  for (int rank = 0; rank < std::min(ranks, kMost); ++rank) {
    keys.push_back({wording("rank {}", rank), rank});
  }
  const auto width = [&](const Key& key) {
    return mark + 6 * s + ImGui::CalcTextSize(key.name.c_str()).x + gap;
  };
  const float room = ImGui::GetContentRegionAvail().x;
  const Key shared{"whole on every rank", -1};
  float all = ranks > 1 ? width(shared) : 0;
  size_t shown = 0;
  while (shown < keys.size() && all + width(keys[shown]) <= room) all += width(keys[shown++]);
  if (shown == 0) return;
  keys.resize(shown);
  if (ranks > 1) keys.push_back(shared);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - all);
  for (const Key& key : keys) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float middle = at.y + ImGui::GetFrameHeight() / 2;
    const ImVec2 from{at.x, middle - 6 * s}, to{at.x + mark, middle + 5 * s};
    if (key.rank < 0) {
      shared_swatch(context, from, to);
    } else {
      rank_swatch(context, from, to, key.rank);
    }
    ImGui::SetCursorScreenPos({at.x + mark + 6 * s, at.y});
    ImGui::AlignTextToFramePadding();
    elided(context, key.name, Tone::dim, ImGui::CalcTextSize(key.name.c_str()).x + 1);
    if (key.rank < 0) tooltip(context, "Each rank has all of this matrix, in memory of its own");
    if (&key != &keys.back()) ImGui::SameLine(0, gap);
  }
}

}  // namespace tilescope::widgets
