// Fragment: which lane and register holds which element, of the kernel's own instruction or of any
// other one of the list.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/features/fragment/executed_mma.h"
#include "app/features/fragment/fragment_picture.h"
#include "app/features/fragment/fragment_view.h"
#include "app/features/fragment/panels/atom_picker.h"
#include "app/features/fragment/panels/export_map.h"
#include "app/features/fragment/panels/proof.h"
#include "app/kit/answer_frame.h"
#include "app/kit/core/linked.h"
#include "app/kit/header_row.h"
#include "app/kit/scene_cache.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/origin_elements.h"
#include "app/state/origins.h"
#include "app/state/stepped_output.h"
#include "app/state/wrong_answer.h"
#include "core/language/language.h"
#include "core/model/names.h"
#include "viz/scene/fragment/fragment_scene.h"

namespace tilescope {
namespace {

using namespace widgets;

/// Of this window alone: not in the session, and not linked with other panels.
struct View {
  SceneCache<viz::FragmentState> cache{&viz::build_fragment};
  float zoom = 1;
  viz::Point center{0.5f, 0.5f};
  std::string zoomed;                   // the instruction that zoom and center belong to
  std::optional<viz::Pick> hover;       // over an instruction that is not the kernel's
  double step_since = 0;                // of the k loop that plays
  std::vector<OriginElements> made_of;  // of the value that was clicked
  bool drag = false;
  viz::Point last;
};
View& view() {
  static View v;
  return v;
}

/// The kernel's: of a rung its plan's, of one's own the one that was executed.
const model::Instruction* own_instruction(const AppState& state) {
  if (!state.derived.kernel) {
    const auto executed = executed_mma(state);
    return executed ? executed->instruction : nullptr;
  }
  return state.derived.plan.math() == Math::mma ? &model::instruction_of(state.derived.plan.atom)
                                                : nullptr;
}

void top_row(AppContext& context, const viz::FragmentState& f, viz::Size size) {
  AppState& state = *context.state;
  const model::Instruction* own = own_instruction(state);
  const float s = context.scale, room = ImGui::GetContentRegionAvail().x;
  const model::Instruction* shown = f.instruction ? f.instruction : own;
  const float buttons =
      shown ? ImGui::CalcTextSize(tr("Copy as")).x + 24 * s + proof_width(context) : 0;
  std::string chosen;
  const float wide = std::min(room, std::max(120 * s, std::min(460 * s, room - buttons)));
  if (atom_picker(context, own, shown_instruction(state), wide, &chosen)) {
    show_atom(state, chosen);
  }
  if (!shown) return;
  beside(6 * s, small_button_width("Copy as"));
  export_map(context, *shown, [&context, size](const viz::TextMeasure& measure) {
    viz::FragmentState now = fragment_picture(*context.state);
    now.zoom = view().zoom, now.center = view().center;
    return viz::build_fragment(now, palette_of(context), measure, size);
  });
  beside(6 * s, small_button_width("Prove it"));
  prove_it(context, *shown);
}

/// The k loop of an instruction's warp tile: a step at a time, or playing.
void k_loop(AppContext& context, int steps) {
  AtomView& atom = context.state->of<FragmentView>().atom;
  if (ImGui::Button(tr_id(atom.playing ? "Stop##k" : "Play##k"))) atom.playing = !atom.playing;
  tooltip(context, "Walks the atom's k loop over the warp tile.");
  ImGui::SameLine(0, 4 * context.scale);
  if (ImGui::ArrowButton("k_back", ImGuiDir_Left)) atom.k_step += steps - 1;
  ImGui::SameLine(0, 2 * context.scale);
  if (ImGui::ArrowButton("k_on", ImGuiDir_Right)) ++atom.k_step;
  constexpr double kSecondsPerStep = 0.6;
  if (atom.playing && !context.rendering) {
    context.state->animating = true;
    if (context.state->now - view().step_since > kSecondsPerStep) {
      view().step_since = context.state->now;
      ++atom.k_step;
    }
  }
  atom.k_step %= std::max(1, steps);
}

/// How an operand of a listed wgmma lies in shared memory, and which step along its lines is read.
template <class Beside>
void descriptor_choice(AppContext& context, const MmaAtom& atom, const Beside& beside) {
  AtomView& view = context.state->of<FragmentView>().atom;
  const float s = context.scale;
  WgmmaLayout layout = kWgmmaLayouts[view.descriptor];
  static constexpr const char* kMajors[] = {"K-major", "MN-major"};
  constexpr Swizzle kModes[] = {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128};
  std::vector<const char*> names;
  for (const Swizzle mode : kModes) names.push_back(model::name_of(mode));
  int major = layout.k_major ? 0 : 1;
  int swizzle = static_cast<int>(std::ranges::find(kModes, layout.swizzle) - kModes);
  const bool turns = wgmma_takes({layout.swizzle, false}, atom.type_a);
  beside(150);
  segmented(context, "major", kMajors, &major, 0, turns ? 3u : 1u,
            "Only elements of 16 bits may lie MN-major");
  beside(220);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr("swizzle"));
  ImGui::SameLine(0, 4 * s);
  segmented(context, "descriptor_swizzle", names, &swizzle);
  view.descriptor = wgmma_layout_index({kModes[swizzle], major == 0 || !turns});
  layout = kWgmmaLayouts[view.descriptor];
  view.descriptor_step %= layout.steps();
  if (layout.steps() == 1) return;
  static constexpr const char* kSteps[] = {"0", "1", "2", "3"};
  beside(140);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr("k step"));
  ImGui::SameLine(0, 4 * s);
  segmented(context, "descriptor_step",
            std::span(kSteps).first(static_cast<size_t>(layout.steps())), &view.descriptor_step);
}

