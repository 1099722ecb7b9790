// The panels' promises: each slider changes the picture, undo takes it back, playing moves the
// playhead, what is clicked in one picture is chosen in all.
#include <imgui_internal.h>
#include "app/features/tiling/tiling_picture.h"
#include "app/kit/core/extent_fields.h"
#include "app/state/edit.h"
#include "app/state/feature.h"
#include "app/state/playback.h"
#include "core/model/names.h"

#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

/// Frames until something has happened in the worker; at most two minutes of a slow machine.
template <class Done>
bool waited_for(ImGuiTestContext* ctx, Done done) {
  for (int i = 0; i < 2400 && !done(); ++i) ctx->SleepNoSkip(0.05f, 0.05f);
  return done();
}

bool traced() {
  return state().results.edit_serial == state().edit_serial && state().results.trace != nullptr;
}

/// Clicks on a slider's track, at a part of it; or on one of the names of its values.
void click_track(ImGuiTestContext* ctx, const Slider& slider, float part) {
  const TileField& field = kTileFields[static_cast<int>(slider.field)];
  const char* name = field.name;
  if (*field.names) {
    const int value = slider.values[part > 0 ? slider.count - 1 : 0];
    ctx->ItemClick(
        (std::string("//Controls/") + name + "/" + model::value_name(slider.field, value)).c_str());
    ctx->Yield(2);
    return;
  }
  const std::string ref = std::string("//Controls/") + name;
  ctx->MouseMove(ref.c_str());  // scrolls it into view
  const ImRect box = ctx->ItemInfo(ref.c_str()).RectFull;
  const float s = shell().context.scale;
  const float label = ImMin(62 * s, box.GetWidth() * 0.32f);
  const float left = box.Min.x + label + 9 * s, right = box.Max.x - 44 * s;
  ctx->MouseMoveToPos({left + (right - left) * part, box.GetCenter().y});
  ctx->MouseClick(0);
  ctx->Yield(2);
}

UI_TEST("panels", "each_slider_changes_the_picture_and_undo_takes_it_back") {
  reset_layout(ctx);
  for (const auto& [kernel, slider] : sampled(all_sliders(), 10)) {
    set_kernel(state(), kernel->info.id);
    ctx->Yield(2);
    set_tile(state(), kernel->sliders.defaults());
    click_track(ctx, slider, 1);
    const int high = get(state().edit.rung().tile, slider.field);
    const viz::TilingState picture = tiling_picture(state(), 0);
    click_track(ctx, slider, 0);
    IM_CHECK_EQ(high, slider.values[slider.count - 1]);
    IM_CHECK_EQ(get(state().edit.rung().tile, slider.field), slider.values[0]);
    IM_CHECK(!(tiling_picture(state(), 0) == picture));
    run_command(ctx, "edit.undo");
    IM_CHECK_EQ(get(state().edit.rung().tile, slider.field), high);
    run_command(ctx, "edit.redo");
    IM_CHECK_EQ(get(state().edit.rung().tile, slider.field), slider.values[0]);
  }
  set_kernel(state(), "mma_multistage");
}

UI_TEST("panels", "an_illegal_tile_stands_with_its_reason_and_a_way_back") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  ctx->Yield(2);
  click_track(ctx, *state().derived.kernel->sliders.find(TileFieldId::stages), 1);
  IM_CHECK(!state().derived.legal());
  IM_CHECK(!state().derived.sentence.empty());
  ctx->Yield(2);
  screenshot(ctx, "illegal");
  run_command(ctx, "edit.nearest");
  IM_CHECK(state().derived.legal());
}

/// A field says that it does not take what was typed.
bool refuses() { return !widgets::refused_extents(state()).empty(); }

UI_TEST("panels", "an_extent_that_is_none_stays_in_its_field_with_the_limit") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  Problem p = state().edit.problem;
  p.m = p.n = p.k = 512;
  set_problem(state(), p);
  ctx->Yield(2);
  IM_CHECK(!refuses());
  for (const char* typed : {"99999999999", "0", "-3", "1048577"}) {
    ctx->ItemInputValue("//Controls/##M", typed);
    ctx->Yield(2);
    IM_CHECK_EQ(state().edit.problem.m, 512);
    IM_CHECK(state().derived.legal());
    IM_CHECK(refuses());
    ImGui::SetClipboardText("");
    ctx->ItemClick("//Controls/##M");
    ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
    ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_C);
    IM_CHECK_STR_EQ(ImGui::GetClipboardText(), typed);
    ctx->KeyPress(ImGuiKey_Escape);
  }
  screenshot(ctx, "refused_extent");
  ctx->ItemInputValue("//Controls/##M", "1,024");
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.problem.m, 1024);
  IM_CHECK(!refuses());
}

