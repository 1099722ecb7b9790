#include "app/features/access/access_view.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/state/access_rows.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/playback.h"
#include "app/state/present.h"
#include "app/state/present_launch.h"
#include "app/state/scene_words.h"

namespace tilescope {
namespace {

constexpr uint64_t kLeastWindow = 4;  // elements along a side

/// The text in Source is the PTX itself.
bool is_ptx_text(const AppState& state) {
  const OwnKernel* own = state.edit.own();
  return own && own->file.ends_with(".ptx");
}

/// The column of the timeline where a warp is at a step, if the trace shows that.
std::optional<int> column_of_step(const AppState& state, int warp, uint64_t step) {
  if (!trace_is_of_choice(state) || !state.results.timeline) return std::nullopt;
  const worker::TraceResult& trace = *state.results.trace;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const worker::TraceEvent& e = trace.events[i];
    if (e.warp != warp || e.first_raw < 0 || e.kind == worker::TraceEvent::Kind::fma) continue;
    for (uint32_t k = 0; k < e.count; ++k) {
      const size_t raw = static_cast<size_t>(e.first_raw) + k;
      if (raw >= trace.raw.size() || trace.raw[raw].step > step) break;
      if (trace.raw[raw].step != step) continue;
      return state.results.timeline->placed(static_cast<int>(i)).column + static_cast<int>(k);
    }
  }
  return std::nullopt;
}

template <class Fits>
std::vector<uint32_t> instructions_where(const AccessData& data, Fits fits) {
  std::vector<uint32_t> found;
  const auto& all = data.answer.instructions;
  for (size_t i = 0; i < all.size(); ++i) {
    if (fits(all[i])) found.push_back(static_cast<uint32_t>(i));
  }
  return found;
}

}  // namespace

BlockIndex access_grid(const AppState& state) {
  if (state.own_launch) return own_grid(state);
  const Launch& l = state.derived.launch;
  return {l.grid_x, l.grid_y, l.grid_z};
}

std::optional<AccessQuestion> access_question(const AppState& state) {
  const AccessView& view = state.of<AccessView>();
  AccessQuestion q;
  q.edit_serial = state.edit_serial;
  q.whole_grid = view.whole_grid;
  if (state.edit.own()) {
    if (!state.own_launch) return std::nullopt;
    q.launch = state.own_launch;
    if (!q.whole_grid) q.cta = chosen_block(state);
    return q;
  }
  const Results& r = present_results(state);
  if (!state.derived.legal() || !r.compile) return std::nullopt;
  q.revision = r.compile->revision;
  if (q.whole_grid) return q;
  const WorkOrder& work = state.derived.plan.work;
  const int slice = std::clamp(state.playhead.k_step, 0, std::max(0, work.k_slices - 1));
  q.cta = block_index(state.derived.launch, worker_of(work, state.selection.cta, slice).cta);
  return q;
}

std::string why_no_accesses(const AppState& state) {
  if (const OwnKernel* own = state.edit.own()) {
    if (state.own_launch) return {};
    return own->sheet.empty()
               ? "Once Launch sheet says how the kernel is launched, its accesses are shown here."
               : "The launch cannot run yet; Launch sheet says why.";
  }
  if (!state.derived.legal()) {
    return "The emulator runs legal tiles only; choose the nearest legal one in Controls.";
  }
  if (!present_results(state).compile) {
    return has_failed(state) ? "There is no PTX of the kernel to run; Live benchmark says why."
                             : "The kernel is being compiled …";
  }
  return {};
}

std::shared_ptr<const AccessData> present_accesses(const AppState& state) {
  const AccessView& view = state.of<AccessView>();
  const auto question = access_question(state);
  return question && view.of == question ? view.data : nullptr;
}

void take_accesses(AccessView& view, const AccessQuestion& question, worker::AccessAnswer answer) {
  auto data = std::make_shared<const AccessData>(std::move(answer));
  const bool alike = view.data && view.data->matrices == data->matrices;
  if (!alike) view.windows.clear(), view.first = 0, view.chosen.reset();
  // A window of what one CTA touches is no window of another's.
  if (!view.of || view.of->cta != question.cta || view.of->whole_grid != question.whole_grid) {
    view.windows.clear();
  }
  view.hovered.reset();
  view.windows.resize(data->matrices.size());
  view.data = std::move(data);
  view.of = question;
  view.error.clear(), view.details.clear();
}

std::vector<uint32_t> instructions_at(const AppState& state, const AccessData& data,
                                      const CodeLink& place) {
  const int ptx_line = place.ptx_line > 0 || !is_ptx_text(state) ? place.ptx_line : place.line;
  return instructions_where(data, [&](const worker::AccessInstruction& in) {
    return ptx_line > 0 ? in.ptx_line == ptx_line : place.line > 0 && in.line == place.line;
  });
}

