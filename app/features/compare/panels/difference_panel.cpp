// Difference: every figure of A and of B, how far they are apart and for which of the two it
// speaks.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "app/common/difference_rows.h"
#include "app/features/compare/measured_turns.h"
#include "app/features/compare/panels/compare_parts.h"
#include "app/kit/core/answered_row.h"
#include "app/kit/header_row.h"
#include "app/kit/table_cells.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/launch_facts.h"
#include "app/state/second.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

using namespace widgets;

std::vector<DifferenceRow> rows_of(const AppState& state) {
  LaunchFacts a = launch_facts(state), b = launch_facts(*second_of(state));
  // Like beside like: the L2 is simulated of both, or of neither.
  if (a.analysis && b.analysis &&
      a.analysis->dram_read.has_value() != b.analysis->dram_read.has_value()) {
    a.analysis->dram_read.reset(), b.analysis->dram_read.reset();
    a.analysis->prediction = comparable_prediction(state, true);
    b.analysis->prediction = comparable_prediction(*second_of(state), true);
  }
  // Measured in turns they are better compared than each by itself.
  if (const auto turns = turns_median(state)) {
    const auto put = [](LaunchFacts& f, double us) {
      if (f.tflops && f.time_us) f.tflops = *f.tflops * *f.time_us / us;
      f.time_us = us;
    };
    put(a, turns->a_us), put(b, turns->b_us);
  }
  return difference_rows(a, b);
}

std::string as_markdown(const AppState& state) {
  std::string text = wording("| | A: {} | B: {} | A − B | of B |\n|---|---:|---:|---:|---:|\n",
                             tile_label(state.edit), state.of<Second>().name);
  for (const DifferenceRow& row : rows_of(state)) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", row.title, figure_text(row, row.a),
                        figure_text(row, row.b), change_text(row), part_text(row));
  }
  return text;
}

void verdict_cell(const AppContext& context, const DifferenceRow& row, const std::string& text,
                  bool mark) {
  const int verdict = row.verdict();
  const Tone tone = verdict > 0 ? Tone::ok : verdict < 0 ? Tone::warning : Tone::plain;
  const bool dim = text == "same" || text == "–";
  const char* sign = !mark || verdict == 0 ? "" : verdict > 0 ? " ✓" : " !";
  right_text(context, text + sign, tone_color(context, dim ? Tone::dim : tone));
  if (mark && verdict != 0) tooltip(context, verdict > 0 ? "A is better" : "A is worse");
}

/// Over all columns: no column is as wide as its words.
void section_row(const AppContext& context, const char* title) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy({1, ImGui::GetTextLineHeight()});
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 low = ImGui::GetWindowPos();
  const ImVec2 high{low.x + ImGui::GetWindowWidth(), low.y + ImGui::GetWindowHeight()};
  const float head = ImGui::GetTextLineHeightWithSpacing();  // that stays above
  ImGui::PushClipRect({low.x, low.y + head}, high, false);
  draw->AddText(at, to_imgui(context.theme->dim), title);
  ImGui::PopClipRect();
  ImGui::PopFont();
}

