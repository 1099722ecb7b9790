// Access: every buffer and shared memory as a matrix, and which lanes read or write which of its
// elements: by lane, by count, by warp, by time; of kernels of the ladder and of one's own.

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/features/access/access_hover.h"
#include "app/features/access/access_picture.h"
#include "app/kit/answer_frame.h"
#include "app/kit/core/cta_field.h"
#include "app/kit/header_row.h"
#include "app/kit/scene_cache.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/edit.h"
#include "app/state/present_launch.h"
#include "app/state/wrong_answer.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

using namespace widgets;

struct AccessPanel {
  SceneCache<viz::AccessState> cache{&viz::build_access};
  AccessPicture picture;
  // What was said of an element.
  struct Told {
    std::shared_ptr<const AccessData> data;
    AccessElement element;
    AccessFilter filter;
    bool operator==(const Told&) const = default;
  } told, asked;
  std::string words;                         // of `told`
  std::shared_ptr<const Touchers> touchers;  // of `asked`
  // Dragged: a window, from where it was when the button went down.
  bool panning = false;
  size_t matrix = 0;
  AccessWindow from;
  viz::Point at;
  // Or an end of the brush, or the brush itself.
  enum class Grip { rests, first, last, all } grip = Grip::rests;
  int64_t anchor = 0, first = 0, last = 0;  // moments; first and last: meanwhile
};
AccessPanel& panel_state() {
  static AccessPanel v;
  return v;
}

void draw_header(AppContext& context) {
  AccessView& view = context.state->of<AccessView>();
  const HeaderItem modes{segmented_width(context, kAccessModes),
                         [&] { segmented(context, "access_mode", kAccessModes, &view.mode); }};
  header_row(context, {&modes, 1});
  if (!answer_marks(*context.state).any(viz::Pick::Kind::event)) return;
  ImGui::SameLine(0, 12 * context.scale);
  legend(context, answer_keys(context));
}

float check_width(const char* label) {
  return ImGui::CalcTextSize(tr(label)).x + ImGui::GetFrameHeight() +
         ImGui::GetStyle().ItemInnerSpacing.x;
}

void check_box(AppContext& context, const char* label, bool* value, const char* tip) {
  beside(10 * context.scale, check_width(label));
  ImGui::Checkbox(tr_id(label), value);
  tooltip(context, tip);
}

/// Which CTA of a kernel of one's own; Tiling and Timeline show the same.
void cta_fields(AppContext& context, AppState& state) {
  const BlockIndex grid = access_grid(state);
  beside(10 * context.scale, cta_field_width(context, grid));
  BlockIndex at = chosen_block(state);
  if (cta_field(context, "##access_cta", grid, &at)) select_cta(state, {at.y, at.x}, at.z);
}

/// The pages of matrices, where not all have room.
void page_buttons(AppContext& context, AccessView& view, const AccessData& data, int shown) {
  const int all = static_cast<int>(data.touched.size());
  if (shown >= all) return;
  view.first = std::clamp(view.first, 0, all - shown);
  const std::string words =
      wording("{}–{} of {} matrices", view.first + 1, view.first + shown, all);
  beside(10 * context.scale, ImGui::CalcTextSize(words.c_str()).x + 60 * context.scale);
  ImGui::BeginDisabled(view.first == 0);
  if (ImGui::Button("<###access_before")) view.first -= std::min(view.first, shown);
  ImGui::EndDisabled();
  ImGui::SameLine(0, 3 * context.scale);
  ImGui::BeginDisabled(view.first + shown >= all);
  if (ImGui::Button(">###access_behind")) view.first = std::min(all - shown, view.first + shown);
  ImGui::EndDisabled();
  ImGui::SameLine(0, 6 * context.scale);
  elided(context, words, Tone::dim);
}

/// What is held of the bar: an end, the stretch between them, or a new one that begins here.
void grip_bar(AccessPanel& p, float mouse, float left, float right, float reach, bool all) {
  using Grip = AccessPanel::Grip;
  if (!all && std::abs(mouse - left) < reach) {
    p.grip = Grip::first;
  } else if (!all && std::abs(mouse - right) < reach) {
    p.grip = Grip::last;
  } else if (!all && mouse > left && mouse < right) {
    p.grip = Grip::all;
  } else {
    p.grip = Grip::last, p.first = p.last = p.anchor;
  }
}