AccessLight access_light(const AppState& state, const AccessData& data, bool* dims) {
  AccessLight light;
  *dims = true;
  if (const CodeLink link = linked_code(state); link.any()) {
    light.instructions = instructions_at(state, data, link);
  } else if (const std::string row = chosen_access(state); !row.empty()) {
    const std::vector<int> lines = lines_of_access(state, row, CodeText::ptx);
    light.instructions = instructions_where(data, [&](const worker::AccessInstruction& in) {
      return std::ranges::binary_search(lines, in.ptx_line);
    });
  }
  if (light.any() || data.answer.whole_grid || !state.derived.kernel) return light;
  *dims = false;
  if (!trace_is_of_choice(state)) return light;
  const Moment moment = moment_of(state);
  if (!moment.raw || !moment.present) return light;
  light.warp = state.selection.warp;
  light.step = light.last = static_cast<int64_t>(moment.raw->step);
  return light;
}

AccessWindow shown_window(const AccessView& view, const AccessData& data, size_t matrix) {
  if (matrix < view.windows.size() && view.windows[matrix]) return *view.windows[matrix];
  AccessWindow w = data.windows[matrix];
  const worker::AccessBuffer& m = data.matrices[matrix];
  if (w.rows == 0) w = {0, 0, std::min<uint64_t>(m.rows, 32), std::min<uint64_t>(m.cols, 32)};
  return w;
}

AccessWindow zoomed(const worker::AccessBuffer& m, const AccessWindow& window, double factor,
                    double row, double col) {
  const auto along = [&](uint64_t first, uint64_t count, uint64_t all, double at, uint64_t* to) {
    const double least = static_cast<double>(std::min<uint64_t>(kLeastWindow, all));
    const double wanted = std::round(static_cast<double>(count) * factor);
    // A step of the wheel always does something.
    const double step =
        factor < 1 ? static_cast<double>(count) - 1 : static_cast<double>(count) + 1;
    const double next = factor < 1 ? std::min(wanted, step) : std::max(wanted, step);
    const double extent = std::clamp(next, least, static_cast<double>(all));
    const double share =
        (at - static_cast<double>(first)) / static_cast<double>(std::max<uint64_t>(1, count));
    const double begin =
        std::clamp(std::round(at - share * extent), 0.0, static_cast<double>(all) - extent);
    *to = static_cast<uint64_t>(begin);
    return static_cast<uint64_t>(extent);
  };
  AccessWindow w;
  w.rows = along(window.row, window.rows, m.rows, row, &w.row);
  w.cols = along(window.col, window.cols, m.cols, col, &w.col);
  return w;
}

AccessWindow moved(const worker::AccessBuffer& m, AccessWindow window, int64_t rows, int64_t cols) {
  const auto along = [](uint64_t first, int64_t by, uint64_t count, uint64_t all) {
    const auto last = static_cast<int64_t>(all - std::min(all, count));
    return static_cast<uint64_t>(std::clamp<int64_t>(static_cast<int64_t>(first) + by, 0, last));
  };
  window.row = along(window.row, rows, window.rows, m.rows);
  window.col = along(window.col, cols, window.cols, m.cols);
  return window;
}

void choose_instruction(AppState& state, const worker::AccessInstruction& instruction) {
  const bool is_ptx = instruction.line == 0 && is_ptx_text(state);
  link_place(state, {is_ptx ? instruction.ptx_line : instruction.line, instruction.ptx_line});
}

void choose_element(AppState& state, const AccessElement& element) {
  AccessView& view = state.of<AccessView>();
  view.chosen = element;
  const auto data = present_accesses(state);
  if (!data || element.matrix >= data->matrices.size()) return;
  const ElementTouches t =
      touches_of(*data, element.matrix, element.row, element.col, access_filter(state, *data));
  if (t.last < 0) return;
  const worker::AccessRecord& r = data->answer.records[static_cast<size_t>(t.last)];
  choose_instruction(state, data->answer.instructions[r.instruction]);
  if (data->answer.whole_grid) return;  // the warp is of another CTA
  select_warp(state, r.warp);
  const auto& touched = r.writes() ? t.writers : t.readers;
  for (const auto& [warp, lanes] : touched) {
    if (warp == r.warp && lanes != 0) select_lane(state, std::countr_zero(lanes));
  }
  if (const auto column = column_of_step(state, r.warp, r.step)) {
    state.playhead.playing = false;
    scrub(state, *column);
  }
}

}  // namespace tilescope
