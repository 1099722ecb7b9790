#include "app/widgets/layer_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/widgets/widgets.h"
#include "core/model/format.h"
#include "core/model/names.h"
#include "viz/scene/layer/rank_fill.h"

namespace tilescope::widgets {

bool layer_to_show(const AppContext& context) {
  if (shown_layer(*context.state)) return true;
  empty_panel(context, "No layer to show", why_not(context.state->edit.layer) + ".");
  return false;
}

void hover_step(AppContext& context, int step) {
  context.state->layer.hover = step;
  tooltip(context, step_words(*context.state, step));
}

void follow_steps(AppContext& context, const SceneInput& input) {
  if (!input.hovered || input.hovered->kind != viz::Pick::Kind::point) return;
  hover_step(context, input.hovered->value);
  if (input.clicked) choose_step(*context.state, input.hovered->value);
}

std::string step_words(const AppState& state, int number) {
  const workload::Layer* layer = shown_layer(state);
  if (!layer) return {};
  const workload::Workload w = make_workload(*layer);
  if (number < 0 || number >= static_cast<int>(w.steps.size())) return {};
  const workload::Step& step = w.steps[static_cast<size_t>(number)];
  std::string text = fmt::format("{}. {}", number + 1, step.name);
  if (step.chunks > 1) text += fmt::format(", {} chunks", step.chunks);
  if (step.kind == workload::StepKind::gemm) {
    const Problem p = problem_of(w, step, 0);
    text +=
        fmt::format("\nof rank 0: {} × {} × {}, {} → {}", model::grouped(p.m), model::grouped(p.n),
                    model::grouped(p.k), model::name_of(p.type_a), model::name_of(p.type_c));
  }
  const LayerModel* model = layer_model(state);
  if (model && number < static_cast<int>(model->plan.steps.size())) {
    const LayerStep& planned = model->plan.steps[static_cast<size_t>(number)];
    if (!planned.why_not.empty()) text += "\n" + planned.why_not;
    if (planned.choice.kernel) {
      text += fmt::format("\n{:02} {}, {}\nA click opens it in the other panels.",
                          planned.choice.kernel->info.number, planned.choice.kernel->info.id,
                          step_tile(planned));
    }
  }
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

void rank_legend(AppContext& context, int ranks) {
  constexpr int kMost = 8;
  const float s = context.scale, gap = 12 * s, mark = 16 * s;
  const auto width = [&](int shown) {
    float all = 0;
    for (int rank = 0; rank < shown; ++rank) {
      all += mark + 6 * s + ImGui::CalcTextSize(fmt::format("rank {}", rank).c_str()).x + gap;
    }
    return all;
  };
  const float room = ImGui::GetContentRegionAvail().x;
  int shown = std::min(ranks, kMost);
  while (shown > 0 && width(shown) > room) --shown;
  if (shown == 0) return;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width(shown));
  for (int rank = 0; rank < shown; ++rank) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float middle = at.y + ImGui::GetFrameHeight() / 2;
    rank_swatch(context, {at.x, middle - 6 * s}, {at.x + mark, middle + 5 * s}, rank);
    ImGui::SetCursorScreenPos({at.x + mark + 6 * s, at.y});
    ImGui::AlignTextToFramePadding();
    const std::string name = fmt::format("rank {}", rank);
    elided(context, name, Tone::dim, ImGui::CalcTextSize(name.c_str()).x + 1);
    if (rank == shown - 1 && shown < ranks) {
      tooltip(context, fmt::format("and so on up to rank {}", ranks - 1));
    }
    ImGui::SameLine(0, gap);
  }
}

}  // namespace tilescope::widgets
