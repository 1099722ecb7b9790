// Controls as a hand uses them: the ladder's strip, undo and redo, sliders by wheel, key and
// number.
#include <imgui_internal.h>

#include "app/features/tile/panels/ladder_strip.h"
#include "app/state/edit.h"
#include "core/model/names.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

using namespace widgets;

void start(ImGuiTestContext* ctx) {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  ctx->Yield(2);
}

std::string rung(const KernelEntry& kernel) {
  return std::string("//Controls/ladder/") + kernel.info.id;
}

UI_TEST("controls", "each_kernel_has_a_box_that_chooses_it") {
  start(ctx);
  const ImGuiWindow* panel = ImGui::FindWindowByName("Controls");
  IM_CHECK_SILENT(panel != nullptr);
  std::vector<ImRect> boxes;
  for (const KernelEntry& kernel : kernel_table()) {
    ctx->ItemClick(rung(kernel).c_str());
    ctx->Yield(2);
    IM_CHECK_STR_EQ(state().edit.rung().kernel.c_str(), kernel.info.id);
    IM_CHECK(panel->InnerRect.Contains(ctx->ItemInfo(rung(kernel).c_str()).RectFull));
  }
  // Of one moment: a kernel with more sliders may bring a scroll bar, which narrows the strip.
  for (const KernelEntry& kernel : kernel_table()) {
    const ImRect box = ctx->ItemInfo(rung(kernel).c_str()).RectFull;
    for (const ImRect& other : boxes) IM_CHECK_SILENT(!other.Overlaps(box));
    boxes.push_back(box);
  }
  screenshot(ctx, "ladder");
  set_kernel(state(), "mma_multistage");
}

UI_TEST("controls", "arrow_keys_climb_the_ladder_and_step_no_event") {
  start(ctx);
  std::vector<std::string> order;
  for (const LadderGroup& group : ladder_groups()) {
    for (const KernelEntry* kernel : group.kernels) order.push_back(kernel->info.id);
  }
  ctx->ItemClick(("//Controls/ladder/" + order.front()).c_str());
  for (size_t i = 1; i < order.size(); ++i) {
    ctx->KeyPress(ImGuiKey_RightArrow);
    ctx->Yield(2);
    IM_CHECK_STR_EQ(state().edit.rung().kernel.c_str(), order[i].c_str());
  }
  ctx->KeyPress(ImGuiKey_RightArrow);
  ctx->Yield(2);
  IM_CHECK_STR_EQ(state().edit.rung().kernel.c_str(), order.back().c_str());
  ctx->KeyPress(ImGuiKey_LeftArrow);
  ctx->Yield(2);
  IM_CHECK_STR_EQ(state().edit.rung().kernel.c_str(), order[order.size() - 2].c_str());
  set_kernel(state(), "mma_multistage");
}

/// As many kernels as the ladder may get, in two groups.
std::vector<LadderGroup> groups_of(int first, int second) {
  std::vector<LadderGroup> groups = {{"f32", {}}, {"f16", {}}};
  const KernelTable table = kernel_table();
  for (int i = 0; i < first; ++i) groups[0].kernels.push_back(table.begin() + i % table.count);
  for (int i = 0; i < second; ++i) groups[1].kernels.push_back(table.begin() + i % table.count);
  return groups;
}

UI_TEST("controls", "the_ladder_fits_any_width_without_overlap") {
  const LadderText text{13, 18, 14};  // as of two digits at 11 px
  const float usual = 212;            // of the panel at 1280x800
  const LadderStrip one_row = place_ladder(groups_of(8, 5), usual, text, 1);
  for (const LadderStrip::Box& box : one_row.boxes) IM_CHECK_EQ(box.y, 0.0f);
  for (const auto& [first, second] : {std::pair{8, 5}, {9, 6}, {1, 1}, {14, 12}}) {
    for (float scale : {1.0f, 1.5f, 2.0f}) {
      const LadderText sizes{text.number * scale, text.caption * scale, text.line * scale};
      for (float room : {60 * scale, 120 * scale, usual * scale, 900 * scale}) {
        const LadderStrip strip = place_ladder(groups_of(first, second), room, sizes, scale);
        IM_CHECK_EQ(strip.boxes.size(), static_cast<size_t>(first + second));
        IM_CHECK_GE(strip.box_width, sizes.number);
        std::vector<ImRect> taken;
        for (const LadderStrip::Box& b : strip.boxes) {
          taken.push_back({b.x, b.y, b.x + strip.box_width, b.y + strip.box_height});
        }
        for (const LadderStrip::Caption& c : strip.captions) {
          taken.push_back({c.x, c.y, c.x + sizes.caption, c.y + sizes.line});
        }
        for (size_t i = 0; i < taken.size(); ++i) {
          IM_CHECK_SILENT(taken[i].Min.x >= 0 && taken[i].Max.x <= room + 0.01f);
          IM_CHECK_SILENT(taken[i].Max.y <= strip.height + 0.01f);
          for (size_t j = 0; j < i; ++j) IM_CHECK_SILENT(!taken[i].Overlaps(taken[j]));
        }
      }
    }
  }
}

