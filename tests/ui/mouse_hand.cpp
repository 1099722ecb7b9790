#include <fmt/format.h>
#include <imgui_internal.h>

#include "app/features/layer/layer_view.h"
#include "app/features/own/own_bugs.h"
#include "core/model/names.h"
#include "tests/ui/by_mouse.h"
#include "tests/ui/hands.h"

namespace tilescope::ui_test {
namespace {

std::string in_controls(const std::string& item) { return "//Controls/" + item; }

/// "NT", as the buttons of Controls have it.
std::string layout_letters(const Problem& p) {
  const auto letter = [](Order order) { return order == Order::row_major ? 'T' : 'N'; };
  return {letter(p.order_a), letter(p.order_b)};
}

}  // namespace

/// Where the list of lessons stands.
void MouseHand::go_to_learn() {
  click_in_menu(ctx, "View/Layout: Learn");
  ctx->Yield(10);  // its panels come, and settle
  click_panel(ctx, *find_panel("lesson"));
}

bool MouseHand::open(const Lesson& lesson) {
  go_to_learn();
  ctx->ItemClick(("//Lesson/" + lesson.id + "/##lesson").c_str());
  return true;
}

bool MouseHand::open(const PlantedBug& bug) {
  go_to_learn();
  ctx->ItemClick(("//Lesson/" + bug.example->id + "/##bug").c_str());
  return true;
}

bool MouseHand::press(const char* label, const ImGuiWindow* window) {
  return click_item(ctx, *find_panel("lesson"), label, window);
}

bool MouseHand::answer(const std::string& number, const ImGuiWindow* window) {
  if (!press("##number", window)) return false;
  ctx->KeyCharsReplace(number.c_str());
  ctx->Yield(2);
  return press("Check", window);
}

/// A rung is chosen in the ladder, what is a number dragged, what has a name clicked.
bool MouseHand::set(const std::string&, const AppState& after) {
  return set_kernel_of(after) && set_tile_of(after) && set_problem_of(after) && set_layer_of(after);
}

bool MouseHand::set_kernel_of(const AppState& after) {
  const std::string& kernel = after.edit.rung().kernel;
  if (kernel == state().edit.rung().kernel) return true;
  if (!click_panel(ctx, *find_panel("controls"))) return false;
  ctx->ItemClick(in_controls("ladder/" + kernel).c_str());
  ctx->Yield(3);
  return kernel == state().edit.rung().kernel;
}

bool MouseHand::set_tile_of(const AppState& after) {
  if (!state().derived.kernel) return true;
  const Sliders& sliders = state().derived.kernel->sliders;
  for (int i = 0; i < sliders.count; ++i) {
    const TileFieldId id = sliders.slider[i].field;
    const auto now = [id] { return tilescope::get(state().edit.rung().tile, id); };
    const int wanted = tilescope::get(after.edit.rung().tile, id);
    if (now() == wanted) continue;
    if (!click_panel(ctx, *find_panel("controls"))) return false;
    const TileField& field = kTileFields[static_cast<int>(id)];
    if (!*field.names) {
      if (!drag_slider(ctx, in_controls(field.name), wanted, now)) return false;
      continue;
    }
    ctx->ItemClick(
        in_controls(std::string(field.name) + "/" + model::value_name(id, wanted)).c_str());
    ctx->Yield(3);
    if (now() != wanted) return false;
  }
  return true;
}

bool MouseHand::set_problem_of(const AppState& after) {
  const Problem &before = state().edit.problem, &wanted = after.edit.problem;
  if (before == wanted) return true;
  if (!click_panel(ctx, *find_panel("controls"))) return false;
  const std::string layout = layout_letters(wanted);
  if (layout != layout_letters(before)) ctx->ItemClick(in_controls("layout/" + layout).c_str());
  struct Extent {
    const char* field;
    int Problem::*value;
  };
  for (const Extent& e :
       {Extent{"##M", &Problem::m}, Extent{"##N", &Problem::n}, Extent{"##K", &Problem::k}}) {
    if (state().edit.problem.*e.value == wanted.*e.value) continue;
    ctx->ItemClick(in_controls(e.field).c_str());
    ctx->KeyCharsReplace(fmt::format("{}", wanted.*e.value).c_str());
    ctx->Yield(2);
    // A number counts when one has clicked elsewhere.
    ctx->ItemClick(in_controls("layout/" + layout).c_str());
    ctx->Yield(3);
  }
  return state().edit.problem == wanted;
}

bool MouseHand::set_layer_of(const AppState& after) {
  struct Split {
    const char* slider;
    int workload::Layer::*value;
  };
  for (const Split& s : {Split{"//Workload/layer_ranks", &workload::Layer::ranks},
                         Split{"//Workload/layer_chunks", &workload::Layer::chunks}}) {
    const auto now = [&s] { return state().edit.beside.of<ChosenLayer>().layer.*s.value; };
    const int wanted = after.edit.beside.of<ChosenLayer>().layer.*s.value;
    if (now() == wanted) continue;
    if (!click_panel(ctx, *find_panel("workload"))) return false;
    if (!drag_slider(ctx, s.slider, wanted, now)) return false;
  }
  return true;
}

bool MouseHand::pick(const Panel& panel, const std::function<bool(const viz::Pick&)>& wanted) {
  return click_in_picture(ctx, panel, wanted);
}

bool MouseHand::go_to_line(int line) { return click_line(ctx, line); }

bool MouseHand::write(const std::string& text) {
  if (!click_line(ctx, 1)) return false;  // the text has the keys
  ImGui::SetClipboardText(text.c_str());
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_V);
  ctx->Yield(3);
  click_in_menu(ctx, "File/Save the text of Source, compile and check it");
  return true;
}

}  // namespace tilescope::ui_test
