// What is looked at, as a command line.
#include "app/state/command_line.h"

#include <gtest/gtest.h>

#include "app/state/edit.h"
#include "tests/every_kernel.h"

namespace tilescope {
namespace {

TEST(CommandLine, NamesKernelTileAndProblem) {
  AppState state = initial_state();
  set_kernel(state, "mma_sync");
  Problem p = state.edit.problem;
  p.m = 128, p.n = 256, p.k = 64, p.beta = 0.5f;
  set_problem(state, p);
  const std::string line = command_line_of(state);
  EXPECT_TRUE(
      line.starts_with("tilescope-cli bench --kernel mma_sync --size 128x256x64 --layout TN "
                       "--types f16,f16,f32 --beta 0.5 --tile block_m="))
      << line;
  EXPECT_EQ(line.find("--device"), std::string::npos);
  state.device = "recorded:NVIDIA H200";
  EXPECT_TRUE(command_line_of(state).ends_with(" --device 'recorded:NVIDIA H200'"));
  state.device = "cuda:1";
  EXPECT_TRUE(command_line_of(state).ends_with(" --device cuda:1"));
}

TEST(CommandLine, EachRungHasAllItsSliders) {
  AppState state = initial_state();
  for (const KernelEntry& kernel : kernel_table()) {
    set_kernel(state, kernel.info.id);
    const std::string line = command_line_of(state);
    for (int i = 0; i < kernel.sliders.count; ++i) {
      const Slider& slider = kernel.sliders.slider[i];
      for (const TileField& field : kTileFields) {
        if (field.id != slider.field) continue;
        const std::string word =
            std::string(field.name) + "=" + std::to_string(get(state.edit.rung().tile, field.id));
        EXPECT_NE(line.find(word), std::string::npos) << line;
      }
    }
  }
}

TEST(CommandLine, AFileIsAWordWhateverItsName) {
  AppState state = initial_state();
  open_own_kernel(state, {"/tmp/my kernels/it's.cu", ""});
  EXPECT_EQ(command_line_of(state), "tilescope-cli bench --cu '/tmp/my kernels/it'\\''s.cu'");
  EXPECT_EQ(shell_word("a=b,c"), "a=b,c");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("$HOME"), "'$HOME'");
}

}  // namespace
}  // namespace tilescope
