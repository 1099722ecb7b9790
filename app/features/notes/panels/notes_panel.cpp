// The notes' tables as a sheet: intensity of registers, shared memory, L2 and DRAM; a click on a
// row sets the sliders.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/features/notes/notes_sheet.h"
#include "app/kit/header_row.h"
#include "app/kit/table_cells.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/json_take.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

using namespace widgets;

struct Options {
  int table = 0;  // of notes_tables()
};
Options& options() {
  static Options o;
  return o;
}

std::vector<const char*> names() {
  std::vector<const char*> all;
  for (const NotesTable& table : notes_tables()) all.push_back(table.name);
  return all;
}

void draw_header(AppContext& context) {
  static constexpr const char* kWays[] = {"as in the notes", "in bytes"};
  const std::vector<const char*> tables = names();
  const HeaderItem items[] = {
      {segmented_width(context, tables),
       [&] { segmented(context, "notes_table", tables, &options().table); }},
      {segmented_width(context, kWays), [&] {
         int way = context.state->view.count_elements ? 0 : 1;
         if (segmented(context, "notes_count", kWays, &way)) {
           context.state->view.count_elements = way == 0;
         }
         tooltip(context,
                 "The notes count elements and call them bytes; in bytes an element of f16 has 2.");
       }}};
  header_row(context, items);
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  const NotesTable& table = notes_tables()[static_cast<size_t>(options().table)];
  const NotesSheet sheet =
      table.sheet(state.view.count_elements ? model::Count::elements : model::Count::bytes);
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context, wording("{}. A click sets the sliders.", table.what), Tone::dim);
  ImGui::PopFont();
  const int columns = static_cast<int>(sheet.heads.size());
  const float least = 78 * context.scale * static_cast<float>(columns);
  ImGuiTableFlags flags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_ScrollY |
                          ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX;
  const bool narrow = ImGui::GetContentRegionAvail().x < least;
  if (narrow) flags |= ImGuiTableFlags_ScrollX;
  if (!ImGui::BeginTable("notes", columns, flags, {0, 0}, narrow ? least : 0)) return;
  ImGui::TableSetupScrollFreeze(narrow ? 1 : 0, 1);
  for (int c = 0; c < columns; ++c) {
    ImGui::TableSetupColumn("", 0, c < sheet.words ? 1.4f : 1.0f);
  }
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  ImGui::TableNextRow();
  for (int c = 0; c < columns; ++c) {
    ImGui::TableNextColumn();
    const std::string& head = sheet.heads[static_cast<size_t>(c)];
    if (c < sheet.words) {
      elided(context, head, Tone::dim);
    } else {
      right_text(context, head, tone_color(context, Tone::dim));
    }
  }
  ImGui::PopFont();
  ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
  const NotesRow* clicked = nullptr;
  for (size_t r = 0; r < sheet.rows.size(); ++r) {
    const NotesRow& row = sheet.rows[r];
    ImGui::TableNextRow();
    for (int c = 0; c < columns; ++c) {
      ImGui::TableNextColumn();
      const std::string& cell = row.cells[static_cast<size_t>(c)];
      if (c == 0) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        if (ImGui::Selectable(
                fmt::format("##row{}", r).c_str(), stands_at(state, row),
                ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap)) {
          clicked = &row;
        }
        ImGui::SetCursorScreenPos(at);
      }
      if (c < sheet.words) {
        elided(context, cell);
      } else {
        right_text(context, cell, tone_color(context, Tone::plain));
      }
    }
  }
  ImGui::PopFont();
  ImGui::EndTable();
  if (clicked) go_to(state, *clicked);
}

void save(const AppContext&, nlohmann::json& to) { to["table"] = options().table; }
void load(AppContext&, const nlohmann::json& from) {
  take_choice(from, "table", static_cast<int>(notes_tables().size()), options().table);
}

constexpr Gesture kGestures[] = {{"click on a row", "sets the sliders as the row has them"}};

}  // namespace

extern const Panel notes_panel = {
    .id = "notes",
    .title = "Notes' tables",
    .docks = {},
    .draw = draw,
    .draw_header = draw_header,
    .save = save,
    .load = load,
    .gestures = kGestures,
    .without_plan = true,
};

}  // namespace tilescope
