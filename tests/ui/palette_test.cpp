// The palette, typed into as a person does: what it does, and that undo takes it back.
#include <algorithm>
#include <functional>
#include <string>

#include "app/features/fragment/fragment_view.h"
#include "app/features/layer/layer_facts.h"
#include "app/shell/palette_rows.h"
#include "app/shell/shell_commands.h"
#include "app/state/edit.h"
#include "core/model/names.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

void type(ImGuiTestContext* ctx, const char* text) {
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
  ctx->Yield(3);
  ctx->KeyCharsAppend(text);
  ctx->Yield(2);
}

void enter(ImGuiTestContext* ctx) {
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->Yield(4);
}

bool fresh(ImGuiTestContext* ctx) {
  reset_layout(ctx);
  state().edit = initial_state().edit;
  state().undo.clear();
  state().of<FragmentView>() = {};
  ++state().edit_serial;
  derive(state());
  return settled(ctx);
}

}  // namespace

UI_TEST("palette", "each line of the issue is done by Enter and taken back by undo") {
  struct Line {
    const char* typed;
    std::function<bool()> done;
  };
  const auto tile = [] { return state().edit.rung().tile; };
  const Line lines[] = {
      {"stages 4", [&] { return tile().stages == 4; }},
      {"M 2048", [] { return state().edit.problem.m == 2048; }},
      {"swizzle off", [&] { return tile().swizzle == 0; }},
      {"block 128x256", [&] { return tile().block_m == 128 && tile().block_n == 256; }},
      {"wgmma 64x256",
       [] {
         const model::Instruction* shown = shown_instruction(state());
         return shown && shown->name.find("wgmma") != std::string::npos &&
                shown->name.find("m64n256") != std::string::npos;
       }},
      {"16 wgmma_cluster", [] { return state().edit.rung().kernel == "wgmma_cluster"; }},
      {"2-D thread tile", [] { return state().edit.rung().kernel == "thread_tile_2d"; }},
      {"bank conflicts", [&] { return tile().swizzle == 0; }},
      {"panel occupancy", [] { return is_shown(*find_panel("occupancy")); }},
      {"occupancy", [] { return is_shown(*find_panel("occupancy")); }},
      {"theme light", [] { return shell().context.theme == &kLightTheme; }},
      {"MmaMultistage", [] { return state().code_link.line > 0; }},
      {"gpt logits", [] { return chosen_layer(state()).out == 50257; }},
  };
  for (const Line& line : lines) {
    IM_CHECK_SILENT(fresh(ctx));
    if (line.done()) ctx->LogError("%s is so before", line.typed);
    IM_CHECK_SILENT(!line.done());
    type(ctx, line.typed);
    if (shell().palette.rows.empty()) ctx->LogError("nothing for %s", line.typed);
    enter(ctx);
    const bool done = eventually(ctx, line.done);
    if (!done) ctx->LogError("%s was not done", line.typed);
    IM_CHECK_SILENT(done);
    ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
    ctx->Yield(4);
    if (line.done()) ctx->LogError("%s was not taken back", line.typed);
    IM_CHECK_SILENT(!line.done());
  }
}

UI_TEST("palette", "every command is the first row when its title is typed") {
  IM_CHECK_SILENT(fresh(ctx));
  const std::vector<Command>& all = shell().commands.all();
  for (const Command& command : all) {
    if (command.label && command.label().empty()) continue;  // a place that nothing stands in
    const std::vector<PaletteRow> rows = palette_rows(all, &state(), {}, command.title);
    const bool first = !rows.empty() && rows.front().answer.title == command.title;
    if (!first) {
      ctx->LogError("%s: %s", command.title.c_str(),
                    rows.empty() ? "nothing" : rows.front().answer.title.c_str());
    }
    IM_CHECK_SILENT(first);
  }
}

UI_TEST("palette", "strangers do not stand before what is named") {
  const std::vector<Command>& all = shell().commands.all();
  const auto first = [&](const char* typed) {
    const auto rows = palette_rows(all, &state(), {}, typed);
    return rows.empty() ? std::string() : rows.front().answer.title;
  };
  IM_CHECK(first("preset") != "Previous event");
  const auto help = std::ranges::find(all, first("help"), &Command::title);
  IM_CHECK(help != all.end() && help->menu.starts_with("Help"));
  IM_CHECK(first("qwen").starts_with("qwen"));
}

UI_TEST("palette", "what was used last comes first, in a list of nothing typed too") {
  IM_CHECK_SILENT(fresh(ctx));
  shell().settings.recent.clear();
  type(ctx, "stages 4");
  enter(ctx);
  type(ctx, "theme dark");
  enter(ctx);
  type(ctx, "");
  IM_CHECK_GE(shell().palette.rows.size(), size_t{2});
  IM_CHECK_STR_EQ(shell().palette.rows[0].answer.title.c_str(), "Theme: dark");
  IM_CHECK_STR_EQ(shell().palette.rows[1].answer.title.c_str(), "stages 4");
  screenshot(ctx, "palette_recent");
  ctx->KeyPress(ImGuiKey_Escape);
  ctx->Yield(2);
  type(ctx, "block 128x256");
  screenshot(ctx, "palette_block");
  ctx->KeyPress(ImGuiKey_Escape);
  IM_CHECK_SILENT(fresh(ctx));
}

UI_TEST("palette", "what cannot be is said, and Enter does nothing") {
  IM_CHECK_SILENT(fresh(ctx));
  const Edit before = state().edit;
  type(ctx, "stages 77");
  IM_CHECK_GE(shell().palette.rows.size(), size_t{1});
  IM_CHECK(!shell().palette.rows[0].answer.run);
  screenshot(ctx, "palette_refused");
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->Yield(2);
  IM_CHECK(same_request(before, state().edit));
  ctx->KeyPress(ImGuiKey_Escape);
  ctx->Yield(2);
}

}  // namespace tilescope::ui_test
