// The two witnesses: what the model derives from the layout functions is what the emulator counts
// when it runs the kernel's own PTX, to the last sector and wavefront.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "core/model/names.h"
#include "core/model/traffic.h"
#include "tests/every_kernel.h"
#include "worker/engine/compile/compiler.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/service.h"

namespace tilescope::model {
namespace {

using worker::CountedTraffic;

struct Case {
  const KernelEntry* kernel = nullptr;
  TileConfig tile;
  Problem problem;

  std::string text() const {
    return std::string(kernel->info.id) + " " + tile_text(tile, kernel->sliders) + " " +
           std::to_string(problem.m) + "x" + std::to_string(problem.n) + "x" +
           std::to_string(problem.k) + " " + layout_letters(problem) + " beta " +
           std::to_string(problem.beta);
  }
};

CountedTraffic emulated(const Case& c) {
  const worker::KernelRequest request{c.kernel->info.id, c.tile, c.problem};
  const auto compiled = worker::Compiler::shared().compile(request, worker::kDefaultArch);
  worker::EmulateOptions options;
  options.scope = worker::EmulateOptions::Scope::whole;
  options.verify = false;
  return worker::emulate(request, *c.kernel, compiled->result.ptx, options).counted;
}

void expect_same(const GlobalSum& model, const CountedTraffic::Global& counted, const char* what) {
  EXPECT_EQ(model.requests, counted.requests) << what;
  EXPECT_EQ(model.sectors, counted.sectors) << what;
  EXPECT_EQ(model.bytes, counted.bytes) << what;
}
void expect_same(const SharedSum& model, const CountedTraffic::Shared& counted, const char* what) {
  EXPECT_EQ(model.requests, counted.requests) << what;
  EXPECT_EQ(model.wavefronts, counted.wavefronts) << what;
  EXPECT_EQ(model.ideal, counted.ideal) << what;
  EXPECT_EQ(model.bytes, counted.bytes) << what;
}
/// Of plain vector loads the compiler sometimes splits one of 16 bytes (4 + 8 + 4): the same bytes,
/// an instruction or two more, and perhaps conflicts that the source has not.
void expect_nearly(const SharedSum& model, const CountedTraffic::Shared& counted,
                   const char* what) {
  EXPECT_EQ(model.bytes, counted.bytes) << what;
  EXPECT_LE(model.wavefronts, counted.wavefronts) << what;
  EXPECT_GE(static_cast<double>(model.wavefronts) * 1.25, static_cast<double>(counted.wavefronts))
      << what;
}

void check(const Case& c, bool loads_as_written = true) {
  SCOPED_TRACE(c.text());
  const Counts model = count(c.kernel->plan(c.tile, c.problem), c.problem);
  CountedTraffic counted;
  try {
    counted = emulated(c);
  } catch (const worker::RpcError& error) {
    if (error.exit_code == 3) GTEST_SKIP() << error.message;
    FAIL() << error.message;
  }
  EXPECT_EQ(model.ctas, counted.ctas);
  EXPECT_EQ(model.mma, counted.mma);
  expect_same(model.global_load(), counted.global_load, "global loads");
  expect_same(model.global_store(), counted.global_store, "global stores");
  if (loads_as_written) {
    expect_same(model.shared_load, counted.shared_load, "shared loads");
  } else {
    expect_nearly(model.shared_load, counted.shared_load, "shared loads");
  }
  expect_same(model.shared_store, counted.shared_store, "shared stores");
  expect_same(model.shared_copy, counted.shared_copy, "cp.async to shared");
}

Case make(const char* id, int m, int n, int k, float beta = 0) {
  Case c;
  c.kernel = find_kernel(id);
  c.tile = c.kernel->sliders.defaults();
  c.problem = default_problem(c.kernel->info);
  c.problem.m = m, c.problem.n = n, c.problem.k = k, c.problem.beta = beta;
  return c;
}

TEST(ModelEqualsEmulator, WholeTiles) {
  for (const char* id : kernel_ids()) {
    check(make(id, 256, 256, 256));
    check(make(id, 256, 256, 256, 1));
  }
}

TEST(ModelEqualsEmulator, CutOffTiles) {
  for (const char* id : kernel_ids()) {
    check(make(id, 200, 136, 72));
    check(make(id, 200, 136, 72, 1));
  }
}

TEST(ModelEqualsEmulator, OddExtents) {
  for (const char* id : kernel_ids()) {
    check(make(id, 131, 129, 67));
    check(make(id, 130, 130, 66, 1));
  }
}

// ncu counted so on an H200, 2026-11-22 (docs/performance.md).
TEST(ModelEqualsEmulator, WmmaReadsItsFragmentsInEachLayoutAsACardDoes) {
  Case c = make("wmma", 256, 256, 256);
  for (const int layout : {kNN, kNT, kTN, kTT}) {
    set_layout(c.problem, layout);
    EXPECT_EQ(count(c.kernel->plan(c.tile, c.problem), c.problem).shared_load.wavefronts, 10240);
    check(c);
  }
}

TEST(ModelEqualsEmulator, EachLayout) {
  for (const KernelEntry& kernel : kernel_table()) {
    for (const Problem& problem : problems_in_each_layout(kernel)) {
      Case c = make(kernel.info.id, 136, 132, 40);
      c.problem = problem;
      c.problem.m = 136, c.problem.n = 132, c.problem.k = 40;
      check(c);
    }
  }
}

/// TILESCOPE_RANDOM_CASES asks for more than a push should wait for.
int random_cases() {
  const char* wanted = std::getenv("TILESCOPE_RANDOM_CASES");
  return wanted ? std::max(1, std::atoi(wanted)) : 6;
}

TEST(ModelEqualsEmulator, RandomTiles) {
  const int cases = random_cases();
  for (const char* id : kernel_ids()) {
    const KernelEntry& kernel = *find_kernel(id);
    int done = 0;
    for (unsigned seed = 1; done < cases && seed < 100000u; ++seed) {
      unsigned state = seed * 2654435761u;
      const auto next = [&](unsigned below) {
        state = state * 1664525u + 1013904223u;
        return static_cast<int>((state >> 8) % below);
      };
      Case c = make(id, 1 + next(300), 1 + next(300), 1 + next(150), next(2) ? 0.5f : 0.0f);
      if (next(2)) c.problem.n = c.problem.n / 8 * 8 + 8, c.problem.k = c.problem.k / 8 * 8 + 8;
      const int layouts[] = {kNN, kNT, kTN, kTT};
      const int layout = layouts[next(4)];
      if (kernel.info.layouts & layout) set_layout(c.problem, layout);
      for (int i = 0; i < kernel.sliders.count; ++i) {
        const Slider& slider = kernel.sliders.slider[i];
        set(c.tile, slider.field, slider.values[next(static_cast<unsigned>(slider.count))]);
      }
      if (!kernel.validate(c.tile, c.problem, DeviceLimits{}).legal()) continue;
      check(c, c.kernel->plan(c.tile, c.problem).math() == Math::mma);
      ++done;
    }
    EXPECT_EQ(done, cases);
  }
}

}  // namespace
}  // namespace tilescope::model
