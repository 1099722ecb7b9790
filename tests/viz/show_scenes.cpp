// Draws every scene into PNG files to look at: `viz_show_scenes FOLDER`. Not a test.
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>

#include "tests/viz/example_states.h"
#include "viz/vector/vector.h"

namespace {

using namespace tilescope;
using namespace tilescope::viz;

double cpu_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Shot {
  const char* name;
  std::function<Scene(const Palette&, const TextMeasure&, Size)> build;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: viz_show_scenes FOLDER [NAME-PART]\n");
    return 2;
  }
  const std::string folder = argv[1], only = argc > 2 ? argv[2] : "";
  std::vector<Shot> shots;
  for (const char* kernel : {"naive", "thread_tile_2d", "mma_multistage"}) {
    const std::string k = kernel;
    const auto add = [&](const std::string& name, auto build) {
      shots.push_back({strdup((name + "-" + k).c_str()), build});
    };
    add("tiling", [k](const Palette& p, const TextMeasure& m, Size s) {
      return build_tiling(example_tiling(k), p, m, s);
    });
    for (int level = 0; level < 4; ++level) {
      add("level" + std::to_string(level),
          [k, level](const Palette& p, const TextMeasure& m, Size s) {
            TilingState state = example_tiling(k);
            state.side_by_side = false, state.level = static_cast<float>(level);
            return build_tiling(state, p, m, s);
          });
    }
    add("camera", [k](const Palette& p, const TextMeasure& m, Size s) {
      TilingState state = example_tiling(k);
      state.side_by_side = false, state.level = 1.6f;
      return build_tiling(state, p, m, s);
    });
    add("fragment", [k](const Palette& p, const TextMeasure& m, Size s) {
      return build_fragment(example_fragment(k), p, m, s);
    });
    add("warp_tile", [k](const Palette& p, const TextMeasure& m, Size s) {
      FragmentState state = example_fragment(k);
      state.tab = FragmentTab::warp_tile;
      return build_fragment(state, p, m, s);
    });
    if (k != "naive") {
      add("shared", [k](const Palette& p, const TextMeasure& m, Size s) {
        FragmentState state = example_fragment(k);
        state.tab = FragmentTab::shared_memory;
        return build_fragment(state, p, m, s);
      });
    }
  }
  shots.push_back({"ldmatrix", [](const Palette& p, const TextMeasure& m, Size s) {
                     FragmentState state = example_fragment("mma_multistage");
                     state.tab = FragmentTab::ldmatrix;
                     return build_fragment(state, p, m, s);
                   }});
  shots.push_back({"illegal", [](const Palette& p, const TextMeasure& m, Size s) {
                     return build_tiling(example_illegal(), p, m, s);
                   }});
  const std::vector<TimelineEvent> events = example_events(), many = example_events(32);
  const TimelineIndex index(events, 4), large(many, 32);
  shots.push_back({"timeline", [&](const Palette& p, const TextMeasure& m, Size s) {
                     return build_timeline(example_timeline(index), p, m, s);
                   }});
  shots.push_back({"timeline32", [&](const Palette& p, const TextMeasure& m, Size s) {
                     TimelineState state = example_timeline(large);
                     state.legend = true;
                     return build_timeline(state, p, m, s);
                   }});
  shots.push_back({"million", [](const Palette& p, const TextMeasure& m, Size s) {
                     TilingState state = example_tiling("thread_tile_2d");
                     state.problem.m = state.problem.n = 128000;
                     const KernelEntry& kernel = *find_kernel("thread_tile_2d");
                     state.plan = kernel.plan(kernel.sliders.defaults(), state.problem);
                     state.side_by_side = false;
                     return build_tiling(state, p, m, s);
                   }});
  shots.push_back({"edge-mma", [](const Palette& p, const TextMeasure& m, Size s) {
                     TilingState state = example_tiling("mma_multistage");
                     state.problem.m = 1000, state.problem.n = 2200, state.problem.k = 300;
                     const KernelEntry& kernel = *find_kernel("mma_multistage");
                     TileConfig tile = kernel.sliders.defaults();
                     tile.block_m = 256, tile.block_n = 64, tile.warp_n = 32, tile.block_k = 32;
                     tile.stages = 5;
                     state.plan = kernel.plan(tile, state.problem);
                     state.stages.clear();
                     state.ctas_per_wave = 0;
                     state.mma_progress.clear();
                     state.selection.cta = {3, 34};
                     Pick hover;
                     hover.kind = Pick::Kind::element, hover.matrix = 2, hover.row = 800,
                     hover.col = 2190;
                     hover.lane = 5;
                     state.hover = hover;
                     return build_tiling(state, p, m, s);
                   }});
  shots.push_back({"edge-fragment", [](const Palette& p, const TextMeasure& m, Size s) {
                     FragmentState state = example_fragment("mma_multistage");
                     state.problem.m = 470, state.problem.k = 1129;
                     Pick hover;
                     hover.kind = Pick::Kind::element, hover.matrix = 2, hover.row = 466,
                     hover.col = 667;
                     hover.lane = 8;
                     state.hover = hover;
                     return build_fragment(state, p, m, s);
                   }});
  shots.push_back({"roofline", [](const Palette& p, const TextMeasure& m, Size s) {
                     return build_roofline(example_roofline(), p, m, s);
                   }});
  const CairoMeasure measure;
  struct Named {
    const char* name;
    Size size;
  };
  // As docked in windows of three sizes, then a panel that fills two of them.
  const std::vector<Named> sizes = {
      {"small", {600, 328}}, {"docked", {842, 412}}, {"1280", {1280, 800}}, {"2560", {2560, 1440}}};
  const std::vector<Named> fragments = {{"small", {408, 460}},
                                        {"docked", {495, 652}},
                                        {"half", {530, 340}},
                                        {"1280", {1280, 800}},
                                        {"2560", {2560, 1440}}};
  const std::vector<Named> rooflines = {
      {"small", {150, 200}}, {"docked", {150, 260}}, {"1280", {600, 400}}, {"2560", {2560, 1440}}};
  const std::vector<Named> timelines = {
      {"small", {600, 84}}, {"docked", {842, 116}}, {"1280", {1280, 400}}, {"2560", {2560, 1440}}};
  for (const Shot& shot : shots) {
    if (!only.empty() && std::string(shot.name).find(only) == std::string::npos) continue;
    const bool tall = std::strstr(shot.name, "fragment") || std::strstr(shot.name, "warp_tile") ||
                      std::strstr(shot.name, "ldmatrix") || std::strstr(shot.name, "shared");
    const bool flat = std::strstr(shot.name, "timeline") != nullptr;
    const bool roof = std::strstr(shot.name, "roofline") != nullptr;
    for (const Named& size : roof ? rooflines : flat ? timelines : tall ? fragments : sizes) {
      for (const bool dark : {true, false}) {
        const Palette& palette = dark ? dark_palette() : light_palette();
        shot.build(palette, measure, size.size);  // warms the measure
        const double before = cpu_ms();
        const Scene scene = shot.build(palette, measure, size.size);
        const double ms = cpu_ms() - before;
        const auto problems = find_text_problems(scene);
        if (dark)
          std::printf("%-28s %-7s %6zu primitives %6.2f ms %zu text problems\n", shot.name,
                      size.name, scene.primitives.size(), ms, problems.size());
        for (size_t i = 0; dark && i < problems.size() && i < 4; ++i)
          std::printf("    %s\n", to_string(problems[i]).c_str());
        std::string error;
        const std::string path =
            folder + "/" + shot.name + "-" + size.name + (dark ? "-dark.png" : "-light.png");
        if (!write_file(scene, path, {}, &error)) std::fprintf(stderr, "%s\n", error.c_str());
      }
    }
  }
  return 0;
}
