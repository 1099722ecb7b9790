// As somebody would who never takes a hand from the keyboard: the example's two mistakes are found,
// mended in the editor, proven right, and seen beside the version before.
#include <imgui_internal.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "app/common/difference_rows.h"
#include "app/features/own/own_view.h"
#include "app/shell/keyboard_mode.h"
#include "app/state/edit.h"
#include "app/state/launch_facts.h"
#include "app/state/present.h"
#include "app/state/second.h"
#include "core/files/whole_file.h"
#include "tests/ui/ui_test.h"
#include "worker/messages/findings.h"

namespace tilescope::ui_test {
namespace {

void type_into_palette(ImGuiTestContext* ctx, const char* what) {
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
  ctx->Yield(3);
  ctx->KeyCharsAppend(what);
  ctx->Yield(3);
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->Yield(4);
}

const worker::CodeFinding* found(bool remark) {
  for (const worker::CodeFinding& f : present_results(state()).findings) {
    if (f.remark == remark && f.line > 0) return &f;
  }
  return nullptr;
}

bool ran(ImGuiTestContext* ctx) {
  return eventually(ctx, [] {
    const Results& r = state().results;
    return state().own_launch && r.edit_serial == state().edit_serial && r.emulated &&
           r.stage == Stage::done;
  });
}

uint64_t conflicts_of(const AppState& s) {
  const worker::CountedTraffic& c = s.results.emulated->counted;
  return c.shared_load.wavefronts - c.shared_load.ideal + c.shared_store.wavefronts -
         c.shared_store.ideal;
}

/// The text's cursor to the end of a line, by the palette.
void go_to_line(ImGuiTestContext* ctx, int line) {
  type_into_palette(ctx, ("line " + std::to_string(line)).c_str());
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_E);
  ctx->Yield(4);
}

int line_of(const std::string& text, const std::string& part) {
  const size_t at = text.find(part);
  if (at == std::string::npos) return 0;
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

}  // namespace

UI_TEST("trial", "a race and a bank conflict are cured from the keyboard alone") {
  reset_layout(ctx);
  ctx->MouseTeleportToPos({2, 300});        // and stays there
  const std::string store = state().store;  // the tests' window has none: examples go there
  state().store = TILESCOPE_SCREENS "/trial";
  std::filesystem::remove_all(state().store);
  type_into_palette(ctx, "SGEMM with a race and a bank conflict");
  IM_CHECK(eventually(ctx, [] { return state().edit.own() != nullptr; }));
  const std::string file = state().edit.own()->file;
  IM_CHECK(ran(ctx));
  screenshot(ctx, "trial_1_found");
  IM_CHECK_SILENT(found(false) != nullptr);  // the race
  IM_CHECK_SILENT(found(true) != nullptr);   // the conflict
  const uint64_t before = conflicts_of(state());
  IM_CHECK_GT(before, uint64_t{0});

  // As it is it becomes B.
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_B);
  ctx->Yield(4);
  IM_CHECK_SILENT(second_of(state()) != nullptr);

  const std::string text = files::read_file(file).value_or("");
  go_to_line(ctx, line_of(text, "__shared__ float Bs[TILE][TILE];"));
  for (int i = 0; i < 2; ++i) ctx->KeyPress(ImGuiKey_LeftArrow);  // before "];"
  ctx->KeyChars(" + 1");
  ctx->Yield(2);
  screenshot(ctx, "trial_2_typed");
  go_to_line(ctx, line_of(text, "for (int k = 0; k < TILE; ++k)"));
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->KeyChars("__syncthreads();");
  ctx->Yield(2);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_S);
  IM_CHECK(eventually(ctx, [&] {
    return files::read_file(file).value_or("").find("[TILE + 1]") != std::string::npos;
  }));
  IM_CHECK(eventually(ctx, [&] {
    const Results& r = state().results;
    return r.emulated && r.stage == Stage::done && conflicts_of(state()) == 0;
  }));
  IM_CHECK(ran(ctx));
  IM_CHECK_SILENT(worker::first_error(present_results(state()).findings) == nullptr);
  IM_CHECK_SILENT(state().of<OwnView>().verdict.has_value());
  IM_CHECK(state().of<OwnView>().verdict->verified.ok);
  screenshot(ctx, "trial_3_cured");

  // The gain, row by row, beside the version before.
  type_into_palette(ctx, "Compare");
  ctx->Yield(6);
  screenshot(ctx, "trial_4_compared");
  bool gained = false;
  for (const DifferenceRow& row :
       difference_rows(launch_facts(state()), launch_facts(*second_of(state())))) {
    if (row.id == "conflicts") gained = row.verdict() > 0 && row.b == static_cast<double>(before);
  }
  IM_CHECK(gained);
  compare_with_nothing(state());
  leave_own_kernel(state());
  state().store = store;
  set_keyboard_mode(false);
  reset_layout(ctx);
}

}  // namespace tilescope::ui_test
