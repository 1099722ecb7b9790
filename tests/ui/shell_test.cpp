// What the window itself offers: scale, documents, pictures, files that were opened before.
#include <imgui_internal.h>
#include <unistd.h>

#include <filesystem>

#include "app/features/documents/documents_view.h"
#include "app/state/edit.h"
#include "core/files/whole_file.h"
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
