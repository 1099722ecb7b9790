#include <fmt/format.h>
#include <imgui_internal.h>

#include "app/features/lessons/lesson_place.h"
#include "app/features/own/own_bugs.h"
#include "tests/ui/by_keys.h"
#include "tests/ui/hands.h"

namespace tilescope::ui_test {

bool KeyHand::open(const Lesson& lesson) {
  return take_from_palette(ctx, lesson.title, [&](const PaletteRow& row) {
    return row.command && row.command->id == "lesson." + lesson.id;
  });
}

bool KeyHand::open(const PlantedBug& bug) {
  return take_from_palette(ctx, "Planted bug: " + bug.example->title);
}

bool KeyHand::press(const char* label, const ImGuiWindow* window) {
  return press_item(ctx, *find_panel("lesson"), label, window);
}

bool KeyHand::answer(const std::string& number, const ImGuiWindow* window) {
  if (!go_to_item(ctx, *find_panel("lesson"), "##number", window)) return false;
  if (ImGui::GetCurrentContext()->ActiveId == 0) ctx->KeyPress(ImGuiKey_Enter);
  ctx->KeyCharsReplaceEnter(number.c_str());
  ctx->Yield(3);
  return true;
}

/// By the row of the palette that does it.
bool KeyHand::set(const std::string& change, const AppState& after) {
  const std::string kernel = after.edit.rung().kernel;
  if (kernel != state().edit.rung().kernel) {
    return take_from_palette(ctx, change, [&](const PaletteRow& row) {
      return row.command && row.command->id == "kernel." + kernel;
    });
  }
  const LessonPlace wanted = present_place(after, *state().of<LessonView>().wanted);
  return take_from_palette(ctx, change, [&](const PaletteRow& row) {
    if (row.command || !row.answer.run) return false;
    AppState tried = state();
    row.answer.run(tried);
    return stands_at(tried, wanted);
  });
}

bool KeyHand::pick(const Panel& panel, const std::function<bool(const viz::Pick&)>& wanted) {
  return pick_in_picture(ctx, panel, wanted);
}

bool KeyHand::go_to_line(int line) {
  return take_from_palette(ctx, fmt::format("line {}", line),
                           [](const PaletteRow& row) { return !row.command; });
}

bool KeyHand::write(const std::string& text) {
  leave();
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_E);
  ctx->Yield(4);
  ImGui::SetClipboardText(text.c_str());
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_V);
  ctx->Yield(3);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_S);
  return true;
}

void KeyHand::leave() { end_keyboard_mode(ctx); }

}  // namespace tilescope::ui_test