void drag_bar(AccessPanel& p, int64_t at, int64_t moments) {
  using Grip = AccessPanel::Grip;
  if (p.grip == Grip::all) {
    const int64_t by = std::clamp(at - p.anchor, -p.first, moments - p.last);
    p.first += by, p.last += by, p.anchor += by;
  } else if (p.grip == Grip::first) {
    p.first = at;
    if (p.first > p.last) std::swap(p.first, p.last), p.grip = Grip::last;
  } else {
    p.last = at;
    if (p.last < p.first) std::swap(p.first, p.last), p.grip = Grip::first;
  }
}

/// The brush as moments of accesses: drag an end, the stretch, or a new one.
void brush_bar(AppContext& context, AppState& state, const AccessData& data) {
  const std::string words = brush_words(data, access_filter(state, data));
  const float line = ImGui::GetFrameHeight(), most = ImGui::GetContentRegionAvail().x;
  const auto moments = static_cast<int64_t>(std::max(1u, data.answer.moments));
  // The bar stays as long as it is while the words beside it change.
  const std::string number = model::grouped(moments);
  const std::string widest =
      wording("moments {}–{} of {}, {} accesses", number, number, number,
              model::grouped(static_cast<long long>(data.answer.records.size())));
  const float text = std::min(ImGui::CalcTextSize(widest.c_str()).x + 10 * context.scale, most / 2);
  const float width = std::max(40.0f, most - text);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("access_brush", {width, line});
  const auto x_of = [&](int64_t moment) {
    return corner.x +
           width * static_cast<float>(static_cast<double>(moment) / static_cast<double>(moments));
  };
  const auto moment_at = [&](float x) {
    const double share = static_cast<double>((x - corner.x) / width);
    return std::clamp<int64_t>(std::llround(share * static_cast<double>(moments)), 0, moments);
  };
  AccessPanel& p = panel_state();
  using Grip = AccessPanel::Grip;
  const float mouse = ImGui::GetIO().MousePos.x;
  if (p.grip == Grip::rests) {
    const AccessFilter f = access_filter(state, data);
    p.first = f.from, p.last = std::min<int64_t>(f.to, moments);
  }
  const bool begins = ImGui::IsItemActivated(), ends = ImGui::IsItemDeactivated();
  if (begins) {
    p.anchor = moment_at(mouse);
    grip_bar(p, mouse, x_of(p.first), x_of(p.last), 5 * context.scale, !brushed(state));
  }
  // Where the button goes up counts, too.
  if ((ImGui::IsItemActive() || ends) && p.grip != Grip::rests) {
    if (!begins) drag_bar(p, moment_at(mouse), moments);
    const int64_t from = std::min(p.first, moments - 1), to = std::max(from + 1, p.last);
    brush(state, span_of_moments(data, static_cast<uint32_t>(from), static_cast<uint32_t>(to)));
  }
  if (ends) p.grip = Grip::rests;
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    let_go_of_brush(state);
    p.grip = Grip::rests, p.first = 0, p.last = moments;
  }
  tooltip(context,
          "Moments of the accesses that are shown: warp instructions of each warp, side by side "
          "behind each barrier. Order, not time. Drag a stretch or its ends; a double click shows "
          "all. Timeline shows and moves the same brush.");
  const float middle = corner.y + line / 2, half = 5 * context.scale;
  ImDrawList* const draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled({corner.x, middle - half}, {corner.x + width, middle + half},
                      to_imgui(context.theme->frame), 3);
  const float left = x_of(p.first), right = std::max(x_of(p.last), left + 2);
  draw->AddRectFilled({left, middle - half}, {right, middle + half},
                      to_imgui(context.theme->accent_ground), 2);
  for (const float x : {left, right}) {
    draw->AddLine({x, middle - half - 1}, {x, middle + half + 1}, to_imgui(context.theme->accent),
                  2 * context.scale);
  }
  ImGui::SameLine(0, 10 * context.scale);
  ImGui::AlignTextToFramePadding();
  elided(context, words, Tone::dim);
}

viz::Box window_box(const std::vector<size_t>& shown, size_t matrix, const AccessWindow& window,
                    viz::Size size) {
  const auto place = std::ranges::find(shown, matrix) - shown.begin();
  const auto side = [](uint64_t n) {
    return static_cast<long long>(std::min<uint64_t>(n, 0x7fffffff));
  };
  return viz::access_window_box(
      viz::access_box(static_cast<int>(place), static_cast<int>(shown.size()), size),
      side(window.rows), side(window.cols));
}

