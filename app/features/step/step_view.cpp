#include "app/features/step/step_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/present.h"
#include "app/state/present_launch.h"
#include "app/state/stepped.h"
#include "core/language/language.h"
#include "core/sheet/check_sheet.h"
#include "core/sheet/sheet_error.h"
#include "worker/messages/motion.h"

namespace tilescope {
namespace {

using emulator::StopCondition;
using worker::StepMotion;
using worker::StepStop;

constexpr size_t kMostWishes = 64;

bool ask_to_step(StepView& view, StepWish wish) {
  view.asked = true;
  view.note.clear();
  if (view.wishes.size() >= kMostWishes) return false;
  view.wishes.push_back(std::move(wish));
  return true;
}

/// The shown warp alone, where it is to be: of what is asked of one warp. Who touches a byte, or
/// which moment is looked for, the question says itself.
void confine(const StepView& view, StepMotion& motion) {
  for (StepStop& stop : motion.stops) {
    const StopCondition::Kind kind = stop.condition.kind;
    if (kind == StopCondition::Kind::access || kind == StopCondition::Kind::moment ||
        kind == StopCondition::Kind::cta_end || stop.condition.warp) {
      continue;
    }
    stop.here = view.alone;
    if (view.alone && view.warp >= 0) stop.condition.warp = static_cast<uint32_t>(view.warp);
  }
}

StepStop stop_of(StepUnit unit) {
  StepStop stop;
  switch (unit) {
    case StepUnit::instruction:
      break;
    case StepUnit::line:
      stop.condition.kind = StopCondition::Kind::new_line;
      break;
    case StepUnit::barrier:
      stop.condition.event = emulator::EventKind::barrier;
      [[fallthrough]];
    case StepUnit::event:
      stop.condition.kind = StopCondition::Kind::event;
      break;
    case StepUnit::k_step:
      stop.condition.kind = StopCondition::Kind::k_step;
      break;
  }
  return stop;
}

/// The number of A, B or C; −1: another buffer.
int matrix_number(const std::string& name) {
  return name.size() == 1 && name[0] >= 'A' && name[0] <= 'C' ? name[0] - 'A' : -1;
}

void place_element(const worker::LaunchRequest& launch, StepStop& stop) {
  const int matrix = matrix_number(stop.buffer);
  if (!launch.sheet || !launch.sheet->gemm || matrix < 0) {
    throw std::invalid_argument(
        wording("Elements by row and column are known of A, B and C of a GEMM; name bytes: "
                "{}+OFFSET:BYTES.",
                stop.buffer));
  }
  const sheet::GemmSheet& gemm = *launch.sheet->gemm;
  const sheet::MatrixShape shape = sheet::matrix_shape(gemm, matrix);
  const Coord at = *stop.element;
  if (at.row >= shape.rows || at.col >= shape.cols) {
    throw std::invalid_argument(
        wording("{} has {} rows and {} columns, from 0 on.", stop.buffer, shape.rows, shape.cols));
  }
  const int arguments[] = {gemm.a, gemm.b, gemm.c};
  const auto argument = static_cast<size_t>(arguments[matrix]);
  const sheet::ArgumentSpec of = sheet::parse_spec(launch.sheet->args.at(argument));
  const auto* spec = std::get_if<sheet::BufferSpec>(&of);
  if (!spec || !spec->type) {
    throw std::invalid_argument(wording(
        "The sheet says no type of {0}'s elements; name bytes: {0}+OFFSET:BYTES.", stop.buffer));
  }
  const uint64_t bytes = spec->type->bytes;
  const int64_t element =
      shape.by_rows ? int64_t{at.row} * shape.cols + at.col : int64_t{at.col} * shape.rows + at.row;
  // Buffers are numbered by the arguments that have one.
  size_t number = 0;
  for (size_t i = 0; i < argument; ++i) {
    number +=
        std::holds_alternative<sheet::BufferSpec>(sheet::parse_spec(launch.sheet->args.at(i)));
  }
  stop.buffer = std::to_string(number);
  stop.condition.address = static_cast<uint64_t>(element) * bytes;
  stop.condition.bytes = bytes;
  stop.element.reset();
}

}  // namespace

bool serves(const StepNeeds& known, const StepNeeds& needed) {
  if (needed.of != known.of) return false;
  if ((needed.shared && !known.shared) || (needed.output && !known.output)) return false;
  if (!needed.registers) return true;
  return known.registers && known.warp == needed.warp && known.live_only == needed.live_only;
}

std::string step_key(const AppState& state) {
  const Results& r = present_results(state);
  if (!r.compile || !why_no_step(state).empty()) return {};
  return fmt::format("{} {} {}", state.edit_serial, r.compile->revision,
                     static_cast<const void*>(state.own_launch.get()));
}

std::string why_no_step(const AppState& state) {
  const Results& r = present_results(state);
  if (state.edit.own()) {
    if (state.own_launch && r.compile) return {};
    if (!state.results.error.empty()) return state.results.error;
    return "A kernel of your own is stepped once its launch sheet is confirmed: Run this launch, "
           "in Launch sheet.";
  }
  if (!state.derived.legal()) {
    return "An illegal tile is not run. Move a slider back, or take the nearest legal tile.";
  }
  if (r.compile) return {};
  return state.results.error.empty()
             ? "The kernel is being compiled for this position of the sliders."
             : state.results.error;
}

const worker::StepAnswer* step_answer(const AppState& state) {
  const StepView& view = state.of<StepView>();
  if (!view.answer || view.of.empty() || view.of != step_key(state)) return nullptr;
  return view.answer.get();
}

void step_by(AppState& state, StepUnit unit, bool back) {
  StepView& view = state.of<StepView>();
  // The first of all shows where the run begins.
  if (!step_answer(state)) {
    view.asked = true;
    return;
  }
  StepMotion motion{.stops = {stop_of(unit)}, .back = back};
  confine(view, motion);
  ask_to_step(view, {.motions = {std::move(motion)}});
}

void run_to_breakpoint(AppState& state, bool back) {
  StepView& view = state.of<StepView>();
  StepMotion motion{.stops = stops_of(state, view), .back = back};
  confine(view, motion);
  ask_to_step(view, {.motions = {std::move(motion)}});
}

void step_until(AppState& state, const std::string& text, bool back) {
  StepView& view = state.of<StepView>();
  if (text.empty()) {
    view.note = "Say until when: written:C[0,0], read:A+0:16, register:%r1, barrier, step:100, …";
    return;
  }
  try {
    StepMotion motion = worker::parse_motion(text);
    motion.back = motion.back != back;
    place_elements(state, motion);
    confine(view, motion);
    ask_to_step(view, {.motions = {std::move(motion)}});
  } catch (const std::invalid_argument& wrong) {
    view.note = wrong.what();
  }
}

void step_to_line(AppState& state, bool back) {
  const CodeLink link = linked_code(state);
  StepView& view = state.of<StepView>();
  if (!link.any()) {
    view.note = "Click a line of the kernel or of its PTX first.";
    return;
  }
  StepMotion motion{.stops = {StepStop{}}, .back = back};
  StopCondition& c = motion.stops.front().condition;
  const bool ptx = link.ptx_line > 0 || shows_ptx(state, CodeText::kernel);
  c.kind = ptx ? StopCondition::Kind::ptx_line : StopCondition::Kind::source_line;
  c.line = link.ptx_line > 0 ? link.ptx_line : link.line;
  confine(view, motion);
  ask_to_step(view, {.motions = {std::move(motion)}});
}

void step_to_playhead(AppState& state) {
  StepView& view = state.of<StepView>();
  const std::string text = playhead_motion(state);
  if (text.empty()) {
    view.asked = true;
    return;
  }
  const BlockIndex cta = looked_at_cta(state);
  if (!(view.cta == cta) && !view.whole_grid) step_cta(state, cta, false);
  StepMotion motion = worker::parse_motion(text);
  if (view.whole_grid) {
    motion.stops.front().condition.cta = emulator::Dim3{
        static_cast<uint32_t>(cta.x), static_cast<uint32_t>(cta.y), static_cast<uint32_t>(cta.z)};
  }
  ask_to_step(view, {.from = 0, .motions = {std::move(motion)}});
}

void step_back_to_before(AppState& state) {
  StepView& view = state.of<StepView>();
  if (view.passed.empty()) return;
  const uint64_t to = view.passed.back();
  view.passed.pop_back();
  ask_to_step(view, {.from = to, .goes_back = true});
}

BlockIndex within_grid(const AppState& state, BlockIndex cta) {
  const auto within = [](int at, uint32_t extent) {
    return std::clamp(at, 0, static_cast<int>(std::min(extent, 0x7fffffffu)) - 1);
  };
  const std::array<uint32_t, 3> grid = step_grid(state);
  return {within(cta.x, grid[0]), within(cta.y, grid[1]), within(cta.z, grid[2])};
}

void step_cta(AppState& state, BlockIndex cta, bool whole_grid) {
  StepView& view = state.of<StepView>();
  cta = within_grid(state, cta);
  view.asked = true;
  view.cta_chosen = true;
  if (view.cta == cta && view.whole_grid == whole_grid) return;
  view.cta = cta, view.whole_grid = whole_grid;
  view.of.clear();  // whatever is known is of another run
}

void step_to_writer(AppState& state, int byte, const emulator::StepWriter& by) {
  const worker::StepAnswer* answer = step_answer(state);
  if (!answer) return;
  StepMotion motion{.stops = {StepStop{}}, .back = true};
  StopCondition& c = motion.stops.front().condition;
  c.kind = StopCondition::Kind::access;
  c.cta = answer->state.cta, c.warp = by.warp, c.line = by.ptx_line;
  c.shared = true, c.address = static_cast<uint64_t>(byte), c.reads = false;
  ask_to_step(state.of<StepView>(), {.motions = {std::move(motion)}});
}

void show_step_warp(AppState& state, int warp) {
  StepView& view = state.of<StepView>();
  view.warp = warp;
  if (state.derived.kernel && warp >= 0 && warp < state.derived.plan.warps()) {
    const int level = state.selection.level;
    select_warp(state, warp);
    select_level(state, level);
  }
}

void end_stepping(AppState& state) {
  StepView& view = state.of<StepView>();
  view.asked = false;
  view.wishes.clear();
  view.note.clear();
}

int shown_warp(const StepView& view, const worker::StepAnswer& answer) {
  const emulator::StepState& s = answer.state;
  const int place = static_cast<int>(s.place.warp);  // at the end of the run the last that ran
  const int warp = view.warp >= 0 ? view.warp : view.resident ? 0 : place;
  return std::clamp(warp, 0, std::max(0, static_cast<int>(s.warps.size()) - 1));
}

BlockIndex looked_at_cta(const AppState& state) {
  if (state.edit.own()) return chosen_block(state);
  if (!state.derived.legal()) return {};
  const KernelPlan& plan = state.derived.plan;
  return block_index(state.derived.launch, first_worker(plan.work, state.selection.cta).cta);
}

std::array<uint32_t, 3> step_grid(const AppState& state) {
  if (state.own_launch && state.own_launch->sheet && state.own_launch->sheet->grid) {
    const sheet::Extent& grid = *state.own_launch->sheet->grid;
    return {std::max(1u, grid.x), std::max(1u, grid.y), std::max(1u, grid.z)};
  }
  const Launch& launch = state.derived.launch;
  return {static_cast<uint32_t>(std::max(1, launch.grid_x)),
          static_cast<uint32_t>(std::max(1, launch.grid_y)),
          static_cast<uint32_t>(std::max(1, launch.grid_z))};
}

void place_elements(const AppState& state, worker::StepMotion& motion) {
  if (!state.own_launch) return;
  for (StepStop& stop : motion.stops) {
    if (!stop.element) continue;
    try {
      place_element(*state.own_launch, stop);
    } catch (const sheet::SheetError& error) {
      throw std::invalid_argument(error.what());
    } catch (const std::out_of_range&) {
      throw std::invalid_argument(wording("The launch sheet has no argument for {}.", stop.buffer));
    }
  }
}

}  // namespace tilescope
