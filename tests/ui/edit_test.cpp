// The kernel's text, typed into as a person does, saved, compiled, checked, and taken back.
#include <imgui_internal.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "app/features/own/own_view.h"
#include "app/state/compile_errors.h"
#include "app/state/edit.h"
#include "app/state/present.h"
#include "app/state/private_copy.h"
#include "core/files/whole_file.h"
#include "tests/ui/ui_test.h"
#include "worker/messages/findings.h"

namespace tilescope::ui_test {
namespace {

void open_rung(ImGuiTestContext* ctx, const char* id) {
  reset_layout(ctx);
  set_kernel(state(), id);
  Problem p = state().edit.problem;
  p.m = p.n = p.k = 256;
  set_problem(state(), p);
  show_panel(ctx, *find_panel("source"));
  ctx->ItemClick("//##header_source/source_tab/kernel");
  ctx->Yield(4);
}

/// In the middle of the text, whose cursor is there then.
void click_text(ImGuiTestContext* ctx) {
  const ImGuiWindow* window = ImGui::FindWindowByName("Source");
  const ImRect inside = window->InnerRect;
  ctx->MouseMoveToPos({inside.GetCenter().x, inside.GetCenter().y});
  ctx->MouseClick();
  ctx->Yield(3);
}

bool compiled_again(ImGuiTestContext* ctx) {
  return eventually(ctx, [] { return present_results(state()).emulated.has_value(); });
}

bool racy() { return worker::first_error(present_results(state()).findings) != nullptr; }

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

}  // namespace

UI_TEST("edit", "what is typed is compiled by Ctrl+S; errors stand at their lines; undo mends it") {
  open_rung(ctx, "block_tile");
  IM_CHECK_SILENT(compiled_again(ctx));
  click_text(ctx);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Home);
  ctx->KeyPress(ImGuiKey_End);
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->KeyCharsAppend("int planted = ;");
  ctx->Yield(3);
  screenshot(ctx, "edit_typed");
  IM_CHECK(!has_private_copy(state()));
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_S);
  IM_CHECK(eventually(ctx, [] { return has_private_copy(state()); }));
  IM_CHECK_SILENT(eventually(ctx, [] { return !state().results.compile_log.empty(); }));
  const auto errors = compile_errors(state().results.compile_log, state().derived.kernel->file);
  IM_CHECK_GE(errors.size(), size_t{1});
  IM_CHECK_EQ(errors[0].line, 2);
  ctx->Yield(4);
  screenshot(ctx, "edit_error");
  // The text's own undo, not the tile's.
  const Edit before = state().edit;
  click_text(ctx);
  for (int i = 0; i < 40 && has_private_copy(state()); ++i) {
    ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
    ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_S);
    ctx->Yield(2);
  }
  IM_CHECK(!has_private_copy(state()));
  IM_CHECK(same_request(before, state().edit));
  IM_CHECK_SILENT(compiled_again(ctx));
  IM_CHECK(!racy());
}

UI_TEST("edit", "a planted race is found, and gone with the original") {
  open_rung(ctx, "block_tile");
  IM_CHECK_SILENT(compiled_again(ctx));
  IM_CHECK(!racy());
  const std::string text = original_text(state());
  IM_CHECK_STR_EQ(save_text(state(), replaced(text, "__syncthreads();", "")).c_str(), "");
  IM_CHECK(eventually(ctx, racy));
  ctx->Yield(4);
  screenshot(ctx, "edit_race");
  ctx->ItemClick("//Source/edit/difference");
  ctx->Yield(4);
  screenshot(ctx, "edit_difference");
  ctx->ItemClick("//Source/edit/original");
  IM_CHECK(eventually(ctx, [] { return !has_private_copy(state()); }));
  IM_CHECK_SILENT(compiled_again(ctx));
  IM_CHECK(!racy());
}

UI_TEST("edit", "the rung above that includes the file is compiled with the ladder's") {
  open_rung(ctx, "mma_sync");
  IM_CHECK_SILENT(compiled_again(ctx));
  const std::string text = original_text(state());
  IM_CHECK_STR_EQ(save_text(state(), text + "\n#error planted\n").c_str(), "");
  IM_CHECK(eventually(ctx, [] { return !state().results.compile_log.empty(); }));
  set_kernel(state(), "mma_multistage");
  IM_CHECK(!has_private_copy(state()));
  IM_CHECK_SILENT(compiled_again(ctx));
  set_kernel(state(), "mma_sync");
  IM_CHECK(has_private_copy(state()));
  leave_private_copy(state());
  IM_CHECK_SILENT(compiled_again(ctx));
}

UI_TEST("edit", "what is not saved stays with its file") {
  open_rung(ctx, "block_tile");
  click_text(ctx);
  ctx->KeyCharsAppend("// a note that is not saved ");
  ctx->Yield(3);
  set_kernel(state(), "naive");
  ctx->Yield(4);
  set_kernel(state(), "block_tile");
  ctx->Yield(4);
  nlohmann::json options = nlohmann::json::object();
  find_panel("source")->save(shell().context, options);
  IM_CHECK_SILENT(options.contains("drafts"));
  IM_CHECK(options["drafts"].dump().find("a note that is not saved") != std::string::npos);
  IM_CHECK(!has_private_copy(state()));
  ctx->ItemClick("//Source/edit/original");
  ctx->Yield(4);
  options = nlohmann::json::object();
  find_panel("source")->save(shell().context, options);
  IM_CHECK(!options.contains("drafts"));
}

UI_TEST("edit", "a file of one's own is written itself, with its own ends of lines") {
  namespace fs = std::filesystem;
  reset_layout(ctx);
  const std::string file =
      (fs::temp_directory_path() / ("edit-" + std::to_string(getpid()) + ".cu")).string();
  const std::string first = "// one", rest = "\r\n__global__ void one(int* p) { *p = 1; }\r\n";
  IM_CHECK_STR_EQ(files::replace_file(file, first + rest).c_str(), "");
  open_own_kernel(state(), {file, ""});
  IM_CHECK_SILENT(eventually(ctx, [] { return state().of<OwnView>().opened != nullptr; }));
  show_panel(ctx, *find_panel("source"));
  ctx->Yield(4);
  IM_CHECK(!ctx->ItemExists("//Source/edit/difference"));
  const auto before = state().of<OwnView>().opened;
  click_text(ctx);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Home);
  ctx->KeyCharsAppend(", two");  // at the end of the line
  ctx->Yield(2);
  screenshot(ctx, "edit_own");
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_S);
  IM_CHECK(eventually(ctx, [&] { return files::read_file(file) == first + ", two" + rest; }));
  IM_CHECK(eventually(ctx, [&] {
    const auto& now = state().of<OwnView>().opened;
    return now && now != before;
  }));
  leave_own_kernel(state());
  fs::remove(file);
}

}  // namespace tilescope::ui_test
