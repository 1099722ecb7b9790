#include "app/features/benchmark/panels/best_tiles.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/features/benchmark/benchmark_view.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/known_results.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "core/model/names.h"

namespace tilescope::widgets {

std::string standing_text(const HistoryPoint& p) {
  switch (p.standing) {
    case Standing::measured:
      return "measured now";
    case Standing::recorded:
      return wording("recorded {}{}", p.date, p.older_kernel ? " with an older kernel" : "");
    case Standing::modelled:
      return "modelled";
    case Standing::emulated:
      return "emulated; not measured";
    case Standing::none:
      break;
  }
  return "not measured";
}

std::vector<const HistoryPoint*> sorted_tiles(const std::vector<const HistoryPoint*>& history,
                                              const std::string& kernel, TileColumn column,
                                              bool descending, bool modelled) {
  std::vector<const HistoryPoint*> tiles;
  for (const HistoryPoint* p : history) {
    if (p->tflops && p->edit.rung().kernel == kernel && (modelled || is_timed(p->standing)))
      tiles.push_back(p);
  }
  const auto before = [&](const HistoryPoint* a, const HistoryPoint* b) {
    if (column == TileColumn::tile) return descending ? a->label > b->label : a->label < b->label;
    const auto& x = column == TileColumn::tflops ? a->tflops : a->of_library;
    const auto& y = column == TileColumn::tflops ? b->tflops : b->of_library;
    if (!x || !y) return x.has_value() && !y.has_value();
    return descending ? *x > *y : *x < *y;
  };
  std::stable_sort(tiles.begin(), tiles.end(), before);
  return tiles;
}

std::string tiles_text(const std::vector<const HistoryPoint*>& tiles) {
  std::string text = "tile\tTFLOPS\tof library\tstanding\tdevice\n";
  for (const HistoryPoint* p : tiles) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", p->label, *p->tflops,
                        p->of_library ? fmt::format("{}", *p->of_library) : "", standing_text(*p),
                        p->device);
  }
  return text;
}

namespace {

/// The row of heads; the library's says what 100 % is.
void heads(const AppContext& context, const AppState& state) {
  const std::optional<LibraryFigure> library = library_of(state, state.edit.problem);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int column = 0; column < ImGui::TableGetColumnCount(); ++column) {
    ImGui::TableSetColumnIndex(column);
    ImGui::TableHeader(ImGui::TableGetColumnName(column));
    if (column != static_cast<int>(TileColumn::of_library)) continue;
    tooltip(context, library ? wording("100 % is {}", library_words(*library))
                             : "The library was not timed on this problem and device yet");
  }
}

}  // namespace

void best_tiles(AppContext& context, AppState& state, ImVec2 size) {
  static TileColumn column = TileColumn::tflops;
  static bool descending = true;
  const std::vector<HistoryPoint> known = known_tiles(state);
  std::vector<const HistoryPoint*> all;
  for (const HistoryPoint& p : known) all.push_back(&p);
  const std::vector<const HistoryPoint*> tiles = sorted_tiles(
      all, state.edit.rung().kernel, column, descending, state.of<BenchmarkView>().rank_modelled);
  ImGui::BeginChild("##best_tiles", size);
  if (tiles.empty()) {
    if (empty_panel(context, "No tiles yet",
                    "The fastest tiles of this kernel and problem are listed here, once they are "
                    "measured or recorded.",
                    "Show modelled ones"))
      state.of<BenchmarkView>().rank_modelled = true;
    ImGui::EndChild();
    return;
  }
  ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_Sortable;
  const float line = ImGui::GetFrameHeightWithSpacing();
  const HistoryPoint* chosen = nullptr;
  double best = 0;
  for (const HistoryPoint* p : tiles) best = std::max(best, *p->tflops);
  const model::RateUnit unit = model::rate_unit(best);
  if (ImGui::BeginTable("best", 3, kFlags, {0, ImGui::GetContentRegionAvail().y - line})) {
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn(tr("tile"), 0, 3);
    ImGui::TableSetupColumn(
        unit.name, ImGuiTableColumnFlags_DefaultSort | ImGuiTableColumnFlags_PreferSortDescending,
        1);
    ImGui::TableSetupColumn(tr("library"), ImGuiTableColumnFlags_PreferSortDescending, 1);
    heads(context, state);
    if (ImGuiTableSortSpecs* sort = ImGui::TableGetSortSpecs(); sort && sort->SpecsCount > 0) {
      column = static_cast<TileColumn>(sort->Specs[0].ColumnIndex);
      descending = sort->Specs[0].SortDirection == ImGuiSortDirection_Descending;
    }
    // A sweep has hundreds of them: only those in view are drawn.
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(tiles.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const HistoryPoint* p = tiles[static_cast<size_t>(i)];
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        // By its tile: the same row in the next frame, whatever a sweep has added meanwhile.
        const std::string tile =
            model::tile_text(p->edit.rung().tile, state.derived.kernel->sliders);
        ImGui::PushID(fmt::format("{} {}", tile, name_of(p->standing)).c_str());
        if (same_request(p->edit, state.edit)) {
          ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, to_imgui(context.theme->accent_ground));
        }
        if (ImGui::Selectable("##row", false, ImGuiSelectableFlags_SpanAllColumns)) chosen = p;
        tooltip(context, fmt::format("{} · {}", p->label, translated(standing_text(*p))));
        ImGui::SameLine(0, 0);
        elided(context, p->label);
        ImGui::TableNextColumn();
        elided(context, (p->standing == Standing::modelled ? "~" : "") +
                            model::four_digits(*p->tflops * unit.per_tflops));
        ImGui::TableNextColumn();
        elided(context, p->of_library ? fmt::format("{:.1f} %", 100 * *p->of_library) : "–");
        ImGui::PopID();
      }
    }
    ImGui::EndTable();
  }
  ImGui::PopFont();
  if (ImGui::SmallButton(tr_id("Copy table"))) {
    ImGui::SetClipboardText(tiles_text(tiles).c_str());
    say(state, wording("Copied {} tiles of {}.", tiles.size(), state.edit.rung().kernel));
  }
  tooltip(context, "As tab-separated text, in the order shown.");
  ImGui::SameLine();
  if (ImGui::SmallButton(
          tr_id(state.of<BenchmarkView>().rank_modelled ? "Timed ones only" : "Modelled too")))
    state.of<BenchmarkView>().rank_modelled = !state.of<BenchmarkView>().rank_modelled;
  tooltip(context, "Modelled figures (~) are predictions: measure before you rank them.");
  const Problem& problem = state.edit.problem;
  beside(8 * context.scale, 60 * context.scale);
  elided(context,
         wording("{} of {}×{}×{}, {} on {}", tiles.size(), model::grouped(problem.m),
                 model::grouped(problem.n), model::grouped(problem.k),
                 model::layout_letters(problem), state.gpu.name),
         Tone::dim);
  ImGui::EndChild();
  if (chosen) set_edit(state, Edit(chosen->edit));
}

}  // namespace tilescope::widgets
