// The Fragment panel as a person uses it: search an instruction, look at each tab, pick a cell,
// export the map and the picture, prove it.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/features/fragment/fragment_picture.h"
#include "app/features/fragment/fragment_view.h"
#include "app/features/fragment/proofs.h"
#include "app/kit/scene_view.h"
#include "app/state/edit.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

constexpr const char* kS8 = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32";

void start_fragment(ImGuiTestContext* ctx) {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  show_atom(state(), "");
  state().of<FragmentView>().tab = 0;
  ctx->Yield(2);
}

/// Opens the list and types; Enter takes the first that is found.
void search(ImGuiTestContext* ctx, const char* words) {
  ctx->ItemClick("//Fragment/##atom");
  ctx->Yield(2);
  ctx->KeyCharsReplaceEnter(words);
  ctx->Yield(2);
}

UI_TEST("fragment", "what_is_typed_is_found_and_shown") {
  start_fragment(ctx);
  struct Row {
    const char* words;
    const char* name;
  };
  constexpr Row kRows[] = {
      {"m16n8k32 s8", kS8},
      {"16x8x8 tf32", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"},
      {"wgmma 64x256", "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16"},
      {"ldmatrix trans", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"},
      {"SM80_16x8x16_F32F16F16F32_TN", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"},
      {"wmma", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32"},
  };
  for (const Row& row : kRows) {
    search(ctx, row.words);
    IM_CHECK_STR_EQ(state().of<FragmentView>().atom.name.c_str(), row.name);
  }
  // What nothing matches changes nothing and names its neighbours.
  const std::string before = state().of<FragmentView>().atom.name;
  search(ctx, "m16n8k99 q7");
  IM_CHECK_STR_EQ(state().of<FragmentView>().atom.name.c_str(), before.c_str());
  screenshot(ctx, "fragment_nothing_found");
  ctx->KeyPress(ImGuiKey_Escape);
  run_command(ctx, "fragment.own");
  IM_CHECK(state().of<FragmentView>().atom.name.empty());
}

UI_TEST("fragment", "each_tab_of_each_kind_opens") {
  start_fragment(ctx);
  for (const char* name : {"", kS8, "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16",
                           "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
                           "stmatrix.sync.aligned.m8n8.x2.shared.b16"}) {
    show_atom(state(), name);
    ctx->Yield(2);
    for (int t = 0; t < viz::kFragmentTabs; ++t) {
      const viz::FragmentState f = fragment_picture(state());
      const auto tab = static_cast<viz::FragmentTab>(t);
      if (!viz::has_tab(f, tab)) continue;
      ctx->ItemClick((std::string("//Fragment/fragment_tab/") + viz::tab_name(f, tab)).c_str());
      ctx->Yield(2);
      IM_CHECK_EQ(static_cast<int>(fragment_picture(state()).tab), t);
    }
  }
  show_atom(state(), kS8);
  state().of<FragmentView>().tab = static_cast<int>(viz::FragmentTab::warp_tile);
  ctx->Yield(2);
  ctx->ItemClick("//Fragment/k_on");
  ctx->Yield(2);
  IM_CHECK_EQ(state().of<FragmentView>().atom.k_step, 1);
  ctx->ItemClick("//Fragment/k_back");
  ctx->Yield(2);
  IM_CHECK_EQ(state().of<FragmentView>().atom.k_step, 0);
}

/// What the panel shows is what the present choice draws, though the pointer is elsewhere.
bool picture_is_of_the_choice(ImGuiTestContext* ctx) {
  const ImRect box = ctx->ItemInfo("//Fragment/fragment_scene").RectFull;
  AppContext& context = shell().context;
  const viz::Scene expected = viz::build_fragment(
      fragment_picture(state()), widgets::palette_of(context), widgets::FontMeasure(context),
      {std::round(box.GetWidth() / context.scale), std::round(box.GetHeight() / context.scale)});
  const viz::Scene* shown = widgets::shown_scene("fragment_scene");
  return shown != nullptr && viz::to_text(*shown) == viz::to_text(expected);
}

UI_TEST("fragment", "the_frame_after_a_choice_shows_it") {
  start_fragment(ctx);
  ctx->Yield(2);
  IM_CHECK(picture_is_of_the_choice(ctx));
  for (const char* item :
       {"fragment_tab/warp tile", "fragment_tab/ldmatrix", "operand/B", "operand/A",
        "fragment_tab/shared memory", "phase/2", "phase/0", "cure/padding", "operand/B", "cure/XOR",
        "operand/A", "fragment_tab/formulas", "fragment_tab/mma"}) {
    ctx->ItemClick((std::string("//Fragment/") + item).c_str());
    if (!picture_is_of_the_choice(ctx)) ctx->LogError("stale after %s", item);
    IM_CHECK_SILENT(picture_is_of_the_choice(ctx));
  }
  search(ctx, "m16n8k32 s8");
  IM_CHECK(picture_is_of_the_choice(ctx));
  ctx->ItemClick("//Fragment/fragment_tab/warp tile");
  const std::string before = viz::to_text(*widgets::shown_scene("fragment_scene"));
  ctx->ItemClick("//Fragment/k_on");
  IM_CHECK(picture_is_of_the_choice(ctx));
  IM_CHECK(viz::to_text(*widgets::shown_scene("fragment_scene")) != before);
  // Its k loop, playing: each step is drawn in the frame that takes it.
  const int step = state().of<FragmentView>().atom.k_step;
  ctx->ItemClick("//Fragment/Play##k");
  for (int i = 0; i < 200 && state().of<FragmentView>().atom.k_step == step; ++i) ctx->Yield();
  IM_CHECK_NE(state().of<FragmentView>().atom.k_step, step);
  IM_CHECK(picture_is_of_the_choice(ctx));
  ctx->ItemClick("//Fragment/Stop##k");
  show_atom(state(), "");
}

UI_TEST("fragment", "a_clicked_cell_chooses_its_lane_and_its_output") {
  start_fragment(ctx);
  show_atom(state(), kS8);
  ctx->Yield(3);
  const ImRect box = ctx->ItemInfo("//Fragment/fragment_scene").RectFull;
  AppContext& context = shell().context;
  const float s = context.scale;
  const viz::Scene scene = viz::build_fragment(
      fragment_picture(state()), widgets::palette_of(context), widgets::FontMeasure(context),
      {std::floor(box.GetWidth() / s), std::floor(box.GetHeight() / s)});
  const MmaAtom& atom = model::find_instruction(kS8)->mma;
  const Coord at{13, 6};
  for (const viz::Primitive& p : scene.primitives) {
    const auto* grid = std::get_if<viz::CellGrid>(&p.shape);
    if (!grid || grid->pick.matrix != 2) continue;
    const viz::Box cell = viz::cell_box(*grid, at.row, at.col);
    ctx->MouseMoveToPos(
        {box.Min.x + (cell.x + cell.w / 2) * s, box.Min.y + (cell.y + cell.h / 2) * s});
    ctx->Yield(2);
    screenshot(ctx, "fragment_hover");
    ctx->MouseClick(0);
  }
  ctx->Yield(2);
  const Holder holder = fragment_holder(atom.c, at);
  IM_CHECK_EQ(state().of<FragmentView>().atom.selection.lane, holder.thread);
  IM_CHECK_EQ(state().of<FragmentView>().atom.selection.output, holder.value);
  // The kernel's own selection is another matter.
  IM_CHECK_NE(state().selection.lane, holder.thread);
}

UI_TEST("fragment", "the_map_is_copied_in_each_format") {
  start_fragment(ctx);
  show_atom(state(), kS8);
  ctx->Yield(2);
  struct Row {
    const char* item;
    const char* holds;
  };
  constexpr Row kRows[] = {{"Table: CSV", "operand,lane"},
                           {"Table: Markdown", "| lane |"},
                           {"Table: LaTeX", "\\begin{tabular}"},
                           {"Map: JSON", "\"atom\""},
                           {"Index function: C++", "constexpr"}};
  for (const Row& row : kRows) {
    ImGui::SetClipboardText("");
    ctx->ItemClick("//Fragment/Copy as");
    ctx->Yield(2);
    ctx->ItemClick((std::string("//$FOCUSED/") + row.item).c_str());
    ctx->Yield(2);
    const char* text = ImGui::GetClipboardText();
    IM_CHECK(text != nullptr && std::string(text).find(row.holds) != std::string::npos);
  }
}

UI_TEST("fragment", "the_picture_is_saved_in_each_format") {
  start_fragment(ctx);
  show_atom(state(), kS8);
  ctx->Yield(2);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tilescope-pictures-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  for (const char* ending : {"svg", "pdf", "png"}) {
    const std::string file = (folder / ("picture." + std::string(ending))).string();
    ctx->ItemClick("//Fragment/Copy as");
    ctx->Yield(2);
    ctx->ItemClick((std::string("//$FOCUSED/Save picture: ") + ending + "…").c_str());
    ctx->Yield(2);
    ctx->ItemInputValue("//$FOCUSED/##path", file.c_str());
    ctx->Yield(2);
    IM_CHECK(std::filesystem::exists(file) && std::filesystem::file_size(file) > 1000);
  }
  std::filesystem::remove_all(folder);
}

UI_TEST("fragment", "prove_it_asks_the_emulator") {
  start_fragment(ctx);
  for (const char* name : {kS8, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
                           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16"}) {
    show_atom(state(), name);
    state().of<Proofs>().known.erase(name);
    worker::Proof recorded;
    recorded.atom = name, recorded.device = "NVIDIA H200", recorded.date = "2026-11-20";
    recorded.ok = true;
    keep_proof(state().of<Proofs>(), recorded);
    ctx->Yield(2);
    ctx->ItemClick("//Fragment/Prove it");
    for (int i = 0; i < 600 && proofs_of(state().of<Proofs>(), name).size() < 2; ++i)
      ctx->SleepNoSkip(0.05f, 0.05f);
    // The card's proof stands, the emulator's beside it.
    const std::vector<worker::Proof>& proofs = proofs_of(state().of<Proofs>(), name);
    IM_CHECK_EQ(proofs.size(), size_t{2});
    IM_CHECK_STR_EQ(proofs[0].device.c_str(), "NVIDIA H200");
    IM_CHECK_STR_EQ(proofs[1].device.c_str(), "emulator");
    IM_CHECK(proofs[1].ok);
    ctx->Yield(2);
    screenshot(ctx, "fragment_two_proofs");
  }
  show_atom(state(), "");
}

UI_TEST("fragment", "the_wheel_zooms_and_dragging_moves") {
  start_fragment(ctx);
  show_atom(state(), "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16");
  ctx->Yield(2);
  const ImRect box = ctx->ItemInfo("//Fragment/fragment_scene").RectFull;
  ctx->MouseMoveToPos(box.GetCenter());
  for (int i = 0; i < 12; ++i) ctx->MouseWheelY(1);
  ctx->Yield(2);
  screenshot(ctx, "fragment_zoomed");
  ctx->MouseDown(0);
  ctx->MouseMoveToPos({box.GetCenter().x - 60, box.GetCenter().y - 40});
  ctx->MouseUp(0);
  ctx->Yield(2);
  screenshot(ctx, "fragment_moved");
  for (int i = 0; i < 20; ++i) ctx->MouseWheelY(-1);
  ctx->Yield(2);
  show_atom(state(), "");
}

}  // namespace
}  // namespace tilescope::ui_test
