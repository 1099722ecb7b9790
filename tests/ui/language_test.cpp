// The window in another language: at once, by the menu's command, and back.
#include "core/language/language.h"

#include <imgui_internal.h>

#include <filesystem>
#include <system_error>

#include "app/features/lessons/lesson_run.h"
#include "app/shell/folders.h"
#include "app/state/edit.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

/// The tab's name as it is drawn: once NewFrame has ended, before the panels' windows begin.
std::string drawn_tab;
void note_tab(ImGuiContext*, ImGuiContextHook*) {
  if (const ImGuiWindow* window = ImGui::FindWindowByName("Tiling")) drawn_tab = window->Name;
}

UI_TEST("language", "all_is_said_in_it_at_once_and_in_english_again") {
  reset_layout(ctx);
  ImGuiContextHook hook;
  hook.Type = ImGuiContextHookType_NewFramePost;  // after the shell's, which was there before
  hook.Callback = note_tab;
  const ImGuiID note = ImGui::AddContextHook(ImGui::GetCurrentContext(), &hook);
  set_kernel(state(), "mma_multistage");
  Problem broken = state().edit.problem;
  broken.m = 0;
  set_problem(state(), broken);
  ctx->Yield(2);
  const std::string sentence = state().derived.sentence;
  IM_CHECK(!sentence.empty());
  for (const LanguageName& one : languages()) {
    if (one.id == "en") continue;
    run_command(ctx, ("view.language." + one.id).c_str());
    ctx->Yield(3);
    IM_CHECK_EQ(language().id, one.id);
    IM_CHECK_STR_EQ(drawn_tab.c_str(), tr("Tiling"));
    IM_CHECK(drawn_tab != "Tiling");
    IM_CHECK(state().derived.sentence != sentence);
    IM_CHECK(shell().settings.language == one.id);
    // The window knows itself by its English names: they are in layouts and settings.
    const ImGuiWindow* tiling = ImGui::FindWindowByName("Tiling");
    IM_CHECK(tiling && tiling->ID == ImHashStr("Tiling"));
    screenshot(ctx, ("language_" + one.id).c_str());
  }
  run_command(ctx, "view.language.en");
  ctx->Yield(3);
  IM_CHECK_STR_EQ(drawn_tab.c_str(), "Tiling");
  IM_CHECK_EQ(state().derived.sentence, sentence);
  run_command(ctx, "edit.undo");
  ImGui::RemoveContextHook(ImGui::GetCurrentContext(), note);
}

// A comment of somebody's kernel or a file's name has characters that no text of ours has.
UI_TEST("language", "what_others_write_is_drawn_too") {
  std::error_code error;
  const auto whole = assets_folder() / "fonts" / "wqy-microhei.ttc";
  if (!std::filesystem::exists(whole, error)) return;
  constexpr ImWchar kRare = 0x9f98;  // a dragon that walks
  const Fonts& fonts = shell().context.fonts;
  for (ImFont* font : {fonts.text, fonts.bold, fonts.mono, fonts.mono_bold}) {
    IM_CHECK(font->IsGlyphInFont(kRare));
  }
  (void)ctx;
}

// A lesson in Chinese is the same lesson.
UI_TEST("language", "a_lesson_goes_on_where_it_was") {
  reset_layout(ctx);
  run_command(ctx, "view.layout.learn");
  ctx->Yield(2);
  run_command(ctx, "lesson.03_banks");
  ctx->Yield(2);
  for (const LanguageName& one : languages()) {
    run_command(ctx, ("view.language." + one.id).c_str());
    ctx->Yield(3);
    screenshot(ctx, ("lesson_" + one.id).c_str());
    IM_CHECK_EQ(state().of<LessonView>().open, "03_banks");
  }
  run_command(ctx, "view.language.en");
  ctx->ItemClick("//Lesson/Leave");
}

}  // namespace
}  // namespace tilescope::ui_test