/// The wheel zooms round an element, a drag moves the window.
void move_window(AppState& state, const AccessData& data, const std::vector<size_t>& shown,
                 const SceneInput& input, viz::Size size) {
  AccessPanel& p = panel_state();
  AccessView& view = state.of<AccessView>();
  if (view.hovered && input.hovered) {
    const AccessElement& at = *view.hovered;
    const AccessWindow window = shown_window(view, data, at.matrix);
    if (input.wheel != 0) {
      view.windows[at.matrix] =
          zoomed(data.matrices[at.matrix], window, std::pow(0.7, static_cast<double>(input.wheel)),
                 static_cast<double>(at.row), static_cast<double>(at.col));
    }
    if (input.clicked) p.panning = true, p.matrix = at.matrix, p.from = window, p.at = input.mouse;
    if (input.double_clicked) {
      const AccessWindow touched = touched_window(data, at.matrix, access_filter(state, data));
      if (view.windows[at.matrix] == touched || touched.rows == 0) {
        view.windows[at.matrix].reset();
      } else {
        view.windows[at.matrix] = touched;
      }
      p.panning = false;
    }
  }
  if (!input.dragging) p.panning = false;
  if (!p.panning || p.matrix >= view.windows.size()) return;
  const viz::Box box = window_box(shown, p.matrix, p.from, size);
  const float dx = input.mouse.x - p.at.x, dy = input.mouse.y - p.at.y;
  if (box.w < 1 || box.h < 1 || std::abs(dx) + std::abs(dy) < 4) return;
  const auto elements = [](float pixels, uint64_t count, float extent) {
    return static_cast<int64_t>(
        std::llround(static_cast<double>(-pixels / extent) * static_cast<double>(count)));
  };
  view.windows[p.matrix] = moved(data.matrices[p.matrix], p.from, elements(dy, p.from.rows, box.h),
                                 elements(dx, p.from.cols, box.w));
}

/// What the pointer is on: here, and in the other pictures.
void follow_pointer(AppContext& context, AppState& state,
                    const std::shared_ptr<const AccessData>& of,
                    const std::optional<viz::Pick>& pick) {
  const AccessData& data = *of;
  AccessView& view = state.of<AccessView>();
  view.hovered.reset();
  if (!pick || pick->kind != viz::Pick::Kind::element || pick->value < 0) return;
  const auto matrix = static_cast<size_t>(pick->value);
  if (matrix >= data.matrices.size() || pick->row < 0 || pick->col < 0) return;
  view.hovered = {matrix, static_cast<uint64_t>(pick->row), static_cast<uint64_t>(pick->col)};
  if (state.derived.kernel && data.matrices[matrix].matrix >= 0) {
    viz::Pick there;
    there.kind = viz::Pick::Kind::element;
    there.matrix = static_cast<int8_t>(data.matrices[matrix].matrix);
    there.row = pick->row, there.col = pick->col;
    state.hover.pick = there;
  }
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  // Found once: the pointer rests for many frames.
  AccessPanel& p = panel_state();
  const AccessPanel::Told told{of, *view.hovered, access_filter(state, data)};
  const bool rests = ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort);
  // Of a large launch it takes milliseconds: a pointer that moves across waits for none of it.
  constexpr size_t kAtOnce = 100'000;
  if (p.asked != told && (rests || data.answer.records.size() <= kAtOnce)) {
    p.asked = told, p.touchers = touchers_of(state, data, told.element);
  }
  if (p.asked == told) state.hover.touchers = p.touchers;
  if (!rests) return;
  if (p.told != told) p.told = told, p.words = element_words(data, told.element, told.filter);
  tooltip(context, p.words);
}

