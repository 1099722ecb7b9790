#include "app/features/notes/notes_sheet.h"

#include <fmt/format.h>

#include <cstdlib>

#include "app/state/edit.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "core/model/names.h"

namespace tilescope {
namespace {

using model::Count;
using namespace model::notes;

std::string text(const Shape& s) {
  return fmt::format("{}×{}×{}", model::grouped(s.m), model::grouped(s.n), model::grouped(s.k));
}
const char* intensity_head(Count count) {
  return count == Count::elements ? "FLOP per element" : "FLOP per byte";
}

NotesSheet clock_sheet(const std::vector<ClockRow>& rows, const char* second, Count count,
                       Shape ClockRow::*second_shape) {
  NotesSheet sheet;
  sheet.heads = {"warp tile", second, intensity_head(count),
                 count == Count::elements ? "elements per clock" : "bytes per clock", "clocks"};
  sheet.words = 2;
  for (const ClockRow& row : rows) {
    sheet.rows.push_back(
        {{text(row.warp), text(row.*second_shape), model::four_digits(row.intensity),
          model::four_digits(row.bytes_per_clock), model::four_digits(row.clocks)},
         row.block,
         row.warp,
         {}});
  }
  return sheet;
}
NotesSheet registers(Count count) {
  return clock_sheet(table_a(count), "mma", count, &ClockRow::mma);
}
NotesSheet shared(Count count) {
  return clock_sheet(table_b(count), "block tile", count, &ClockRow::block);
}
NotesSheet problem(Count count) {
  NotesSheet sheet;
  sheet.heads = {"block tile",
                 "problem",
                 intensity_head(count),
                 count == Count::elements ? tr("2³⁰ elements/s") : "GB/s",
                 "ms",
                 "L2 hits needed %",
                 "MFU %"};
  sheet.words = 2;
  for (const ProblemRow& row : table_c(count)) {
    sheet.rows.push_back(
        {{text(row.block), text(row.problem), model::four_digits(row.intensity),
          model::four_digits(row.gb_per_second), model::four_digits(row.ms),
          model::four_digits(row.l2_hit_percent), model::four_digits(row.mfu_percent)},
         row.block,
         {},
         row.problem});
  }
  return sheet;
}

struct Named {
  TileFieldId field;
  int value;
};
std::vector<Named> named(const NotesRow& row) {
  std::vector<Named> all;
  for (const Named& n : {Named{TileFieldId::block_m, row.block.m},
                         {TileFieldId::block_n, row.block.n},
                         {TileFieldId::block_k, row.block.k ? row.block.k : row.warp.k},
                         {TileFieldId::warp_m, row.warp.m},
                         {TileFieldId::warp_n, row.warp.n}}) {
    if (n.value > 0) all.push_back(n);
  }
  return all;
}

bool has_all(const KernelEntry& kernel, const NotesRow& row) {
  for (const Named& n : named(row)) {
    if (!kernel.sliders.find(n.field)) return false;
  }
  return true;
}

int nearest(const Slider& slider, int value) {
  int best = slider.values[0];
  for (int i = 1; i < slider.count; ++i) {
    if (std::abs(slider.values[i] - value) < std::abs(best - value)) best = slider.values[i];
  }
  return best;
}

bool is_of(const Problem& p, const Shape& s) { return p.m == s.m && p.n == s.n && p.k == s.k; }

}  // namespace

std::span<const NotesTable> notes_tables() {
  static constexpr NotesTable kTables[] = {
      {"registers", "A warp: what an mma step reads and writes, C included", registers},
      {"shared", "A block: what its warps read from shared memory", shared},
      {"L2 and DRAM", "The whole problem: a linear layer of 8,192 × 29,696, and M from 1 to 2,048",
       problem}};
  return kTables;
}

bool stands_at(const AppState& state, const NotesRow& row) {
  for (const Named& n : named(row)) {
    if (get(state.edit.rung().tile, n.field) != n.value) return false;
  }
  return row.problem.m == 0 || is_of(state.edit.problem, row.problem);
}

void go_to(AppState& state, const NotesRow& row) {
  if (!state.derived.kernel || !has_all(*state.derived.kernel, row)) {
    for (const KernelEntry& kernel : kernel_table()) {
      if (!has_all(kernel, row)) continue;
      set_kernel(state, kernel.info.id);
      break;
    }
  }
  if (!state.derived.kernel) return;  // no rung has such sliders
  Edit edit = state.edit;
  std::string snapped;
  for (const Named& n : named(row)) {
    const Slider* slider = state.derived.kernel->sliders.find(n.field);
    if (!slider) continue;
    const int value = nearest(*slider, n.value);
    set(edit.change_rung().tile, n.field, value);
    if (value != n.value) {
      snapped += wording("{}{} {} instead of {}", snapped.empty() ? "" : ", ",
                         model::label_of(n.field), value, n.value);
    }
  }
  if (row.problem.m > 0) {
    edit.problem.m = row.problem.m, edit.problem.n = row.problem.n, edit.problem.k = row.problem.k;
  }
  set_edit(state, edit);
  say(state, snapped.empty() ? wording("As in the notes' row, with kernel {}.", edit.rung().kernel)
                             : wording("Nearest to the notes' row that {} offers: {}.",
                                       edit.rung().kernel, snapped));
}

}  // namespace tilescope