/// Whose clock it was, and when: figures of another day or kernel are not taken for today's.
std::string clock_words(const AppState& state) {
  if (turns_median(state)) return "clock: measured in turns";
  const auto of = [](const AppState& side) {
    const HistoryPoint p = point_of(side);
    if (!is_timed(p.standing)) return std::string(tr("none"));
    return fmt::format("{}{}{}", tr(name_of(p.standing)), p.date.empty() ? "" : " " + p.date,
                       p.older_kernel ? tr(", older kernel") : "");
  };
  const std::string a = of(state), b = of(*second_of(state));
  return a == b ? wording("clock of both: {}", a) : wording("clock of A: {}; of B: {}", a, b);
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  if (!need_second(context, "Difference")) return;
  side_badge(context, false);
  ImGui::SameLine(0, 6 * context.scale);
  second_combo(context);
  const std::vector<DifferenceRow> rows = rows_of(state);
  const ImGuiTableFlags flags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_ScrollY |
                                ImGuiTableFlags_PadOuterX | ImGuiTableFlags_BordersInnerH;
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  const float foot = 2 * ImGui::GetTextLineHeightWithSpacing();
  ImGui::PopFont();
  const float height = ImGui::GetContentRegionAvail().y - foot;
  if (height < 40 * context.scale) return;
  const bool narrow = ImGui::GetContentRegionAvail().x < 330 * context.scale;
  if (!ImGui::BeginTable("difference", narrow ? 4 : 5, flags, {0, height})) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const auto& [name, weight] :
       {std::pair{"row", 1.6f}, {"A", 1.f}, {"B", 1.f}, {"A − B", 1.15f}, {"of B", 0.68f}}) {
    if (narrow && std::string_view(name) == "of B") continue;
    ImGui::TableSetupColumn(tr(name), 0, weight);
  }
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec4 dim = tone_color(context, Tone::dim), plain = tone_color(context, Tone::plain);
  ImGui::TableNextColumn();
  right_text(context, "A", plain);
  tooltip(context, tile_label(state.edit));
  ImGui::TableNextColumn();
  right_text(context, "B", plain);
  tooltip(context, state.of<Second>().name);
  ImGui::TableNextColumn();
  right_text(context, "A − B", dim);
  if (!narrow) {
    ImGui::TableNextColumn();
    right_text(context, "of B", dim);
  }
  const char* section = "";
  for (const DifferenceRow& row : rows) {
    if (std::string_view(section) != row.section) {
      section = row.section;
      section_row(context, section);
    }
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    elided(context, row.title);
    if (!row.what.empty()) tooltip(context, row.what);
    answered_row(context, row.id);
    ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
    for (const std::optional<double>& value : {row.a, row.b}) {
      ImGui::TableNextColumn();
      right_text(context, figure_text(row, value), value ? plain : dim);
    }
    ImGui::TableNextColumn();
    verdict_cell(context, row, change_text(row), true);
    if (!narrow) {
      ImGui::TableNextColumn();
      verdict_cell(context, row, part_text(row), false);
    }
    ImGui::PopFont();
  }
  ImGui::EndTable();
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context, clock_words(state), Tone::dim);
  elided(context, "✓ A is better · ! A is worse · no mark: neither", Tone::dim);
  ImGui::PopFont();
}

void draw_header(AppContext& context) {
  if (!second_of(*context.state)) return;
  const auto button = [&context](const char* label, const char* command, const char* tip) {
    return HeaderItem{small_button_width(label), [&context, label, command, tip] {
                        if (ImGui::SmallButton(tr_id(label))) context.commands.request(command);
                        tooltip(context, tip);
                      }};
  };
  const HeaderItem items[] = {
      button("Swap", "compare.swap", "A becomes B, and B becomes A"),
      button("Copy table", "compare.copy", "All rows, as Markdown"),
      button("End", "compare.end", "A is compared with nothing any more"),
  };
  header_row(context, items);
}

std::vector<Command> commands() {
  const auto has = [](AppContext& context) { return second_of(*context.state) != nullptr; };
  return {
      {.id = "compare.pin",
       .title = "Compare: pin this as B",
       .shortcut = "Ctrl+B",
       .menu = "Edit/Compare",
       .run = [](AppContext& context) { pin_as_second(*context.state); },
       .also = "compare with this baseline second"},
      {.id = "compare.swap",
       .title = "Compare: swap A and B",
       .shortcut = "Ctrl+Shift+B",
       .menu = "Edit/Compare",
       .run = [](AppContext& context) { swap_with_second(*context.state); },
       .enabled = has},
      {.id = "compare.lock",
       .title = "Compare: lock-step by k slice",
       .menu = "Edit/Compare",
       .run =
           [](AppContext& context) {
             bool& on = context.state->of<Second>().lock_step;
             on = !on;
           },
       .enabled = has,
       .checked = [](AppContext& context) { return context.state->of<Second>().lock_step; }},
      {.id = "compare.turns",
       .title = "Compare: measure A and B in turns",
       .menu = "Edit/Compare",
       .run =
           [](AppContext& context) {
             Turns& turns = context.state->of<Turns>();
             turns.error = why_no_turns(*context.state);
             turns.wanted = turns.error.empty();
           },
       .enabled = has},
      {.id = "compare.copy",
       .title = "Compare: copy the differences as a table",
       .menu = "Edit/Compare",
       .run =
           [](AppContext& context) {
             ImGui::SetClipboardText(as_markdown(*context.state).c_str());
             say(*context.state, "Copied the differences as a table");
           },
       .enabled = has},
      {.id = "compare.end",
       .title = "Compare: with nothing any more",
       .menu = "Edit/Compare",
       .run = [](AppContext& context) { compare_with_nothing(*context.state); },
       .enabled = has},
  };
}

}  // namespace

extern const Panel difference_panel = {
    .id = "difference",
    .title = "Difference",
    .docks = {.compare = Dock::kRightTop},
    .draw = draw,
    .draw_header = draw_header,
    .commands = commands,
    .without_plan = true,
};

}  // namespace tilescope
