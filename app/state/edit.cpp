#include "app/state/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/state/answer.h"
#include "app/state/device.h"
#include "app/state/present_launch.h"
#include "app/state/trusted_files.h"
#include "core/instructions/instructions.h"
#include "core/language/language.h"
#include "core/model/device_table.h"
#include "core/model/names.h"
#include "core/model/nearest_legal.h"
#include "core/model/sentences.h"

namespace tilescope {
namespace {

constexpr size_t kMaxUndo = 500;
constexpr int kMostThreads = 1024;  // of a CTA, on every GPU

/// Remembers the state before a change, once a drag.
void remember(AppState& state, int drag) {
  if (drag == 0 || drag != state.drag) {
    state.undo.push_back(state.edit);
    if (state.undo.size() > kMaxUndo) state.undo.erase(state.undo.begin());
  }
  state.drag = drag;
  state.redo.clear();
  state.take_back = {};
}

void changed(AppState& state) {
  if (const Rung* rung = std::get_if<Rung>(&state.edit.subject)) {
    state.edit.tiles[rung->kernel] = rung->tile;
    state.edit.last_rung = rung->kernel;
  }
  ++state.edit_serial;
  forget_launch(state);
  derive(state);
}

/// Of a kernel without a plan: CTAs of the grid's first layer by row (y) and column (x), warps of
/// the block. Until its launch is known only that nothing is negative.
void clamp_own_selection(AppState& state) {
  Selection& s = state.selection;
  sheet::Extent grid{1u << 30, 1u << 30, 1u << 30}, block{1024, 1, 1};
  if (state.own_launch && state.own_launch->sheet) {
    grid = state.own_launch->sheet->grid.value_or(sheet::Extent{});
    block = state.own_launch->sheet->block.value_or(sheet::Extent{});
  }
  const auto limit = [](int value, uint64_t count) {
    const auto most = static_cast<int>(std::min<uint64_t>(count, 1u << 30)) - 1;
    return std::clamp(value, 0, std::max(0, most));
  };
  s.cta = {limit(s.cta.row, grid.y), limit(s.cta.col, grid.x)};
  s.cta_z = limit(s.cta_z, grid.z);
  s.warp = limit(s.warp, (block.count() + 31) / 32);
  const uint64_t threads = block.count() - std::min<uint64_t>(block.count(), 32u * s.warp);
  s.lane = limit(s.lane, std::min<uint64_t>(32, threads));
  s.mma_m = s.mma_n = s.value = 0;
  s.operand = Operand::c;
}

/// A selection that still names something after the tile has changed.
void clamp_selection(AppState& state) {
  if (state.edit.own()) return clamp_own_selection(state);
  const KernelPlan& plan = state.derived.plan;
  Selection& s = state.selection;
  if (viz::values_of(plan, s.operand) == 0) s.operand = Operand::c;
  const viz::Selection safe =
      viz::clamped({s.cta, s.warp, s.mma_m, s.mma_n, s.lane, s.value}, plan);
  s.cta = safe.cta, s.warp = safe.warp, s.lane = safe.lane;
  s.mma_m = safe.mma_m, s.mma_n = safe.mma_n;
  s.value = std::clamp(s.value, 0, std::max(0, viz::values_of(plan, s.operand) - 1));
}

void select(AppState& state, int level) {
  state.selection.level = std::max(state.selection.level, level);
  clamp_selection(state);
}

}  // namespace

const Rung& Edit::rung() const {
  static const Rung kNone;
  const Rung* rung = std::get_if<Rung>(&subject);
  return rung ? *rung : kNone;
}

Rung& Edit::change_rung() {
  if (!std::holds_alternative<Rung>(subject)) subject = Rung{};
  return std::get<Rung>(subject);
}

std::string name_of(const OwnKernel& kernel) {
  return std::filesystem::path(kernel.file).filename().string();
}

bool same_request(const Edit& a, const Edit& b) {
  return a.subject == b.subject && a.problem == b.problem;
}

AppState initial_state() {
  AppState state;
  const KernelEntry* kernel = find_kernel("mma_multistage");
  if (!kernel) kernel = kernel_table().begin();
  state.edit.subject = Rung{kernel->info.id, kernel->sliders.defaults()};
  state.edit.last_rung = kernel->info.id;
  state.edit.problem = default_problem(kernel->info);
  state.edit.problem.m = state.edit.problem.n = state.edit.problem.k = 4096;
  state.edit.tiles[state.edit.rung().kernel] = state.edit.rung().tile;
  state.selection.cta = {3, 5};
  state.selection.warp = 2;
  state.selection.mma_m = 1, state.selection.mma_n = 3;
  state.selection.lane = 17;
  state.selection.value = 1;
  derive(state);
  return state;
}

bool has_plan(const KernelEntry& kernel, const TileConfig& tile) {
  return check_offered(kernel.sliders, tile).legal() && kernel.rules(tile).legal();
}

void derive(AppState& state) {
  Derived& d = state.derived;
  const Edit& e = state.edit;
  d = {};
  if (!model::find_device(state.view.gpu)) state.view.gpu = model::device_table().front().name;
  state.gpu = gpu_of(state);
  state.limits = state.gpu.limits;
  d.kernel = find_kernel(e.rung().kernel.c_str());
  if (!d.kernel) return;
  d.violation = d.kernel->validate(e.rung().tile, e.problem, state.limits);
  const Problem problem = nearest_computed(d.kernel->info, e.problem);
  TileConfig shown = e.rung().tile;
  if (!d.violation.legal()) {
    if (auto near = model::nearest_legal(d.kernel->validator(), d.kernel->sliders, e.rung().tile,
                                         problem, state.limits, d.violation.field)) {
      d.nearest = near->tile;
      d.nearest_label = near->label;
    }
    // What has no picture: the legal tile next to it is drawn.
    if (!has_plan(*d.kernel, e.rung().tile))
      shown = d.nearest.value_or(d.kernel->sliders.defaults());
  }
  d.plan = d.kernel->plan(shown, problem, state.limits.sm_count);
  d.launch = launch_of(d.plan);
  if (!d.violation.legal()) {
    d.sentence = model::sentence(d.violation, e.rung().tile, e.problem, d.plan, state.limits);
  }
  // Counting walks the lanes of a CTA; one of many thousand threads would cost a frame and could
  // never be launched.
  if (d.violation.rule != Rule::extent_range && d.plan.cta_threads() <= 2 * kMostThreads) {
    d.traffic = model::traffic(d.plan, problem);
  }
  if (d.violation.legal()) {
    d.prediction = model::predict(d.plan, problem, d.launch, d.traffic, state.gpu);
  }
  clamp_selection(state);
}

void set_tile_field(AppState& state, TileFieldId field, int value, int drag) {
  if (state.edit.own() || get(state.edit.rung().tile, field) == value) return;
  remember(state, drag);
  set(state.edit.change_rung().tile, field, value);
  changed(state);
}

void set_tile(AppState& state, const TileConfig& tile) {
  if (state.edit.own() || state.edit.rung().tile == tile) return;
  remember(state, 0);
  state.edit.change_rung().tile = tile;
  changed(state);
}

void set_kernel(AppState& state, const std::string& id) {
  const KernelEntry* kernel = find_kernel(id.c_str());
  if (!kernel || state.edit.rung().kernel == id) return;
  remember(state, 0);
  const auto left = state.edit.tiles.find(id);
  Problem& p = state.edit.problem;
  const int before = layout_bit(p.order_a, p.order_b);
  if (!state.edit.own()) state.edit.layouts[state.edit.rung().kernel] = before;
  state.edit.subject =
      Rung{id, left != state.edit.tiles.end() ? left->second : kernel->sliders.defaults()};
  if ((kernel->info.types & bit_of_types(types_of(p))) == 0) {
    set_types(p, types_of_bit(kernel->info.default_types));
  }
  // Each kernel comes with its own layout, as recordings have it, or as it was left.
  const auto left_layout = state.edit.layouts.find(id);
  const bool known = left_layout != state.edit.layouts.end();
  set_layout(p, known ? left_layout->second : kernel->info.default_layout);
  changed(state);
  if (layout_bit(p.order_a, p.order_b) == before) return;
  state.kernel_note = wording("layout {} comes with {}", model::layout_letters(p), id);
  state.kernel_note_serial = state.edit_serial;
}

void open_own_kernel(AppState& state, const OwnKernel& kernel) {
  if (state.edit.own() && *state.edit.own() == kernel) return;
  remember(state, 0);
  OwnKernel& opened = state.edit.subject.emplace<OwnKernel>(kernel);
  if (opened.sheet.empty() && !state.awaited.file.empty() &&
      name_of(opened) == state.awaited.file) {
    opened.sheet = std::exchange(state.awaited, {}).sheet;
    const std::string left_out = TrustedFiles(state, "").clean(opened);
    if (!left_out.empty()) say(state, sheet_file_words(left_out));
  }
  changed(state);
}

void leave_own_kernel(AppState& state) {
  if (!state.edit.own()) return;
  const bool known = find_kernel(state.edit.last_rung.c_str()) != nullptr;
  set_kernel(state, known ? state.edit.last_rung : kernel_table().begin()->info.id);
}

void set_problem(AppState& state, const Problem& problem, int drag) {
  Edit next = state.edit;
  next.problem = problem;
  if (same_request(next, state.edit)) return;
  remember(state, drag);
  state.edit.problem = problem;
  changed(state);
}

void set_edit(AppState& state, const Edit& edit) {
  if (!edit.own() && !find_kernel(edit.rung().kernel.c_str())) return;
  if (same_request(edit, state.edit)) return;
  remember(state, 0);
  std::map<std::string, TileConfig> tiles = state.edit.tiles;
  std::map<std::string, int> layouts = state.edit.layouts;
  Slices beside = std::move(state.edit.beside);
  state.edit = edit;
  state.edit.beside = std::move(beside);
  state.edit.tiles = std::move(tiles);
  state.edit.layouts = std::move(layouts);
  changed(state);
}

bool can_undo(const AppState& state) { return state.take_back || !state.undo.empty(); }
bool can_redo(const AppState& state) { return !state.redo.empty(); }

void remember_edit(AppState& state, int drag) { remember(state, drag); }

namespace {

void go_to(AppState& state, std::vector<Edit>& from, std::vector<Edit>& other) {
  if (from.empty()) return;
  other.push_back(state.edit);
  state.edit = from.back();
  from.pop_back();
  state.drag = 0;
  // Of a step that moved only what features choose beside, nothing is compiled or run again.
  if (!same_request(other.back(), state.edit)) changed(state);
}

}  // namespace

void can_take_back(AppState& state, std::function<void(AppState&)> back) {
  state.take_back = std::move(back);
}

void undo(AppState& state) {
  if (const auto back = std::exchange(state.take_back, {})) return back(state);
  go_to(state, state.undo, state.redo);
}
void redo(AppState& state) { go_to(state, state.redo, state.undo); }

void select_cta(AppState& state, Coord tile, int z) {
  state.selection.cta = tile;
  state.selection.cta_z = z;
  select(state, 1);
}
void select_warp(AppState& state, int warp) {
  state.selection.warp = warp;
  select(state, 2);
}
void select_mma(AppState& state, int mi, int ni) {
  state.selection.mma_m = mi, state.selection.mma_n = ni;
  select(state, 3);
}
void select_lane(AppState& state, int lane) {
  state.selection.lane = lane;
  select(state, 4);
}
void select_value(AppState& state, Operand operand, int value) {
  state.selection.operand = operand;
  state.selection.value = value;
  select(state, 4);
}
void say(AppState& state, const std::string& sentence) {
  constexpr double kSeconds = 6;
  state.said = sentence;
  state.said_until = state.now + kSeconds;
}

void settle_selection(AppState& state) { clamp_selection(state); }

void select_level(AppState& state, int level) { state.selection.level = std::clamp(level, 0, 4); }

std::string tile_label(const Edit& edit) {
  if (const OwnKernel* own = edit.own()) return name_of(*own);
  const TileConfig& t = edit.rung().tile;
  std::string label = fmt::format("{}×{}", t.block_m, t.block_n);
  if (t.block_k) label += fmt::format("×{}", t.block_k);
  // Without a slider of its own a warp tile is as wide as the block tile.
  if (t.warp_m) label += fmt::format(", {}×{}", t.warp_m, t.warp_n ? t.warp_n : t.block_n);
  if (t.thread_m) label += fmt::format(", {}×{}", t.thread_m, std::max(t.thread_n, 1));
  // What is set beside extents, where it is not what each kernel does without the slider.
  const KernelEntry* kernel = find_kernel(edit.rung().kernel.c_str());
  for (const TileFieldId id : {TileFieldId::stages, TileFieldId::splits, TileFieldId::min_ctas}) {
    const int value = get(t, id);
    const bool usual = id != TileFieldId::stages && value == 1;
    if (!kernel || !kernel->sliders.find(id) || usual) continue;
    label += ", " + model::setting_text(id, value);
  }
  // And what has been moved from where its slider starts: a sweep has tiles that differ in it
  // alone.
  for (const TileFieldId id :
       {TileFieldId::warps_k, TileFieldId::prefetch, TileFieldId::raster, TileFieldId::swizzle}) {
    const Slider* slider = kernel ? kernel->sliders.find(id) : nullptr;
    if (slider && get(t, id) != slider->start) label += ", " + model::setting_text(id, get(t, id));
  }
  return label;
}

}  // namespace tilescope