UI_TEST("panels", "play_pause_step_and_scrub_move_the_playhead") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  Problem p = state().edit.problem;
  p.m = p.n = p.k = 256;
  set_problem(state(), p);
  IM_CHECK(waited_for(ctx, traced));
  run_command(ctx, "play.first");
  IM_CHECK_EQ(state().playhead.column, 0);
  run_command(ctx, "play.next");
  IM_CHECK_EQ(state().playhead.column, 1);
  run_command(ctx, "play.next_k");
  const int slice = state().playhead.column;
  IM_CHECK_GT(slice, 1);
  run_command(ctx, "play.toggle");
  IM_CHECK(state().playhead.playing);
  IM_CHECK(waited_for(ctx, [&] { return state().playhead.column != slice; }));
  run_command(ctx, "play.toggle");
  IM_CHECK(!state().playhead.playing);
  const int before = state().playhead.column;
  const ImRect box = ctx->ItemInfo("//Timeline/timeline_scene").RectFull;
  ctx->MouseMoveToPos({box.Min.x + box.GetWidth() * 0.9f, box.GetCenter().y});
  ctx->MouseDown(0);
  ctx->Yield(2);
  ctx->MouseUp(0);
  IM_CHECK_NE(state().playhead.column, before);
  IM_CHECK(waited_for(ctx, [] { return state().results.emulated.has_value(); }));
  IM_CHECK(state().results.emulated->verified && state().results.emulated->verified->ok);
  screenshot(ctx, "after_playing");
}

UI_TEST("panels", "the_traffic_lines_scroll_below_their_header") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  show_panel(ctx, *find_panel("traffic"));
  ctx->ItemClick("//Memory traffic/traffic_tab/levels");
  ctx->Yield(3);
  const ImGuiWindow* panel = ImGui::FindWindowByName("Memory traffic");
  ImGuiTable* table =
      ImGui::TableFindByID(ImHashStr("traffic6", 0, panel->ID));  // with six columns
  IM_CHECK_SILENT(table != nullptr);
  ImGuiWindow* lines = table->InnerWindow;
  IM_CHECK_GT(lines->ScrollMax.y, 0.0f);  // there is not room for all of them here
  IM_CHECK_EQ(panel->ScrollMax.y, 0.0f);  // and the panel itself stands
  ctx->MouseMoveToPos(lines->InnerRect.GetCenter());
  for (int i = 0; i < 20 && lines->Scroll.y < lines->ScrollMax.y; ++i) {
    ctx->MouseWheelY(-1);
    ctx->Yield(2);
  }
  IM_CHECK_EQ(lines->Scroll.y, lines->ScrollMax.y);
  IM_CHECK_EQ(static_cast<int>(table->FreezeRowsCount), 1);  // the header has not scrolled away
  screenshot(ctx, "traffic_scrolled");
}

/// Boxes with an error that are in view.
int error_boxes() {
  int count = 0;
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    count += window->WasActive && strstr(window->Name, "##error") != nullptr;
  }
  return count;
}

UI_TEST("panels", "an_error_stands_in_one_place") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  Problem p = state().edit.problem;
  p.m = p.n = p.k = 100000;  // more than the emulator follows
  set_problem(state(), p);
  IM_CHECK(eventually(ctx, [] { return state().results.stage == Stage::failed; }));
  const auto sentences = [] {
    int count = 0;
    for (const StatusItem& item : shell().model->status())
      count += item.text == state().results.error;
    return count;
  };
  ctx->Yield(3);
  IM_CHECK(!state().results.error.empty());
  IM_CHECK_EQ(error_boxes() + sentences(), 1);
  IM_CHECK(ctx->ItemExists("//Timeline/Run again##failed"));
  IM_CHECK(ctx->ItemExists("//Timeline/Restart the worker"));
  screenshot(ctx, "error_once");
  run_command(ctx, "view.layout.tune");  // without the Timeline
  ctx->Yield(3);
  IM_CHECK_EQ(error_boxes() + sentences(), 1);
  run_command(ctx, "view.layout.fragment");  // without either
  ctx->Yield(3);
  IM_CHECK_EQ(error_boxes() + sentences(), 1);
  reset_layout(ctx);
  p.m = p.n = p.k = 256;
  set_problem(state(), p);
  ctx->Yield(3);
  IM_CHECK_EQ(error_boxes() + sentences(), 0);
}

UI_TEST("panels", "a_click_in_the_lane_strip_is_chosen_everywhere") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  ctx->Yield(2);
  const int lane = state().selection.lane;
  const ImRect box = ctx->ItemInfo("//Fragment/fragment_scene").RectFull;
  int found = -1;
  for (float y = 0.02f; y < 0.3f && found < 0; y += 0.01f) {
    ctx->MouseMoveToPos({box.Min.x + box.GetWidth() * 0.1f, box.Min.y + box.GetHeight() * y});
    ctx->Yield(2);
    const auto& pick = state().hover_before.pick;
    if (pick && pick->lane >= 0 && pick->lane != lane) found = pick->lane;
  }
  IM_CHECK_GE(found, 0);
  ctx->MouseClick(0);
  ctx->Yield(2);
  IM_CHECK_EQ(state().selection.lane, found);
}

}  // namespace
}  // namespace tilescope::ui_test