UI_TEST("controls", "undo_and_redo_stand_in_the_header") {
  start(ctx);
  state().undo.clear(), state().redo.clear();
  ctx->Yield(2);
  const auto disabled = [&](const char* id) {
    return (ctx->ItemInfo(id).ItemFlags & ImGuiItemFlags_Disabled) != 0;
  };
  const char* back = "//##header_controls/undo";
  const char* forward = "//##header_controls/redo";
  IM_CHECK(disabled(back) && disabled(forward));
  const int stages = state().edit.rung().tile.stages;
  set_tile_field(state(), TileFieldId::stages, 2);
  ctx->Yield(2);
  IM_CHECK(!disabled(back) && disabled(forward));
  ctx->ItemClick(back);
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.rung().tile.stages, stages);
  IM_CHECK(disabled(back) && !disabled(forward));
  ctx->ItemClick(forward);
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.rung().tile.stages, 2);
}

const Slider& slider_of(TileFieldId field) { return *state().derived.kernel->sliders.find(field); }

UI_TEST("controls", "the_wheel_steps_a_slider_and_does_not_scroll_the_panel") {
  start(ctx);
  const Slider& slider = slider_of(TileFieldId::block_m);
  ctx->ItemClick("//Controls/block_m");  // it has the focus, and the pointer
  set_tile_field(state(), TileFieldId::block_m, slider.values[1]);
  const ImGuiWindow* panel = ImGui::FindWindowByName("Controls");
  const float scroll = panel->Scroll.y;
  ctx->Yield(2);
  ctx->MouseWheelY(1);
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.rung().tile.block_m, slider.values[2]);
  ctx->MouseWheelY(-1);
  ctx->Yield(2);
  ctx->MouseWheelY(-1);
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.rung().tile.block_m, slider.values[0]);
  IM_CHECK_EQ(panel->Scroll.y, scroll);
}

UI_TEST("controls", "a_panel_that_is_scrolled_carries_no_slider_along") {
  start(ctx);
  const KernelEntry* most = kernel_table().begin();  // more sliders than the panel has room for
  for (const KernelEntry& kernel : kernel_table()) {
    if (kernel.sliders.count > most->sliders.count) most = &kernel;
  }
  set_kernel(state(), most->info.id);
  const ImVec2 size = ImGui::GetMainViewport()->Size;
  IM_CHECK(resized(ctx, static_cast<int>(size.x), 600));
  ImGuiWindow* panel = ImGui::FindWindowByName("Controls");
  IM_CHECK_GT(panel->ScrollMax.y, 20.0f);
  const TileConfig before = state().edit.rung().tile;
  // A slider above which the pointer comes to stand only by the scrolling.
  const ImRect last = ctx->ItemInfo("//Controls/block_m").RectFull;
  ctx->MouseMoveToPos({last.GetCenter().x, last.Min.y - 8});
  for (int i = 0; i < 40; ++i) {
    ctx->MouseWheelY(-1);
    ctx->Yield();
  }
  IM_CHECK_EQ(panel->Scroll.y, panel->ScrollMax.y);
  IM_CHECK(state().edit.rung().tile == before);
  IM_CHECK(resized(ctx, static_cast<int>(size.x), static_cast<int>(size.y)));
}

UI_TEST("controls", "arrow_keys_step_the_slider_that_has_the_focus_and_no_event") {
  start(ctx);
  const Slider& slider = slider_of(TileFieldId::raster);
  ctx->ItemClick("//Controls/raster");
  set_tile_field(state(), TileFieldId::raster, slider.values[1]);
  ctx->KeyPress(ImGuiKey_RightArrow);
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.rung().tile.raster, slider.values[2]);
  ctx->KeyPress(ImGuiKey_DownArrow);
  ctx->Yield(2);
  ctx->KeyPress(ImGuiKey_LeftArrow);
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.rung().tile.raster, slider.values[0]);
  IM_CHECK(eventually(ctx, [] { return state().results.stage == Stage::done; }));
  run_command(ctx, "play.last");
  const int column = state().playhead.column;
  ctx->KeyPress(ImGuiKey_LeftArrow);  // the slider's end: it stays, and the playhead, too
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.rung().tile.raster, slider.values[0]);
  IM_CHECK_EQ(state().playhead.column, column);
  ctx->ItemClick("//Timeline/timeline_scene");
  const int clicked = state().playhead.column;
  ctx->KeyPress(ImGuiKey_LeftArrow);
  ctx->Yield(2);
  IM_CHECK_LT(state().playhead.column, clicked);
}