void tab_row(AppContext& context, const viz::FragmentState& f, bool executed) {
  AppState& state = *context.state;
  // A kernel's missing tabs stay in their places; an instruction of the list shows its own.
  std::vector<const char*> labels;
  std::vector<int> tabs;
  unsigned enabled = 0;
  int tab = 0;
  for (int i = 0; i < viz::kFragmentTabs; ++i) {
    const auto one = static_cast<viz::FragmentTab>(i);
    const bool has = viz::has_tab(f, one) && (!executed || shows_executed(one));
    if (!has && f.instruction) continue;
    if (has) enabled |= 1u << labels.size();
    if (one == f.tab) tab = static_cast<int>(labels.size());
    labels.push_back(viz::tab_name(f, one));
    tabs.push_back(i);
  }
  const char* why_not = "Nothing to show here: this kernel has no such instruction or memory";
  if (segmented(context, "fragment_tab", labels, &tab, 0, enabled, why_not)) {
    state.of<FragmentView>().tab = tabs[static_cast<size_t>(tab)];
  }
  const float s = context.scale;
  const auto beside = [&](float width) {  // on the same line if there is room
    ImGui::SameLine(0, 8 * s);
    if (ImGui::GetContentRegionAvail().x < width * s) ImGui::NewLine();
  };
  if (f.is_move()) return;
  const bool memory = f.tab == viz::FragmentTab::shared_memory;
  const bool described = memory && f.plan.atom.b_in_shared;
  const bool two = !f.plan.atom.b_in_shared || memory;
  if (two && (f.tab == viz::FragmentTab::ldmatrix || memory)) {
    static constexpr const char* kOperands[] = {"A", "B"};
    beside(50);
    segmented(context, "operand", kOperands, &state.of<FragmentView>().operand);
  }
  if (described && f.instruction) descriptor_choice(context, f.plan.atom, beside);
  const bool phased = memory && !described && f.plan.math() == Math::mma;
  if (phased) {
    static constexpr const char* kPhases[] = {"0", "1", "2", "3"};
    beside(140);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(tr("phase"));
    ImGui::SameLine(0, 4 * s);
    segmented(context, "phase", kPhases, &state.of<FragmentView>().phase);
  }
  if (phased) {
    static constexpr const char* kCures[] = {"XOR", "padding"};
    beside(130);
    segmented(context, "cure", kCures, &state.of<FragmentView>().cure);
  }
  if (memory && !described && f.instruction) {
    static constexpr const char* kRows[] = {"32", "64", "128"};
    int row = state.of<FragmentView>().atom.row_bytes == 32   ? 0
              : state.of<FragmentView>().atom.row_bytes == 64 ? 1
                                                              : 2;
    beside(160);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(tr("row bytes"));
    ImGui::SameLine(0, 4 * s);
    if (segmented(context, "row_bytes", kRows, &row))
      state.of<FragmentView>().atom.row_bytes = 32 << row;
  }
  if (f.tab == viz::FragmentTab::warp_tile && f.instruction) {
    beside(120);
    k_loop(context, f.plan.block_k / std::max(1, f.plan.atom.k));
  }
}

