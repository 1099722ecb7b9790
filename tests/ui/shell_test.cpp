// What the window itself offers: scale, documents, pictures, files that were opened before.
#include <hello_imgui/hello_imgui.h>
#include <imgui_internal.h>
#include <unistd.h>

#include <filesystem>

#include "app/features/documents/documents_view.h"
#include "app/shell/film_form.h"
#include "app/shell/named.h"
#include "app/shell/shell_commands.h"
#include "app/state/edit.h"
#include "app/state/playback.h"
#include "core/files/whole_file.h"
#include "tests/ui/drawn_frames.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

namespace fs = std::filesystem;

std::string scratch(const char* name) {
  return (fs::temp_directory_path() / (std::to_string(getpid()) + name)).string();
}

}  // namespace

UI_TEST("shell", "text and widgets grow and shrink while the window is open") {
  reset_layout(ctx);
  const float before = shell().context.scale;
  const float line = ImGui::GetTextLineHeight();
  run_command(ctx, "view.scale.150");
  ctx->Yield(4);
  IM_CHECK_EQ(shell().context.scale, 1.5f);
  IM_CHECK_GT(ImGui::GetTextLineHeight(), 1.3f * line / before);
  IM_CHECK_EQ(ImGui::GetStyle().WindowPadding.x, 12.f);
  screenshot(ctx, "scale_150");
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Minus);
  ctx->Yield(4);
  IM_CHECK_EQ(shell().context.scale, 1.25f);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Equal);
  ctx->Yield(4);
  IM_CHECK_EQ(shell().context.scale, 1.5f);
  run_command(ctx, "view.scale.display");
  ctx->Yield(4);
  IM_CHECK_EQ(shell().context.scale, before);
  IM_CHECK_EQ(shell().settings.scale, 0.f);
}

UI_TEST("shell", "documents open from the menu, and their links lead to each other") {
  reset_layout(ctx);
  run_command(ctx, "help.document.model");
  ctx->Yield(4);
  IM_CHECK_STR_EQ(state().of<DocumentsView>().open.c_str(), "model");
  IM_CHECK(ImGui::FindWindowByName("Documents") != nullptr);
  IM_CHECK(ImGui::FindWindowByName("Documents")->WasActive);
  screenshot(ctx, "documents");
  for (const Document& document : documents()) {
    open_document(state(), document.id);
    ctx->Yield(2);
  }
  open_document(state(), "model", "two-launches");
  IM_CHECK(eventually(ctx, [] { return state().of<DocumentsView>().anchor.empty(); }));
  ctx->Yield(2);
  screenshot(ctx, "documents_anchor");
  reset_layout(ctx);
}

UI_TEST("shell", "a panel is saved as a picture in each form, and the window as its pixels") {
  reset_layout(ctx);
  run_command(ctx, "file.picture");
  ctx->Yield(3);
  screenshot(ctx, "picture_form");
  const std::string png = scratch("window.png");
  ctx->ItemInputValue("//$FOCUSED/##path", png.c_str());  // Enter saves
  IM_CHECK(eventually(ctx, [&] { return fs::exists(png); }));
  const std::string bytes = files::read_file(png).value_or("");
  IM_CHECK(bytes.starts_with("\x89PNG"));
  fs::remove(png);
  run_command(ctx, "file.picture");
  ctx->Yield(3);
  // What is made of widgets is said to be so.
  const std::string svg = scratch("window.svg");
  ctx->ItemInputValue("//$FOCUSED/##path", svg.c_str());
  ctx->Yield(2);
  IM_CHECK(!fs::exists(svg));
  ctx->KeyPress(ImGuiKey_Escape);
}

/// The playback begins, and the form is there.
bool open_film_form(ImGuiTestContext* ctx) {
  reset_layout(ctx);
  if (!settled(ctx) || played_columns(state()).end == 0) return false;
  run_command(ctx, "file.film");
  ctx->Yield(3);
  return true;
}

UI_TEST("shell", "the playback of a k slice is saved as a film, and stands where it stood after") {
  IM_CHECK(open_film_form(ctx));
  screenshot(ctx, "film_form");
  state().playhead.loop_k_step = true;
  scrub(state(), played_columns(state()).begin + 1);
  const int column = state().playhead.column;
  const std::string file = scratch("film.webp");
  const DrawEachFrame each;
  ctx->ItemClick("//$FOCUSED/length/5 s");
  ctx->ItemInputValue("//$FOCUSED/##path", file.c_str());  // Enter saves
  ctx->Yield(4);
  IM_CHECK(film_is_taken());
  screenshot(ctx, "film_taken");
  IM_CHECK(eventually(ctx, [] { return !film_is_taken(); }));
  IM_CHECK_STR_EQ(shell().problem.c_str(), "");
  IM_CHECK_EQ(state().playhead.column, column);
  IM_CHECK(!ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup));
  const std::string bytes = files::read_file(file).value_or("");
  IM_CHECK(bytes.starts_with("RIFF"));
  // Each moment of the slice is another picture.
  size_t pictures = 0;
  for (size_t at = 0; (at = bytes.find("ANMF", at)) != std::string::npos; ++at) ++pictures;
  IM_CHECK_GT(pictures, size_t{1});
  IM_CHECK_LE(pictures, size_t{150});
  fs::remove(file);
  state().playhead.loop_k_step = false;
}