void show_picture(AppContext& context, AppState& state,
                  const std::shared_ptr<const AccessData>& data) {
  AccessPanel& p = panel_state();
  AccessView& view = state.of<AccessView>();
  const viz::Size size = room_for_scene(context);
  if (size.w < 120 || size.h < 70) {
    elided(context, "No room for the matrices: make this panel larger.", Tone::dim);
    return;
  }
  const std::vector<size_t> shown = shown_matrices(view, *data, size);
  // What takes longer than its part of a frame goes on in the next one.
  constexpr auto kPart = std::chrono::milliseconds(2);
  const auto until =
      context.rendering ? AccessPicture::Until::max() : std::chrono::steady_clock::now() + kPart;
  const viz::Scene& scene = p.cache.get(context, size, p.picture.make(state, data, size, until));
  if (!p.picture.is_done()) state.animating = true;
  const SceneInput input = show_scene(context, "access_scene", scene);
  follow_pointer(context, state, data, input.hovered);
  move_window(state, *data, shown, input, size);
  if (!input.hovered || !input.clicked) return;
  const size_t matrix = static_cast<size_t>(std::max(0, input.hovered->value));
  switch (input.hovered->kind) {
    case viz::Pick::Kind::element:
      if (view.hovered) choose_element(state, *view.hovered);
      break;
    case viz::Pick::Kind::level:
      if (matrix < view.windows.size()) {
        const worker::AccessBuffer& m = data->matrices[matrix];
        view.windows[matrix] = {0, 0, m.rows, m.cols};
      }
      break;
    case viz::Pick::Kind::event: {
      const auto at = static_cast<size_t>(std::max(0, input.hovered->event));
      const auto& all = data->answer.instructions;
      if (at < all.size()) choose_instruction(state, all[at]);
      break;
    }
    default:
      break;
  }
}

void draw_access(AppContext& context) {
  AppState& state = *context.state;
  AccessView& view = state.of<AccessView>();
  view.wanted = true;
  if (const std::string why = why_no_accesses(state); !why.empty()) {
    bool back = false;
    const bool nearest = !state.edit.own() && state.derived.nearest;
    const std::string label =
        wording("nearest legal: {}", state.derived.nearest_label) + "###nearest_legal";
    if (empty_panel(context, "No accesses to show", why, nearest ? label.c_str() : nullptr,
                    nearest ? "undo" : nullptr, &back)) {
      context.commands.request("edit.nearest");
    }
    if (back) context.commands.request("edit.undo");
    return;
  }
  const auto data = present_accesses(state);
  const bool answered = view.of && view.of == access_question(state);
  if (answered && !view.error.empty()) {
    error_box(context, "access", view.error, view.details);
    if (ImGui::Button(tr_id("Ask again###access_again"))) view.of.reset();
    return;
  }
  ImGui::AlignTextToFramePadding();
  const std::string words = data ? access_words(*data) : "The accesses are being found …";
  const float room = ImGui::GetContentRegionAvail().x;
  elided(context, words, Tone::dim, std::min(ImGui::CalcTextSize(words.c_str()).x + 1, room));
  check_box(context, "reads", &view.reads, "Loads, the source of cp.async, and atomics");
  check_box(context, "writes", &view.writes, "Stores, the target of cp.async, and atomics");
  check_box(context, "all CTAs", &view.whole_grid,
            "Every CTA of the grid, up to 2,000,000 accesses of warps; else one of them");
  if (state.edit.own() && !view.whole_grid) cta_fields(context, state);
  if (!data) {
    empty_panel(context, "Being found",
                "The emulator runs the launch and writes down who touches what.");
    return;
  }
  const auto room_for = shown_matrices(view, *data, room_for_scene(context)).size();
  page_buttons(context, view, *data, static_cast<int>(room_for));
  brush_bar(context, state, *data);
  if (!data->answer.stopped.empty()) {
    const std::string notes[] = {data->answer.stopped};
    note_line(context, notes, Tone::warning);
  }
  if (data->touched.empty()) {
    empty_panel(context, "Nothing touched",
                "This CTA neither reads nor writes global or shared memory.");
    return;
  }
  show_picture(context, state, data);
}

constexpr Gesture kGestures[] = {
    {"click on an element", "selects who touched it last, in Source and Timeline too"},
    {"wheel", "zooms into a matrix, or out"},
    {"drag", "moves the window of a matrix"},
    {"double click", "shows what is touched of a matrix"},
    {"click on the small matrix", "shows all of it"},
};

}  // namespace

extern const Panel access_panel = {
    .id = "access",
    .title = "Access",
    .docks = {.explore = Dock::kCenter, .step = Dock::kCenterBottom},
    .draw = draw_access,
    .draw_header = draw_header,
    .window_flags = ImGuiWindowFlags_NoScrollWithMouse,
    .gestures = kGestures,
    .without_plan = true,
};

}  // namespace tilescope
