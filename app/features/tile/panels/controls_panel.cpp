// Controls: the kernel ladder, the problem, the tile sliders, the verdict, the budget.
#include <fmt/format.h>

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/features/tile/edit_settings.h"
#include "app/features/tile/panels/ladder_strip.h"
#include "app/features/tile/panels/tile_sliders.h"
#include "app/kit/core/extent_fields.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/edit.h"
#include "app/state/present.h"
#include "app/state/presets.h"
#include "app/state/residency.h"
#include "app/state/status.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "core/model/names.h"
#include "core/model/occupancy.h"

namespace tilescope {
namespace {

using namespace widgets;

bool small(const AppContext& context) { return ImGui::GetWindowHeight() < 640 * context.scale; }

/// Element types: those that the kernel takes, where there are several.
void types(AppContext& context, AppState& state) {
  const KernelInfo& info = state.derived.kernel->info;
  const Types now = types_of(state.edit.problem);
  if (info.types == info.default_types && now == types_of_bit(info.types)) {
    ImGui::AlignTextToFramePadding();
    elided(context, types_text(now), Tone::plain, 70 * context.scale);
    tooltip(context, "Element types of A and B, and of C. They come with the kernel.");
    return;
  }
  ImGui::SetNextItemWidth(std::min(92 * context.scale, ImGui::GetContentRegionAvail().x));
  if (ImGui::BeginCombo("##types", types_text(now).c_str())) {
    for (int i = 0; i < kTypeSets; ++i) {
      if ((info.types >> i & 1) == 0) continue;
      const Types offered = types_of_bit(1 << i);
      if (ImGui::Selectable(types_text(offered).c_str(), offered == now)) {
        Problem p = state.edit.problem;
        set_types(p, offered);
        set_problem(state, p);
      }
    }
    ImGui::EndCombo();
  }
  tooltip(context, "Element types of A and B, and of C, that this kernel computes");
}

/// How the matrices lie, or what is to be said of the fields above: one line in any case, so that
/// no row below it moves.
void line_of_orders(AppContext& context, AppState& state) {
  Problem p = state.edit.problem;
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  const auto words = [](Order o) {
    return o == Order::row_major ? tr("row-major") : tr("column-major");
  };
  std::vector<std::string> line = refused_extents(state);
  const bool refused = !line.empty();
  const bool noted = !state.kernel_note.empty() && state.kernel_note_serial == state.edit_serial;
  if (!refused) {
    line = {
        fmt::format("A {} · B {} · C {}", words(p.order_a), words(p.order_b), words(p.order_c))};
    if (noted) line = {state.kernel_note + ": " + line[0], state.kernel_note};
  }
  note_line(context, line, refused ? Tone::warning : noted ? Tone::plain : Tone::dim);
  if (!refused && ImGui::IsItemClicked()) {
    p.order_c = p.order_c == Order::row_major ? Order::column_major : Order::row_major;
    set_problem(state, p);
  }
  tooltip(context, "How the matrices lie in memory. A click turns C.");
  ImGui::PopFont();
}

void problem(AppContext& context, AppState& state) {
  heading(context, "PROBLEM", state.edit.problem.bias ? "C = αAB + βC + b" : "C = αAB + βC");
  const float gap = 4 * context.scale;
  extent_fields(context, state);

  const KernelInfo& info = state.derived.kernel->info;
  static constexpr const char* kLayouts[] = {"NN", "NT", "TN", "TT"};
  static constexpr int kBits[] = {kNN, kNT, kTN, kTT};
  Problem p = state.edit.problem;
  int chosen = 0;
  unsigned enabled = 0;
  for (int i = 0; i < 4; ++i) {
    if (layout_bit(p.order_a, p.order_b) == kBits[i]) chosen = i;
    if (info.layouts & kBits[i]) enabled |= 1u << i;
  }
  types(context, state);
  widgets::beside(6 * context.scale, 4 * (ImGui::CalcTextSize("NN").x + 6 * context.scale));
  std::string taken;
  for (size_t i = 0; i < std::size(kLayouts); ++i) {
    if (enabled >> i & 1) taken += (taken.empty() ? "" : ", ") + std::string(kLayouts[i]);
  }
  const std::string why_not = wording(
      "{} is written for {} alone: A then B, T = row-major, N = column-major", info.id, taken);
  if (segmented(context, "layout", kLayouts, &chosen, ImGui::GetContentRegionAvail().x, enabled,
                why_not)) {
    set_layout(p, kBits[chosen]);
    set_problem(state, p);
  }
  line_of_orders(context, state);

  const float whole = ImGui::GetContentRegionAvail().x;
  const float presets_width = ImGui::CalcTextSize(tr("presets")).x + ImGui::GetFrameHeight() +
                              2 * ImGui::GetStyle().FramePadding.x;
  const float bias_width = ImGui::CalcTextSize(tr("bias")).x + ImGui::GetFrameHeight() +
                           ImGui::GetStyle().ItemInnerSpacing.x;
  const float scalar_width = (whole - 3 * gap - presets_width - bias_width) / 2;
  const bool one_line = scalar_width >= 48 * context.scale;
  const float part = one_line ? scalar_width : (whole - 2 * gap - bias_width) / 2;
  const auto scalar = [&](const char* label, const char* id, float Problem::*member,
                          const char* tip) {
    ImGui::BeginGroup();
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(tr(label));
    ImGui::SameLine(0, 4 * context.scale);
    ImGui::SetNextItemWidth(part - 14 * context.scale);
    float value = state.edit.problem.*member;
    ImGui::PushFont(context.fonts.mono, Fonts::kLabel);
    ImGui::InputFloat(id, &value, 0, 0, "%g");
    ImGui::PopFont();
    const bool done = ImGui::IsItemDeactivatedAfterEdit();
    ImGui::EndGroup();
    tooltip(context, tip);
    if (done && std::isfinite(value)) {
      Problem q = state.edit.problem;
      q.*member = value;
      set_problem(state, q);
    }
  };
  scalar("α", "##alpha", &Problem::alpha, "Factor of the product");
  ImGui::SameLine(0, gap);
  scalar("β", "##beta", &Problem::beta, "Factor of the old C; 0 never reads it");
  ImGui::SameLine(0, gap);
  bool bias = state.edit.problem.bias;
  if (ImGui::Checkbox(tr_id("bias"), &bias)) {
    Problem q = state.edit.problem;
    q.bias = bias;
    set_problem(state, q);
  }
  tooltip(context, "Adds a vector of N values to each row of C, in the epilogue");
  if (one_line) ImGui::SameLine(0, gap);
  ImGui::SetNextItemWidth(-FLT_MIN);
  if (ImGui::BeginCombo("##presets", tr("presets"), ImGuiComboFlags_HeightLargest)) {
    for (const Preset& preset : presets()) {
      const std::string label = preset_label(preset, state.edit.rung().kernel);
      if (ImGui::Selectable(label.c_str(), same_request(preset.edit, state.edit))) {
        set_edit(state, preset.edit);
      }
      tooltip(context, preset_words(preset));
    }
    for (const FeatureWindow* window : feature_windows()) {
      if (window->slots.preset_rows) window->slots.preset_rows(context);
    }
    ImGui::EndCombo();
  }
  tooltip(
      context,
      "Tiles of the notes and of well-known kernels, each for something to see; → names the "
      "kernel that it switches to. Last, those of NVIDIA's nvMatmulHeuristics for this problem");
}

void verdict(AppContext& context, AppState& state) {
  const Derived& d = state.derived;
  const Results& r = present_results(state);
  if (d.legal()) {
    const StatusItem legal = legality(state);
    const bool ticked = legal.kind == StatusItem::Kind::kOk;
    elided(context, (ticked ? "✓ " : "") + std::string(translated(legal.text)),
           ticked ? Tone::ok : Tone::dim);
    tooltip(context, legal.tooltip);
    if (r.compile) {
      const std::string text = r.compile->cached
                                   ? std::string("compiled before")
                                   : wording("compiled in {:.0f} ms", r.compile->compile_ms);
      const float width = ImGui::CalcTextSize(text.c_str()).x;
      ImGui::SameLine(std::max(0.0f, ImGui::GetContentRegionMax().x - width));
      elided(context, text, Tone::dim);
    }
    return;
  }
  const Color ground = mix(context.theme->panel, context.theme->warning, 16);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, to_vec4(ground));
  ImGui::PushStyleColor(ImGuiCol_Border, to_vec4(context.theme->warning));
  if (ImGui::BeginChild("##verdict", {0, 0},
                        ImGuiChildFlags_Borders | ImGuiChildFlags_AutoResizeY |
                            ImGuiChildFlags_AlwaysUseWindowPadding)) {
    ImGui::PushStyleColor(ImGuiCol_Text, to_vec4(context.theme->warning));
    ImGui::PushFont(context.fonts.bold, Fonts::kText);
    ImGui::TextUnformatted(tr("⚠ This tile cannot be launched"));
    ImGui::PopFont();
    ImGui::PopStyleColor();
    ImGui::TextWrapped("%s", d.sentence.c_str());
    if (d.nearest) {
      const std::string label = wording("nearest legal: {}", d.nearest_label);
      const float room = ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().FramePadding.x;
      if (ImGui::Button((elide(label, room) + "###nearest").c_str())) set_tile(state, *d.nearest);
      tooltip(context, label);
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleColor(2);
}

/// In one line with its bar only what matters has room.
std::string registers_text(const worker::CompileResult& told, int limit, bool one_line) {
  const std::string used = fmt::format("{} / {}", told.registers, limit);
  const std::string spilled = wording("{} B spilled", model::grouped(told.spill_bytes));
  if (!one_line) return used + ", " + spilled;
  return told.spill_bytes > 0 ? fmt::format("{}, {}", told.registers, spilled) : used;
}

void budget(AppContext& context, AppState& state) {
  const Derived& d = state.derived;
  const bool one_line = small(context);
  heading(context, "BUDGET", state.gpu.name);
  const auto ratio = [](double a, double b) { return b > 0 ? static_cast<float>(a / b) : 0.0f; };
  const DeviceLimits& limits = state.limits;
  const int shared = d.plan.shared_bytes();
  meter(context,
        {"shared",
         fmt::format("{} / {} B", model::grouped(shared), model::grouped(limits.shared_per_block)),
         ratio(shared, limits.shared_per_block), 0, shared > limits.shared_per_block,
         "Shared memory of one CTA, of what one CTA may have on this GPU"},
        one_line);
  const worker::CompileResult* told = compiled(state);
  meter(context,
        {"registers",
         told ? registers_text(*told, limits.registers_per_thread, one_line)
              : tr("after the compile"),
         ratio(told ? told->registers : 0, limits.registers_per_thread), 0,
         told && told->spill_bytes > 0,
         "Registers per thread, as the compiler gave them. Spilled bytes go to memory and back."},
        one_line);
  meter(context,
        {"threads",
         fmt::format("{} / {}", d.plan.cta_threads(), model::grouped(limits.threads_per_block)),
         ratio(d.plan.cta_threads(), limits.threads_per_block), 0,
         d.plan.cta_threads() > limits.threads_per_block, "Threads of one CTA"},
        one_line);
  const Residency held = residency(state);
  const char* sign = held.estimated ? "~" : "";
  const int ctas = held.occupancy.ctas_per_sm;
  meter(context,
        {"CTAs per SM", wording("{}{}: {}", sign, ctas, model::name_of(held.occupancy.limiter)),
         ctas > 0 ? 1.0f : 0.0f, std::clamp(ctas, 1, 16), ctas == 0,
         held.estimated ? "CTAs that one SM holds at a time, and what allows no more. Before the "
                          "compile, as if registers were no limit."
                        : "CTAs that one SM holds at a time, and what allows no more"},
        one_line);
  if (ctas > 0) {
    meter(context,
          {"waves",
           wording("{0}{1} · last {0}{2:.0f} % full", sign, model::grouped(held.waves.count),
                   held.waves.last_fill * 100),
           static_cast<float>(held.waves.last_fill), 0, false,
           "How often the whole GPU is filled with CTAs; the bar shows how full the last time is"},
          one_line);
  }
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  const float s = context.scale;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {4 * s, (small(context) ? 1.0f : 3.0f) * s});
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {6 * s, (small(context) ? 2.0f : 3.5f) * s});
  kernel_ladder(context, state);
  if (state.derived.kernel) {
    problem(context, state);
    tile_sliders(context, state);
    verdict(context, state);
    budget(context, state);
  }
  ImGui::PopStyleVar(2);
}

/// A bent arrow: back, or mirrored forward.
void bent_arrow(ImVec2 at, float size, bool forward, ImU32 color, float scale) {
  const float way = forward ? 1.0f : -1.0f;
  const ImVec2 tip = {at.x + way * size * 0.5f, at.y - size * 0.1f};
  const ImVec2 tail = {at.x - way * size * 0.45f, at.y + size * 0.45f};
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddBezierQuadratic(tail, {at.x - way * size * 0.45f, at.y - size * 0.1f},
                           {tip.x - way * size * 0.3f, tip.y}, color, 1.5f * scale);
  draw->AddTriangleFilled(tip, {tip.x - way * size * 0.4f, tip.y - size * 0.32f},
                          {tip.x - way * size * 0.4f, tip.y + size * 0.32f}, color);
}

/// Undo and redo, at the right end.
void draw_header(AppContext& context) {
  struct Arrow {
    const char* id;
    const char* command;
    bool forward;
  };
  constexpr Arrow kArrows[] = {{"undo", "edit.undo", false}, {"redo", "edit.redo", true}};
  const float size = ImGui::GetFrameHeight(), gap = 2 * context.scale;
  const float room = ImGui::GetContentRegionAvail().x;
  if (room < 2 * size + gap) return;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - 2 * size - gap);
  for (const Arrow& arrow : kArrows) {
    const Command* command = context.commands.find(arrow.command);
    if (!command) continue;
    const bool enabled = !command->enabled || command->enabled(context);
    if (arrow.forward) ImGui::SameLine(0, gap);
    ImGui::BeginDisabled(!enabled);
    if (ImGui::InvisibleButton(arrow.id, {size, size}, ImGuiButtonFlags_EnableNav)) {
      context.commands.request(command->id);
    }
    ImGui::EndDisabled();
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    const Theme& theme = *context.theme;
    const Color ink = !enabled                 ? mix(theme.panel, theme.dim, 40)
                      : ImGui::IsItemHovered() ? theme.accent
                                               : theme.text;
    bent_arrow({(from.x + to.x) / 2, (from.y + to.y) / 2}, size * 0.5f, arrow.forward,
               to_imgui(ink), context.scale);
    tooltip(context, wording("{} ({}){}", command->title.c_str(), command->shortcut,
                             enabled         ? ""
                             : arrow.forward ? "\nNothing was undone."
                                             : "\nNothing to undo yet."));
  }
}

constexpr Gesture kGestures[] = {
    {"wheel on a slider", "one value on or back"},
    {"Ctrl+click on a slider", "types a number; so does Enter"},
    {"arrow keys, Tab", "step the slider that has the focus; go to the next"},
};

}  // namespace

extern const Panel controls_panel = {
    .id = "controls",
    .title = "Controls",
    .docks = {.explore = Dock::kLeft,
              .learn = Dock::kLeft,
              .tune = Dock::kLeft,
              .fragment = Dock::kLeft,
              .step = Dock::kLeft},
    .draw = draw,
    .draw_header = draw_header,
    .gestures = kGestures,
    .without_plan = true,
};

}  // namespace tilescope