UI_TEST("shell", "a film that is cancelled, or whose kernel changes, leaves no file") {
  const std::string file = scratch("film.webp");
  for (const bool cancel : {true, false}) {
    IM_CHECK(open_film_form(ctx));
    ctx->ItemInputValue("//$FOCUSED/##path", file.c_str());
    ctx->Yield(4);
    IM_CHECK(film_is_taken());
    if (cancel) {
      ctx->KeyPress(ImGuiKey_Escape);
    } else {
      set_problem(state(), {512, 512, 256});
    }
    IM_CHECK(eventually(ctx, [] { return !film_is_taken(); }));
    ctx->Yield(2);
    IM_CHECK(!ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup));
    IM_CHECK(!fs::exists(file));
    IM_CHECK_EQ(shell().problem.find("has changed") != std::string::npos, !cancel);
  }
  shell().problem.clear();
  undo(state());
  // A name that is none says so in the form.
  IM_CHECK(open_film_form(ctx));
  ctx->ItemInputValue("//$FOCUSED/##path", "film.gif");
  ctx->Yield(2);
  IM_CHECK(!film_is_taken());
  ctx->KeyPress(ImGuiKey_Escape);
}

UI_TEST("shell", "what is put away by a name comes back by it, and can be forgotten") {
  const fs::path before = shell().folder;
  shell().folder = scratch("named");
  for (const NamedKind& kind : named_kinds()) {
    reset_layout(ctx);
    const Problem problem = state().edit.problem;
    const Panel& hidden = *find_panel("occupancy");
    hide(hidden);
    ctx->Yield(2);
    run_command(ctx, (std::string(kind.id) + ".save").c_str());
    ctx->Yield(3);
    ctx->ItemInputValue("//$FOCUSED/##name", "a/b");  // Enter saves
    ctx->Yield(2);
    IM_CHECK(kind.names(shell()).empty());
    ctx->ItemInputValue("//$FOCUSED/##name", "wide, by hand");
    ctx->Yield(2);
    IM_CHECK_EQ(kind.names(shell()).size(), size_t{1});
    IM_CHECK(!ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup));
    // Away from it, and back.
    set_problem(state(), {512, 640, 256});
    run_command(ctx, "view.layout.learn");
    ctx->Yield(4);
    bring_to_front(&hidden);
    ctx->Yield(4);
    run_command(ctx, (std::string(kind.id) + ".named.1").c_str());
    ctx->Yield(6);
    IM_CHECK_STR_EQ(shell().problem.c_str(), "");
    if (std::string_view(kind.id) == "layout") {
      IM_CHECK_STR_EQ(HelloImGui::CurrentLayoutName().c_str(), "Explore");
      IM_CHECK(!is_shown(hidden));
    } else {
      IM_CHECK(state().edit.problem == problem);
    }
    run_command(ctx, (std::string(kind.id) + ".save").c_str());
    ctx->Yield(3);
    screenshot(ctx, (std::string("named_") + kind.id).c_str());
    ctx->ItemClick("//$FOCUSED/wide, by hand/Forget");
    ctx->Yield(2);
    IM_CHECK(kind.names(shell()).empty());
    ctx->KeyPress(ImGuiKey_Escape);
    set_problem(state(), problem);
  }
  fs::remove_all(shell().folder);
  shell().folder = before;
  reset_layout(ctx);
}

UI_TEST("shell", "a kernel that was opened is among the recent files") {
  reset_layout(ctx);
  const std::string file = scratch("kernel.cu");
  IM_CHECK_STR_EQ(files::replace_file(file, "__global__ void k() {}\n").c_str(), "");
  open_own_kernel(state(), {file, ""});
  IM_CHECK(eventually(ctx, [&] {
    return !shell().settings.recent_files.empty() && shell().settings.recent_files[0] == file;
  }));
  leave_own_kernel(state());
  ctx->Yield(2);
  run_command(ctx, "file.recent.1");
  IM_CHECK(eventually(ctx, [&] { return state().edit.own() && state().edit.own()->file == file; }));
  leave_own_kernel(state());
  fs::remove(file);
  // One that is gone says so, once.
  run_command(ctx, "file.recent.1");
  ctx->Yield(4);
  IM_CHECK(state().edit.own() == nullptr);
  IM_CHECK(shell().problem.find("is not there any more") != std::string::npos);
  IM_CHECK(std::ranges::count(shell().settings.recent_files, file) == 0);
  shell().problem.clear();
  shell().settings.recent_files.clear();
  reset_layout(ctx);
}

}  // namespace tilescope::ui_test