UI_TEST("controls", "a_panel_that_appears_takes_no_keys") {
  start(ctx);
  IM_CHECK(eventually(ctx, [] { return state().results.stage == Stage::done; }));
  for (const char* id : {"traffic", "controls", "benchmark"}) {
    const Panel* panel = find_panel(id);
    run_command(ctx, (std::string("view.panel.") + id).c_str());
    ctx->Yield(4);
    show_panel(ctx, *panel);
    run_command(ctx, "play.first");
    ctx->KeyPress(ImGuiKey_RightArrow);
    ctx->Yield(3);
    if (state().playhead.column != 1) ctx->LogError("%s took the key", id);
    IM_CHECK_SILENT(state().playhead.column == 1);
  }
  reset_layout(ctx);
}

UI_TEST("controls", "tab_moves_on_and_back") {
  start(ctx);
  const Sliders& sliders = state().derived.kernel->sliders;
  ctx->ItemClick("//Controls/block_m");
  IM_CHECK_EQ(sliders.slider[0].field, TileFieldId::block_m);
  const auto focused = [&] { return ImGui::GetCurrentContext()->NavId; };
  const auto ref_of = [&](int slider) {
    const TileField& field = kTileFields[static_cast<int>(sliders.slider[slider].field)];
    std::string ref = std::string("//Controls/") + field.name;
    if (*field.names) {
      ref += "/" + model::value_name(field.id, get(state().edit.rung().tile, field.id));
    }
    return ref;
  };
  for (int i = 1; i < sliders.count; ++i) {
    ctx->KeyPress(ImGuiKey_Tab);
    ctx->Yield(2);
    const std::string ref = ref_of(i);
    if (focused() != ctx->GetID(ref.c_str())) ctx->LogError("%s has no focus", ref.c_str());
    IM_CHECK_SILENT(focused() == ctx->GetID(ref.c_str()));
  }
  const TileConfig before = state().edit.rung().tile;
  ctx->KeyPress(ImGuiMod_Shift | ImGuiKey_Tab);
  ctx->Yield(2);
  ctx->KeyPress(ImGuiMod_Shift | ImGuiKey_Tab);
  ctx->Yield(2);
  IM_CHECK(focused() == ctx->GetID(ref_of(sliders.count - 3).c_str()));
  IM_CHECK(state().edit.rung().tile == before);  // to be passed by changes nothing
}

UI_TEST("controls", "a_typed_number_takes_the_nearest_offered_value_and_says_so") {
  start(ctx);
  const Slider& slider = slider_of(TileFieldId::block_m);
  const int high = slider.values[slider.count - 1];
  state().said.clear();
  ctx->KeyDown(ImGuiMod_Ctrl);
  ctx->ItemClick("//Controls/block_m");
  ctx->KeyUp(ImGuiMod_Ctrl);
  ctx->Yield(2);
  ctx->KeyCharsReplaceEnter(std::to_string(slider.values[0]).c_str());
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.rung().tile.block_m, slider.values[0]);
  IM_CHECK(state().said.empty());
  ctx->ItemClick("//Controls/block_m");
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->Yield(2);
  ctx->KeyCharsReplaceEnter("99999");
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.rung().tile.block_m, high);
  IM_CHECK(state().said.find(std::to_string(high)) != std::string::npos);
  // What is no number changes nothing and names what is offered.
  state().said.clear();
  ctx->ItemClick("//Controls/block_m");
  set_tile_field(state(), TileFieldId::block_m, slider.values[1]);
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->Yield(2);
  ctx->KeyCharsReplaceEnter("-");
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.rung().tile.block_m, slider.values[1]);
  IM_CHECK(state().said.find("takes") != std::string::npos);
  // Escape takes nothing.
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->Yield(2);
  ctx->KeyCharsReplace("32");
  ctx->KeyPress(ImGuiKey_Escape);
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.rung().tile.block_m, slider.values[1]);
}

UI_TEST("controls", "values_with_names_are_buttons") {
  start(ctx);
  auto named = all_sliders();
  std::erase_if(
      named, [](const auto& s) { return !*kTileFields[static_cast<int>(s.second.field)].names; });
  IM_CHECK(!named.empty());
  for (const auto& [kernel, slider] : sampled(named, 4)) {
    set_kernel(state(), kernel->info.id);
    ctx->Yield(2);
    const TileField& field = kTileFields[static_cast<int>(slider.field)];
    for (int j = 0; j < slider.count; ++j) {
      const std::string name = model::value_name(slider.field, slider.values[j]);
      ctx->ItemClick((std::string("//Controls/") + field.name + "/" + name).c_str());
      ctx->Yield(2);
      IM_CHECK_EQ(get(state().edit.rung().tile, slider.field), slider.values[j]);
    }
    ctx->KeyPress(ImGuiKey_LeftArrow);
    ctx->Yield(2);
    IM_CHECK_EQ(get(state().edit.rung().tile, slider.field), slider.values[slider.count - 2]);
  }
  set_kernel(state(), "mma_multistage");
}

}  // namespace
}  // namespace tilescope::ui_test