/// Wheel: zoom about the pointer; dragging a zoomed picture moves it.
void zoom_and_pan(View& v, const SceneInput& input, float most, viz::Size size) {
  const auto moved = [&](float dx, float dy) {
    v.center.x = std::clamp(v.center.x + dx / (size.w * v.zoom), 0.0f, 1.0f);
    v.center.y = std::clamp(v.center.y + dy / (size.h * v.zoom), 0.0f, 1.0f);
  };
  if (input.wheel != 0) {
    const float before = v.zoom;
    v.zoom = std::clamp(v.zoom * (input.wheel > 0 ? 1.25f : 0.8f), 1.0f, most);
    if (v.zoom <= 1) {
      v.center = {0.5f, 0.5f};
    } else if (v.zoom != before) {  // what is under the pointer stays there
      const float off_x = input.mouse.x - size.w / 2, off_y = input.mouse.y - size.h / 2;
      moved(off_x * (v.zoom / before - 1), off_y * (v.zoom / before - 1));
    }
  }
  if (input.dragging && v.drag && v.zoom > 1)
    moved(v.last.x - input.mouse.x, v.last.y - input.mouse.y);
  v.drag = input.dragging;
  v.last = input.mouse;
}

/// A click in an instruction that is not the kernel's chooses there and nowhere else.
void choose(AppState& state, const viz::Pick& pick) {
  viz::Selection& s = state.of<FragmentView>().atom.selection;
  if (pick.warp >= 0) s.warp = pick.warp;
  if (pick.lane >= 0) s.lane = pick.lane;
  if (pick.mma_m >= 0) s.mma_m = pick.mma_m;
  if (pick.mma_n >= 0) s.mma_n = pick.mma_n;
  if (pick.value >= 0 && pick.matrix == static_cast<int>(Operand::c)) s.output = pick.value;
}

/// A kernel of one's own, whose executed instruction is not shown: the list alone, and why.
void draw_without_one(AppContext& context, AppState& state,
                      const std::optional<ExecutedMma>& executed) {
  std::string chosen;
  const float wide = std::min(ImGui::GetContentRegionAvail().x, 460 * context.scale);
  if (atom_picker(context, nullptr, nullptr, wide, &chosen)) show_atom(state, chosen);
  if (!executed) {
    empty_panel(context, "No mma", why_no_executed_mma(state));
    return;
  }
  empty_panel(context, "Its lanes are not known",
              wording("{} is none of the instructions whose map is proven ({}).", executed->opcode,
                      executed_words(*executed)));
}

/// Which instruction of the kernel that is; a click marks its line.
void executed_line(AppContext& context, AppState& state, const ExecutedMma& executed) {
  const std::string words = executed_words(executed);
  const float room = std::max(8.0f, ImGui::GetContentRegionAvail().x);
  ImGui::PushStyleColor(ImGuiCol_Text, tone_color(context, Tone::dim));
  if (ImGui::Selectable((elide(words, room) + "###executed").c_str())) {
    link_place(state, {executed.line, executed.ptx_line});
  }
  ImGui::PopStyleColor();
  tooltip(context, wording("{}\n{}\nClick: marks its line in Source", executed.opcode, words));
}

