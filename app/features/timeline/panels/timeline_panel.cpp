// Timeline: what each warp of the chosen CTA does, in the order of the kernel's PTX; play and
// scrub.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "app/features/timeline/event_words.h"
#include "app/features/timeline/timeline_picture.h"
#include "app/kit/answer_frame.h"
#include "app/kit/core/failure.h"
#include "app/kit/core/linked.h"
#include "app/kit/header_row.h"
#include "app/kit/legend.h"
#include "app/kit/scene_cache.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/brush.h"
#include "app/state/edit.h"
#include "app/state/hovered.h"
#include "app/state/scene_words.h"
#include "app/state/wrong_answer.h"
#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/model/format.h"
#include "viz/scene/timeline/timeline_scene.h"
#include "worker/messages/findings.h"

namespace tilescope {
namespace {

using namespace widgets;

struct View {
  SceneCache<viz::TimelineState> cache{&viz::build_timeline};
  double first = -1, visible = 0;  // of the axis; the scene's own choice while negative and 0
  enum class Drag { none, scrub, brush } drag = Drag::none;
  int anchor = 0;      // column where the button went down
  float pressed = 0;   // and its x
  bool moved = false;  // since then
  /// Where the brush lies and what belongs to the thing that is hovered elsewhere, as long as
  /// trace, brush and hover are these.
  std::shared_ptr<const worker::TraceResult> trace;
  RunSpanPointer span;
  Hover hover;
  std::vector<TimelineColumns> brushed;
  std::vector<int> lit;
};
View& view() {
  static View v;
  return v;
}

viz::TimelineState scene_state(const AppState& state, const Moment& moment) {
  viz::TimelineState t = timeline_picture(state, moment);
  t.first = view().first;
  t.visible = view().visible;
  View& v = view();
  // Of a trace of another choice nothing is marked.
  const auto trace = t.stale.empty() ? state.results.trace : nullptr;
  const RunSpanPointer span = trace ? brushed(state) : nullptr;
  if (v.span != span || (span && v.trace != trace)) v.brushed = columns_of_brush(state);
  Hover hover = state.hover_before;
  hover.pick.reset();
  if (v.trace != trace || v.hover != hover) v.lit = hovered_events(state);
  v.trace = trace, v.span = span, v.hover = hover;
  t.brushed = v.brushed;
  t.lit = v.lit;
  return t;
}

constexpr float kToolWidth = 26;

bool tool(AppContext& context, const char* id, const char* label, const char* command,
          const char* tip, bool on = false) {
  if (on) ImGui::PushStyleColor(ImGuiCol_Button, to_vec4(context.theme->accent_ground));
  const bool pressed =
      ImGui::Button(fmt::format("{}###{}", label, id).c_str(), {kToolWidth * context.scale, 0});
  if (on) ImGui::PopStyleColor();
  tooltip(context, tip);
  if (pressed) context.commands.request(command);
  return pressed;
}

/// Ends with a sentence on the present event, or else with its number.
void toolbar(AppContext& context, AppState& state, const std::string& words) {
  Playhead& p = state.playhead;
  const auto next = [&context] { beside(2 * context.scale, kToolWidth * context.scale); };
  tool(context, "first", "|<", "play.first", "First event (Home)");
  next();
  tool(context, "previous", "<", "play.previous", "One event back (Left); with Shift a k step");
  next();
  tool(context, "play", p.playing ? "||" : "▶", "play.toggle", "Play or pause (Space)", p.playing);
  next();
  tool(context, "next", ">", "play.next", "One event on (Right); with Shift a k step");
  next();
  tool(context, "last", ">|", "play.last", "Last event (End)");
  next();
  const bool is_brushed = brushed(state) != nullptr;
  ImGui::BeginDisabled(!is_brushed);
  tool(context, "unbrush", "×", "timeline.unbrush",
       is_brushed ? "Let go of the brush: all of the run is looked at again"
                  : "Shift and a drag brush a stretch here and in Access",
       is_brushed);
  ImGui::EndDisabled();
  // What has no room beside the buttons is left to the menu and the keys: never a piece of it.
  const float speed = 70 * context.scale;
  if (!beside(10 * context.scale, speed + 50 * context.scale)) return;
  const bool wide = ImGui::GetContentRegionAvail().x > (words.empty() ? 330 : 560) * context.scale;
  ImGui::SetNextItemWidth(speed);
  ImGui::SliderFloat("##speed", &p.events_per_second, 1, 1000, "", ImGuiSliderFlags_Logarithmic);
  tooltip(context, "Speed of playing, in warp instructions of each warp per second");
  ImGui::SameLine(0, 4 * context.scale);
  elided(context,
         wide ? wording("{:.0f} events/s", p.events_per_second)
              : fmt::format("{:.0f}/s", p.events_per_second),
         Tone::dim, 90 * context.scale);
  const char* loop = wide ? "loop one k step" : "loop";
  const float check = ImGui::CalcTextSize(tr(loop)).x + 2 * ImGui::GetFrameHeight();
  if (!beside(10 * context.scale, check)) return;
  ImGui::Checkbox(tr_id(loop), &p.loop_k_step);
  tooltip(context, "Playing starts again at the beginning of the present k slice");
  const std::string where =
      wording("event {} of {} · order, not time", model::grouped(p.column + 1),
              model::grouped(state.results.timeline->columns()));
  ImGui::SameLine(0, 10 * context.scale);
  const std::string& end = words.empty() ? where : words;
  const float text = ImGui::CalcTextSize(end.c_str()).x, room = ImGui::GetContentRegionAvail().x;
  if (room > text) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - text);
  elided(context, end, words.empty() ? Tone::dim : Tone::plain);
  if (!words.empty()) tooltip(context, where);
  tooltip(
      context,
      "The axis is the order of the kernel's PTX, aligned at barriers. The machine code that runs "
      "on a GPU may order instructions otherwise.");
}

/// The event under the pointer, by its first warp instruction.
std::string hovered_words(const worker::TraceResult& trace, const worker::TraceEvent& e) {
  const auto first = static_cast<size_t>(e.first_raw);
  const bool known = e.first_raw >= 0 && first < trace.raw.size();
  std::string words = event_words(&e, known ? &trace.raw[first] : nullptr, trace);
  if (e.count > 1 && e.kind != worker::TraceEvent::Kind::fma) {
    words += wording("\nthe first of {} in a row", model::grouped(e.count));
  }
  return words + (e.line > 0 ? wording("\nline {}", e.line) : wording("\nPTX line {}", e.ptx_line));
}

/// A drag with Shift brushes from where it began; a click with it lets go.
void drag_brush(AppState& state, const SceneInput& input, double under) {
  View& v = view();
  constexpr float kLeast = 3;  // pixels
  v.moved = v.moved || std::abs(input.mouse.x - v.pressed) >= kLeast;
  if (!v.moved) return;
  const int columns = state.results.timeline->columns();
  const int at = std::clamp(static_cast<int>(std::floor(under)), 0, std::max(0, columns - 1));
  brush(state, steps_of_columns(state, {std::min(v.anchor, at), std::max(v.anchor, at) + 1}));
}

/// Click or drag scrubs, with Shift it brushes; the wheel zooms round the pointer.
void follow(AppState& state, const SceneInput& input, const viz::TimelineState& t, viz::Size size) {
  using Drag = View::Drag;
  View& v = view();
  const viz::TimelineView at = viz::timeline_view(t, size);
  const double under = at.at(input.mouse.x);
  const bool on_axis = input.dragging && input.mouse.y < at.plot.bottom() + 30;
  if (on_axis && v.drag == Drag::none && at.overview.contains(input.mouse.x, input.mouse.y)) {
    const double part = static_cast<double>((input.mouse.x - at.overview.x) / at.overview.w);
    choose_k_step(state, static_cast<int>(part * slices_in_all(state)));
  } else if (on_axis || (input.dragging && v.drag != Drag::none)) {
    if (v.drag == Drag::none) {
      v.drag = ImGui::GetIO().KeyShift ? Drag::brush : Drag::scrub;
      v.anchor = static_cast<int>(std::floor(under)), v.pressed = input.mouse.x;
      v.moved = false;
    }
    // Meanwhile the axis stands still under the pointer.
    v.first = at.first, v.visible = at.visible;
    if (v.drag == Drag::brush) {
      drag_brush(state, input, under);
    } else {
      scrub(state, static_cast<int>(std::floor(under)));
    }
  } else if (v.drag != Drag::none) {
    if (v.drag == Drag::brush && !v.moved) let_go_of_brush(state);
    v.drag = Drag::none;
    v.first = -1;
  }
  if (input.wheel != 0 && input.hovered) {
    const double zoom = std::pow(0.8, static_cast<double>(input.wheel));
    v.visible = std::clamp(at.visible * zoom, 20.0,
                           std::max(40.0, static_cast<double>(state.results.timeline->columns())));
  }
}

/// Why a kernel of one's own has no events.
void no_own_events(AppContext& context, const AppState& state) {
  const Results& r = state.results;
  std::string why = "The emulator is running this CTA's own PTX.";
  if (r.edit_serial != state.edit_serial || r.stage == Stage::idle) {
    why = "They are there once the file has been opened and run: Launch sheet.";
  } else if (const worker::CodeFinding* found = worker::first_error(r.findings)) {
    why = wording("The CTA did not come to its end: {}", retold(found->message));
  } else if (r.stage == Stage::done) {
    why = "The CTA could not be traced; choose another one, or look at Findings.";
  }
  empty_panel(context, "No events to show", why);
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  const bool own = state.edit.own() != nullptr;
  if (!own && !state.derived.kernel) return;
  if (!own && !state.derived.legal()) {
    bool back = false;
    const std::string label = wording("nearest legal: {}", state.derived.nearest_label);
    if (empty_panel(context, "No events to show",
                    "The emulator runs legal tiles only; the picture above is still to scale.",
                    state.derived.nearest ? label.c_str() : nullptr, "undo", &back)) {
      context.commands.request("edit.nearest");
    }
    if (back) context.commands.request("edit.undo");
    return;
  }
  if (!state.results.trace) {
    if (!state.results.error.empty()) {
      failure_box(context, state, "Timeline");
      return;
    }
    if (own) return no_own_events(context, state);
    empty_panel(context, "No events yet",
                state.results.stage == Stage::tracing
                    ? "The emulator is running this CTA's own PTX."
                    : "The kernel is being compiled; the emulator then runs its PTX.");
    return;
  }
  const Moment moment = moment_of(state);
  std::string words;
  if (trace_is_of_choice(state)) words = event_words(state);
  // Where a line of its own would take a warp's row, the sentence stands in the toolbar.
  const bool low = ImGui::GetContentRegionAvail().y < 150 * context.scale;
  toolbar(context, state, low ? words : "");
  if (!low && !words.empty()) elided(context, words);
  const viz::Size size = room_for_scene(context, {1, 92});  // the map, a warp, the axis
  const viz::TimelineState t = scene_state(state, moment);
  const viz::Scene& scene = view().cache.get(context, size, t);
  const SceneInput input = show_scene(context, "timeline_scene", scene);
  if (input.hovered && input.hovered->kind == viz::Pick::Kind::event && input.hovered->event >= 0 &&
      !context.rendering && ImGui::IsItemHovered()) {
    const worker::TraceEvent& e =
        state.results.trace->events[static_cast<size_t>(input.hovered->event)];
    place_picture_tooltip(context);
    ImGui::SetTooltip("%s", hovered_words(*state.results.trace, e).c_str());
    if (input.clicked && !ImGui::GetIO().KeyShift) select_warp(state, e.warp);
  }
  if (input.hovered) state.hover.pick = input.hovered;
  follow(state, input, t, size);
}

const char* load_name(LoadKind kind) {
  switch (kind) {
    case LoadKind::ldmatrix:
      return "ldmatrix";
    case LoadKind::wmma:
      return "wmma.load";
    case LoadKind::none:
    case LoadKind::global:
    case LoadKind::lds:
      return "load";
  }
  return "";
}

/// Of a kernel without a plan: as its events say.
bool multiplies_matrices(const Results& results) {
  return results.trace && std::ranges::any_of(results.trace->events, [](const auto& e) {
           return e.kind == worker::TraceEvent::Kind::mma;
         });
}

void draw_header(AppContext& context) {
  if (answer_marks(*context.state).any(viz::Pick::Kind::event)) {
    legend(context, answer_keys(context));
  }
  const viz::Palette& palette = palette_of(context);
  const KernelPlan& plan = context.state->derived.plan;
  const bool own = context.state->edit.own() != nullptr;
  const bool mma = own ? multiplies_matrices(context.state->results) : plan.math() == Math::mma;
  const char* load = own ? "load" : load_name(plan.load_a.kind);
  using Mark = LegendKey::Mark;
  const auto kind = [&](viz::EventKind of, const char* label) {
    return LegendKey{Mark::fill, viz::event_color(palette, of), label};
  };
  const LegendKey keys[] = {
      kind(viz::EventKind::copy, "copy"),
      kind(viz::EventKind::wait, "wait, barrier"),
      kind(viz::EventKind::load, load),
      kind(mma ? viz::EventKind::mma : viz::EventKind::fma, mma ? "mma" : "fma"),
      kind(viz::EventKind::store, "store"),
      {Mark::playhead, palette.select, "present",
       "The event that Tiling, Fragment and Source show: of the selected warp, whose row is lit"},
      {Mark::thin_ring, palette.select, "hovered", "What is under the pointer, in every picture"}};
  legend(context, keys);
}

std::vector<Command> commands() {
  return {{.id = "timeline.unbrush",
           .title = "Let go of the brush",
           .menu = "View/Playback",
           .run = [](AppContext& context) { let_go_of_brush(*context.state); },
           .enabled = [](AppContext& context) { return brushed(*context.state) != nullptr; }}};
}

constexpr Gesture kGestures[] = {
    {"click, drag", "moves the playhead"},
    {"Shift + drag", "brushes a stretch: Access shows what is touched there"},
    {"Shift + click", "lets go of the brush"},
    {"wheel", "zooms round the pointer"},
    {"click on a warp's event", "chooses the warp as well"},
    {"click on the strip of all k", "goes to that k slice"},
};

}  // namespace

extern const Panel timeline_panel = {
    .id = "timeline",
    .title = "Timeline",
    .docks = {.explore = Dock::kCenterBottom,
              .learn = Dock::kCenterBottom,
              .step = Dock::kBottomLeft},
    .draw = draw,
    .draw_header = draw_header,
    .commands = commands,
    .gestures = kGestures,
    .without_plan = true,
};

}  // namespace tilescope
