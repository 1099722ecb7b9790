// A kernel of one's own is opened, its sheet filled as that of a GEMM, run, and its race found.
#include <imgui_internal.h>

#include <filesystem>
#include <fstream>

#include "app/state/edit.h"
#include "app/state/own_sheet.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

constexpr const char* kRacy = R"(#include <iostream>
#define TILE 16
__global__ void racy(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < K / TILE; ++t) {
    a[threadIdx.y][threadIdx.x] = A[row * K + t * TILE + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[(t * TILE + threadIdx.y) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
  }
  C[row * N + col] = sum;
}
int main() {
  float *a, *b, *c;
  const int M = 64, N = 64, K = 64;
  racy<<<dim3(N / TILE, M / TILE), dim3(TILE, TILE)>>>(M, N, K, a, b, c);
  std::cout << "done";
}
)";

std::string written() {
  const auto folder = std::filesystem::temp_directory_path() / "tilescope_own_launch";
  std::filesystem::remove_all(folder);  // a sheet that another run has kept there
  std::filesystem::create_directories(folder);
  std::string file = (folder / "racy.cu").string();
  std::ofstream(file) << kRacy;
  return file;
}

UI_TEST("own_kernel", "a_dropped_file_is_run_as_a_gemm_and_its_race_is_found") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  open_own_kernel(state(), {written(), ""});
  show_panel(ctx, *find_panel("launch"));
  IM_CHECK(eventually(ctx, [ctx] { return ctx->ItemExists("//Launch sheet/###run_own"); }));
  screenshot(ctx, "own_launch_guess");
  // What runs it can be seen, however many parameters stand below.
  ImGuiWindow* sheet = ctx->GetWindowByRef("//Launch sheet");
  IM_CHECK(sheet->InnerRect.Contains(ctx->ItemInfo("//Launch sheet/###run_own").RectFull));
  ctx->ItemClick("//Launch sheet/Fill the sheet");
  ctx->ItemClick("//Launch sheet/###run_own");
  IM_CHECK(eventually(ctx, [] {
    const Results& r = state().results;
    return r.edit_serial == state().edit_serial && r.stage == Stage::done && r.emulated;
  }));
  IM_CHECK(state().edit.own() && !state().edit.own()->sheet.empty());
  bool race = false;
  for (const worker::CodeFinding& f : state().results.findings) {
    race = race || (!f.remark && f.kind == "race" && f.line >= 8 && f.line <= 11);
  }
  IM_CHECK(race);
  IM_CHECK(state().results.emulated->verified.has_value());
  show_panel(ctx, *find_panel("findings"));
  show_panel(ctx, *find_panel("launch"));
  ctx->Yield(2);
  screenshot(ctx, "own_launch_ran");
  run_command(ctx, "edit.undo");  // nothing confirmed: the guess waits again
  IM_CHECK(state().edit.own() && state().edit.own()->sheet.empty());
  run_command(ctx, "edit.undo");
  IM_CHECK(!state().edit.own());
}

}  // namespace
}  // namespace tilescope::ui_test