/// What the value that was clicked is made of, each with the way to where it is read.
void made_of_popup(AppState& state) {
  if (!ImGui::BeginPopup("made_of")) return;
  for (const OriginElements& e : view().made_of) {
    const std::string label = wording("To where its {} is read", e.words) + "###" + e.motion;
    if (ImGui::MenuItem(label.c_str())) {
      step_to_read(state, e.motion);
    }
  }
  ImGui::EndPopup();
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  View& v = view();
  const bool listed = shown_instruction(state) != nullptr;
  const std::optional<ExecutedMma> executed =
      state.derived.kernel || listed ? std::nullopt : executed_mma(state);
  if (!state.derived.kernel && !listed && (!executed || !executed->instruction)) {
    return draw_without_one(context, state, executed);
  }
  // The rows above leave this much; the picture that is saved has the same size.
  top_row(context, fragment_picture(state),
          {std::floor(ImGui::GetContentRegionAvail().x / context.scale),
           std::floor(ImGui::GetContentRegionAvail().y / context.scale) - 56});
  if (executed) executed_line(context, state, *executed);
  tab_row(context, fragment_picture(state), executed.has_value());
  // Taken after the rows that change it: the frame of a click shows what was chosen.
  viz::FragmentState f = fragment_picture(state);
  if (f.instruction) f.hover = v.hover;
  const std::string shown = state.of<FragmentView>().atom.name;
  if (shown != v.zoomed) v.zoomed = shown, v.zoom = 1, v.center = {0.5f, 0.5f};
  const viz::Size size = room_for_scene(context);
  const float most = f.tab == viz::FragmentTab::mma ? viz::largest_zoom(f, size) : 1;
  v.zoom = std::min(v.zoom, most);
  f.zoom = v.zoom, f.center = v.center;
  const viz::Scene& scene = v.cache.get(context, size, f);
  const SceneInput input = show_scene(context, "fragment_scene", scene);
  if (most > 1) zoom_and_pan(v, input, most, size);
  if (!f.instruction) {
    if (input.hovered) pick_tooltip(context, *input.hovered);
    follow_input(state, input);
    return;
  }
  v.hover = input.hovered;
  made_of_popup(state);
  if (!input.hovered) return;
  std::string origin;
  if (executed && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort)) {
    const auto question = origin_of_executed(*executed, *input.hovered);
    if (question) origin = origin_words(state, *question);
  }
  atom_tooltip(context, f, *input.hovered, origin);
  if (!input.clicked) return;
  choose(state, *input.hovered);
  if (!executed || input.hovered->lane < 0) return;
  select_lane(state, input.hovered->lane);
  const Origins& o = state.origins;
  if (!o.answer || o.asked != origin_of_executed(*executed, *input.hovered)) return;
  v.made_of = origin_elements(state, *o.answer);
  if (!v.made_of.empty()) ImGui::OpenPopup("made_of");
}

void draw_header(AppContext& context) {
  const AppState& state = *context.state;
  const model::Instruction* shown = shown_instruction(state);
  if (!shown) shown = own_instruction(state);
  if (!shown && !state.derived.kernel) return;
  // Of the kernel's own instruction alone: only that is asked for.
  if (!shown_instruction(state) && answer_marks(state).any(viz::Pick::Kind::lane)) {
    legend(context, answer_keys(context));
  }
  elided(context, shown ? shown->short_name : "fma.rn.f32, one per thread", Tone::dim,
         std::min(180 * context.scale, ImGui::GetContentRegionAvail().x));
  if (shown) tooltip(context, shown->name);
}

std::vector<Command> commands() {
  const auto show = [](const char* name) {
    return [name](AppContext& context) { show_atom(*context.state, name); };
  };
  return {
      {.id = "fragment.own",
       .title = "Fragment: the kernel's own instruction",
       .menu = "Kernel",
       .run = show("")},
  };
}

constexpr Gesture kGestures[] = {
    {"click on a cell", "chooses its lane and value; of a kernel of your own offers its elements"},
    {"wheel", "zooms a large instruction round the pointer"},
    {"drag", "moves a zoomed one"},
};

}  // namespace

extern const Panel fragment_panel = {
    .id = "fragment",
    .title = "Fragment",
    .docks = {Dock::kRightTop, Dock::kHidden, Dock::kHidden, Dock::kCenter},
    .draw = draw,
    .draw_header = draw_header,
    .commands = commands,
    .gestures = kGestures,
    .without_plan = true,
};

}  // namespace tilescope
