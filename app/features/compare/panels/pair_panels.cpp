// Tiling and Timeline of A and B beside each other: the same pictures as in their own panels, in
// lock-step by k slice.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/features/compare/panels/compare_parts.h"
#include "app/kit/answer_frame.h"
#include "app/kit/core/linked.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/edit.h"
#include "app/state/playback.h"
#include "app/state/second.h"
#include "app/state/wrong_answer.h"
#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

using namespace widgets;

// Of a scene, in pixels at scale 1.
constexpr float kLeastTiling = 230, kLeastTimeline = 84;

struct Sides {
  SideCache a, b;
};
Sides& sides_of(const char* picture) {
  static Sides tiling, timeline;
  return std::string_view(picture) == "tiling" ? tiling : timeline;
}

/// One of the two, in what the child window has room for; true if it was clicked in.
bool side(AppContext& context, const char* picture_name, AppState& state, bool first) {
  const Picture* picture = find_picture(picture_name);
  if (std::string_view(picture_name) == "tiling") {
    side_head(context, state, first);
  } else {  // its rows need all the height that there is, and Tiling says what A and B are
    side_badge(context, first);
    ImGui::SameLine(0, 4 * context.scale);
  }
  const viz::Size size = room_for_scene(context);
  if (!picture || !picture->state || size.w < 20 || size.h < 20) return false;
  Sides& caches = sides_of(picture_name);
  const viz::Scene& scene = (first ? caches.a : caches.b).get(context, size, *picture, state);
  const std::string id = fmt::format("compare_{}_{}", picture_name, first ? "a" : "b");
  const SceneInput input = show_scene(context, id.c_str(), scene);
  AppState* const shown = context.state;
  context.state = &state;  // the tooltip is of this one
  if (input.hovered && std::string_view(picture_name) == "tiling")
    pick_tooltip(context, *input.hovered);
  context.state = shown;
  follow_input(state, input);
  return input.clicked && input.hovered.has_value();
}

void notes(AppContext& context, const AppState& b) {
  std::string words;
  if (!b.results.error.empty()) {
    words = wording("B: {}", retold(b.results.error));
  } else if (!b.edit.own() && !b.derived.legal()) {
    words = wording("B cannot be launched: {}", b.derived.sentence);
  }
  if (!words.empty()) elided(context, words, Tone::warning);
}

/// A and B in two children of one size; `across`: beside each other, else one above the other.
/// Where they would be lower than `least` (of a scene) the panel scrolls.
void pair(AppContext& context, const char* what, const char* picture, bool across, float least) {
  AppState& a = *context.state;
  if (!need_second(context, what)) return;
  follow_first(a);
  AppState& b = *second_of(a);
  notes(context, b);
  const float gap = 8 * context.scale;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  ImVec2 half = across ? ImVec2{std::floor((room.x - gap) / 2), room.y}
                       : ImVec2{room.x, std::floor((room.y - ImGui::GetStyle().ItemSpacing.y) / 2)};
  half.y = std::max(half.y, least * context.scale);
  if (half.x < 40) return elided(context, "Make this panel larger.", Tone::dim);
  if (ImGui::BeginChild("##a", half, 0, ImGuiWindowFlags_NoScrollWithMouse)) {
    side(context, picture, a, true);
  }
  ImGui::EndChild();
  if (across) ImGui::SameLine(0, gap);
  if (ImGui::BeginChild("##b", half, 0, ImGuiWindowFlags_NoScrollWithMouse)) {
    if (side(context, picture, b, false)) follow_second(a);
  }
  ImGui::EndChild();
}

/// `kinds`: of places of a wrong answer that the picture of A marks. B's is of another state, which
/// nobody has been asked about.
void lock_header(AppContext& context, std::initializer_list<viz::Pick::Kind> kinds) {
  if (!second_of(*context.state)) return;
  const char* label = "lock-step by k slice";
  const HeaderItem lock{ImGui::CalcTextSize(tr(label)).x + 1.6f * ImGui::GetFrameHeight(), [&] {
                          bool on = context.state->of<Second>().lock_step;
                          ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {2, 1});
                          if (ImGui::Checkbox(tr_id(label), &on))
                            context.commands.request("compare.lock");
                          ImGui::PopStyleVar();
                          tooltip(context,
                                  "B is at the k and at the place in C where A is. Off: each has "
                                  "its own.");
                        }};
  header_row(context, {&lock, 1});
  const viz::AnswerMarks marks = answer_marks(*context.state);
  if (std::ranges::none_of(kinds, [&](viz::Pick::Kind kind) { return marks.any(kind); })) return;
  ImGui::SameLine(0, 12 * context.scale);
  legend(context, answer_keys(context));
}

void tiling_header(AppContext& context) {
  lock_header(context, {viz::Pick::Kind::cta, viz::Pick::Kind::lane});
}
void timeline_header(AppContext& context) { lock_header(context, {viz::Pick::Kind::event}); }

void draw_tiling(AppContext& context) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  pair(context, "Tiling A | B", "tiling", room.x > 1.15f * room.y, kLeastTiling);
}

void tool(AppContext& context, const char* label, const char* command, const char* tip) {
  if (ImGui::Button(fmt::format("{}###{}", label, command).c_str(), {26 * context.scale, 0})) {
    context.commands.request(command);
  }
  tooltip(context, tip);
  ImGui::SameLine(0, 2 * context.scale);
}

/// "both: k slice 17" or where each is.
std::string moment_words(const AppState& a, const AppState& b) {
  const Moment here = moment_of(a), there = moment_of(b);
  const auto slice = [](const Moment& m, const AppState& s) {
    return model::grouped(m.k_slice >= 0 ? m.k_slice : s.playhead.k_step);
  };
  const auto of = [&](const char* name, const Moment& m, const AppState& s) {
    return wording("{}: k slice {} of {}", name, slice(m, s), model::grouped(slices_in_all(s)));
  };
  if (slice(here, a) == slice(there, b) && slices_in_all(a) == slices_in_all(b)) {
    return wording("{} · order, not time", of(tr("both"), here, a));
  }
  return wording("{} · {} · order, not time", of("A", here, a), of("B", there, b));
}

void draw_timeline(AppContext& context) {
  AppState& a = *context.state;
  if (!need_second(context, "Timeline A | B")) return;
  follow_first(a);
  tool(context, "|<", "play.first", "First event (Home)");
  tool(context, "<", "play.previous", "One event back (Left); with Shift a k step");
  tool(context, a.playhead.playing ? "||" : "▶", "play.toggle", "Play or pause (Space)");
  tool(context, ">", "play.next", "One event on (Right); with Shift a k step");
  tool(context, ">|", "play.last", "Last event (End)");
  ImGui::SameLine(0, 10 * context.scale);
  elided(context, moment_words(a, *second_of(a)), Tone::dim);
  pair(context, "Timeline A | B", "timeline", false, kLeastTimeline);
}

}  // namespace

extern const Panel compare_tiling_panel = {
    .id = "compare_tiling",
    .title = "Tiling A | B",
    .docks = {.compare = Dock::kCenter},
    .draw = draw_tiling,
    .draw_header = tiling_header,
    .without_plan = true,
};

extern const Panel compare_timeline_panel = {
    .id = "compare_timeline",
    .title = "Timeline A | B",
    .docks = {.compare = Dock::kCenterBottom},
    .draw = draw_timeline,
    .draw_header = timeline_header,
    .without_plan = true,
};

}  // namespace tilescope
