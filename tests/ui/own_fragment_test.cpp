// Fragment of a kernel of one's own: the mma that it has executed, its lanes, and where values came
// from; of a kernel without one a sentence.
#include <imgui_internal.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "app/features/fragment/executed_mma.h"
#include "app/features/fragment/fragment_view.h"
#include "app/features/step/step_words.h"
#include "app/state/edit.h"
#include "app/state/origin_elements.h"
#include "app/state/own_sheet.h"
#include "app/state/present_launch.h"
#include "app/state/stepped.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

constexpr const char* kOneTile = R"(#include <cuda_fp16.h>
__global__ void tile(const half* a, const half* b, float* c) {
  const int lane = threadIdx.x, row = lane / 4, col = lane % 4;
  __shared__ unsigned rows[128];
  for (int i = lane; i < 128; i += 32) rows[i] = reinterpret_cast<const unsigned*>(a)[i];
  __syncthreads();
  const unsigned* b32 = reinterpret_cast<const unsigned*>(b);
  const unsigned a0 = rows[row * 8 + col], a1 = rows[(row + 8) * 8 + col];
  const unsigned a2 = rows[row * 8 + col + 4], a3 = rows[(row + 8) * 8 + col + 4];
  const unsigned b0 = b32[row * 8 + col], b1 = b32[row * 8 + col + 4];
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  c[row * 8 + 2 * col] = d0, c[row * 8 + 2 * col + 1] = d1;
  c[(row + 8) * 8 + 2 * col] = d2, c[(row + 8) * 8 + 2 * col + 1] = d3;
}
int main() { tile<<<1, 32>>>(0, 0, 0); }
)";

bool tile_steps(ImGuiTestContext* ctx) {
  const bool done = eventually(ctx, [] {
    const StepView& view = state().of<StepView>();
    return step_answer(state()) && !view.running && view.wishes.empty();
  });
  ctx->Yield(2);
  return done;
}

UI_TEST("own_fragment", "is_the_mma_that_was_executed") {
  const auto folder = std::filesystem::temp_directory_path() / "tilescope_own_fragment";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "tile.cu").string();
  std::ofstream(file) << kOneTile;
  show_atom(state(), "");
  end_stepping(state());
  run_command(ctx, "view.layout.step");
  run_command(ctx, "view.reset_layout");
  open_own_kernel(state(), {file, ""});
  show_panel(ctx, *find_panel("fragment"));
  show_panel(ctx, *find_panel("shared_memory"));
  ctx->Yield(3);
  IM_CHECK(!executed_mma(state()));
  screenshot(ctx, "own_fragment_nothing");
  take_kept_sheet(state(), R"({"entry": "tile", "grid": [1,1,1], "block": [32,1,1],
      "args": ["buf:f16:16x16:random:in", "buf:f16:8x16:random:in", "buf:f32:16x8:zeros:out"]})");
  IM_CHECK(tile_steps(ctx));
  IM_CHECK(eventually(ctx, [] { return state().results.trace != nullptr; }));
  step_until(state(), "event:mma", false);
  IM_CHECK(tile_steps(ctx));
  auto mma = executed_mma(state());
  IM_CHECK_SILENT(mma && mma->instruction);
  IM_CHECK(mma->is_next);
  IM_CHECK_STR_EQ(mma->instruction->name.c_str(),
                  "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  run_command(ctx, "step.instruction");
  IM_CHECK(tile_steps(ctx));
  mma = executed_mma(state());
  IM_CHECK_SILENT(mma.has_value());
  IM_CHECK(!mma->is_next && !mma->comes_later);
  IM_CHECK_GT(mma->line, 0);
  screenshot(ctx, "own_fragment");
  run_command(ctx, "view.theme.light");
  ctx->Yield(2);
  screenshot(ctx, "own_fragment_light");
  run_command(ctx, "view.theme.dark");
  ctx->Yield(2);
  // The pointer rests on a word of shared memory: who wrote it, and what it was made of.
  const ImGuiWindow* words = nullptr;
  for (const ImGuiWindow* w : ImGui::GetCurrentContext()->Windows) {
    if (w->Active && std::strstr(w->Name, "##shared")) words = w;
  }
  IM_CHECK_SILENT(words != nullptr);
  ctx->MouseMoveToPos({words->InnerRect.GetCenter().x, words->InnerRect.Min.y + 6});
  IM_CHECK(eventually(ctx, [] {
    const Origins& o = state().origins;
    return o.asked && o.asked->what == "shared" && !o.running && (o.answer || !o.error.empty());
  }));
  IM_CHECK_STR_EQ(state().origins.error.c_str(), "");
  ctx->Yield(2);
  screenshot(ctx, "own_shared_origin");
  ctx->MouseClick();
  ctx->Yield(3);
  screenshot(ctx, "own_shared_popup");
  ctx->KeyPress(ImGuiKey_Escape);
  // The pointer rests on a value of A: it came from the buffer a, by way of shared memory.
  const ImGuiWindow* panel = ImGui::FindWindowByName("Fragment");
  IM_CHECK_SILENT(panel != nullptr);
  const ImRect room = panel->InnerRect;
  ctx->MouseMoveToPos({room.Min.x + 0.3f * room.GetWidth(), room.Min.y + 0.72f * room.GetHeight()});
  IM_CHECK(eventually(ctx, [] {
    const Origins& o = state().origins;
    return o.asked && o.asked->what == "register" && !o.running && (o.answer || !o.error.empty());
  }));
  IM_CHECK_STR_EQ(state().origins.error.c_str(), "");
  const std::vector<OriginElements> made_of = origin_elements(state(), *state().origins.answer);
  IM_CHECK_SILENT(!made_of.empty());
  IM_CHECK(made_of[0].words.starts_with("a["));
  screenshot(ctx, "own_fragment_origin");
  // A click offers the way to where it was read: the copy into shared memory.
  ctx->MouseClick();
  ctx->ItemClick(("//$FOCUSED/###" + made_of[0].motion).c_str());
  IM_CHECK(tile_steps(ctx));
  IM_CHECK(stepped(state()) && step_answer(state())->state.place.opcode.starts_with("ld.global"));
  leave_own_kernel(state());
  end_stepping(state());
  reset_layout(ctx);
}

}  // namespace
}  // namespace tilescope::ui_test
