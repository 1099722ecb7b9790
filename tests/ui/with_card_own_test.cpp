// A kernel of one's own on a machine with a card: measured once the emulator has run it, and never
// shown with a figure of another sheet, file or device.
#include <filesystem>
#include <fstream>

#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/present.h"
#include "tests/ui/ui_test.h"
#include "worker/messages/findings.h"

namespace tilescope::ui_test {
namespace {

std::string gemm_file(const char* entry, const char* factor) {
  const auto folder = std::filesystem::temp_directory_path() / "tilescope_own_on_card";
  std::filesystem::create_directories(folder);
  const std::string file = (folder / (std::string(entry) + ".cu")).string();
  std::ofstream(file) << "extern \"C\" __global__ void " << entry
                      << "(int M, int N, int K, const float* A, const float* B, float* C) {\n"
                         "  const int row = blockIdx.y * 16 + threadIdx.y;\n"
                         "  const int col = blockIdx.x * 16 + threadIdx.x;\n"
                         "  float sum = 0;\n"
                         "  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];\n"
                         "  C[row * N + col] = "
                      << factor << " * sum;\n}\n";
  return file;
}

std::string gemm_sheet(const char* entry, int k) {
  const std::string text = std::to_string(k);
  return std::string("{\"entry\": \"") + entry +
         "\", \"grid\": [4, 4, 1], \"block\": [16, 16, 1], \"args\": [\"i32:64\", \"i32:64\", "
         "\"i32:" +
         text + "\", \"buf:f32:64x" + text + ":random:in\", \"buf:f32:" + text +
         "x64:random:in\", \"buf:f32:64x64:zeros:out\"], \"gemm\": {\"a\": 3, \"b\": 4, \"c\": 5, "
         "\"m\": 64, \"n\": 64, \"k\": " +
         text + "}}";
}

bool is_done() { return state().results.stage == Stage::done && trust_of(state()) == Trust::whole; }
bool is_measured() {
  const Results& r = present_results(state());
  return is_done() && r.measured && r.measured->final;
}

UI_TEST("with_card", "a_kernel_of_ones_own_is_measured") {
  reset_layout(ctx);
  const std::string file = gemm_file("own_gemm", "1");
  open_own_kernel(state(), {file, gemm_sheet("own_gemm", 64)});
  IM_CHECK(eventually(ctx, is_measured));
  IM_CHECK(*state().results.measured->tflops > 0);
  IM_CHECK(state().results.measured->verified->ok);
  IM_CHECK(state().results.emulated->verified->ok);
  IM_CHECK(state().results.compile->registers > 0);
  const HistoryPoint point = point_of(state());
  IM_CHECK(point.standing == Standing::measured);
  IM_CHECK(point.verified);
  IM_CHECK_STR_EQ(point.label.c_str(), "own_gemm.cu");
  IM_CHECK_STR_EQ(point.size.c_str(), "64×64×64");
  IM_CHECK_EQ(shown_history(state()).size(), 1u);
  show_panel(ctx, *find_panel("benchmark"));
  ctx->Yield(2);
  screenshot(ctx, "own_measured");
  show_panel(ctx, *find_panel("launch"));
  ctx->Yield(2);
  screenshot(ctx, "own_measured_sheet");

  // Another sheet: the figure is gone at once, and so is its history, which is of another size.
  open_own_kernel(state(), {file, gemm_sheet("own_gemm", 32)});
  IM_CHECK(!present_results(state()).measured);
  IM_CHECK(eventually(ctx, is_measured));
  IM_CHECK_EQ(shown_history(state()).size(), 1u);
  IM_CHECK_STR_EQ(shown_history(state())[0]->size.c_str(), "64×64×32");

  // The file is saved, and wrong now.
  const std::string revision = state().results.compile->revision;
  gemm_file("own_gemm", "2");
  IM_CHECK(eventually(ctx, [&] {
    const auto& compile = present_results(state()).compile;
    return compile && compile->revision != revision && is_done();
  }));
  IM_CHECK(eventually(ctx, is_measured));
  IM_CHECK(!state().results.measured->verified->ok);
  IM_CHECK(!state().results.measured->tflops.has_value());
  IM_CHECK(!point_of(state()).verified);
  IM_CHECK_EQ(shown_history(state()).size(), 1u);  // what stood in the file before
  IM_CHECK(!is_of_present(state(), *shown_history(state())[0]));
  ctx->Yield(2);
  screenshot(ctx, "own_measured_wrong");
  gemm_file("own_gemm", "1");
  IM_CHECK(eventually(ctx, [] { return is_measured() && state().results.measured->tflops; }));
  IM_CHECK_EQ(shown_history(state()).size(), 1u);
  IM_CHECK(is_of_present(state(), *shown_history(state())[0]));

  // What the emulator sees fault is not launched on the card.
  open_own_kernel(state(), {gemm_file("own_far", "A[1 << 24]"), gemm_sheet("own_far", 64)});
  IM_CHECK(eventually(ctx, [] { return is_done() && !shell().model->busy(); }));
  IM_CHECK(worker::first_error(state().results.findings) != nullptr);
  IM_CHECK(!state().results.measured);
  open_own_kernel(state(), {file, gemm_sheet("own_gemm", 32)});
  IM_CHECK(eventually(ctx, is_measured));

  // Without a card: what the emulator says alone.
  choose_device(state(), kEmulator);
  ctx->Yield(2);
  IM_CHECK(!present_results(state()).measured);
  IM_CHECK(point_of(state()).standing == Standing::emulated);
  IM_CHECK(shown_history(state()).empty());
  show_panel(ctx, *find_panel("benchmark"));
  ctx->Yield(2);
  screenshot(ctx, "own_not_measured");
  choose_device(state(), "cuda:0");
  IM_CHECK(eventually(ctx, is_measured));

  // Back on the ladder nothing of it is left.
  leave_own_kernel(state());
  IM_CHECK(!present_results(state()).measured);
  IM_CHECK(eventually(ctx, is_measured));
  for (const HistoryPoint* p : shown_history(state())) IM_CHECK(!p->edit.own());
}

UI_TEST("with_hang", "an_own_kernel_that_never_ends_is_stopped_by_hand_and_by_the_limit") {
  reset_layout(ctx);
  open_own_kernel(state(), {gemm_file("own_hangs", "1"), gemm_sheet("own_hangs", 64)});
  IM_CHECK(eventually(ctx, [] {
    return state().results.stage == Stage::measuring && trust_of(state()) == Trust::whole;
  }));
  run_command(ctx, "run.stop");
  ctx->Yield(2);
  IM_CHECK(state().results.stage == Stage::idle);
  IM_CHECK(!shell().model->busy());
  IM_CHECK(!state().results.measured);
  run_command(ctx, "run.again");
  IM_CHECK(eventually(ctx, [] { return state().results.stage == Stage::failed; }));
  IM_CHECK(state().results.error.find("own_hangs was not done after 2 s") != std::string::npos);
  IM_CHECK(state().results.emulated && state().results.emulated->verified->ok);
  show_panel(ctx, *find_panel("benchmark"));
  ctx->Yield(4);
  screenshot(ctx, "own_hang");
  leave_own_kernel(state());
}

}  // namespace
}  // namespace tilescope::ui_test
