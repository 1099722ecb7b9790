// Draws every scene into PNG files to look at: `viz_show_scenes FOLDER`. Not a test.
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>

#include "tests/viz/example_layers.h"
#include "tests/viz/example_states.h"
#include "viz/vector/vector.h"

namespace {

using namespace tilescope;
using namespace tilescope::viz;

double cpu_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

using Build = std::function<Scene(const Palette&, const TextMeasure&, Size)>;

struct NamedSize {
  const char* name;
  Size size;
};
/// As docked in windows of three sizes, then a panel that fills two of them.
using Sizes = std::vector<NamedSize>;
const Sizes kPanels = {
    {"small", {600, 328}}, {"docked", {842, 412}}, {"1280", {1280, 800}}, {"2560", {2560, 1440}}};
const Sizes kFragments = {{"small", {408, 460}},
                          {"docked", {495, 652}},
                          {"half", {530, 340}},
                          {"1280", {1280, 800}},
                          {"2560", {2560, 1440}}};
const Sizes kRooflines = {
    {"small", {150, 200}}, {"docked", {150, 260}}, {"1280", {600, 400}}, {"2560", {2560, 1440}}};
const Sizes kTimelines = {
    {"small", {600, 84}}, {"docked", {842, 116}}, {"1280", {1280, 400}}, {"2560", {2560, 1440}}};

const Sizes kLayers = {
    {"small", {690, 380}}, {"docked", {945, 480}}, {"1280", {1280, 800}}, {"2560", {2560, 1440}}};
const Sizes kLayerTimes = {
    {"small", {1020, 135}}, {"docked", {1340, 190}}, {"1280", {1280, 400}}, {"2560", {2560, 600}}};
const Sizes kScalings = {
    {"small", {300, 390}}, {"docked", {390, 480}}, {"1280", {1280, 800}}, {"2560", {2560, 1440}}};

struct Shot {
  std::string name;
  const Sizes* sizes;
  Build build;
};

Build tiling(TilingState state) {
  return [state](const Palette& p, const TextMeasure& m, Size s) {
    return build_tiling(state, p, m, s);
  };
}
Build fragment(FragmentState state) {
  return [state](const Palette& p, const TextMeasure& m, Size s) {
    return build_fragment(state, p, m, s);
  };
}
TilingState one_level(const std::string& kernel, float level) {
  TilingState state = example_tiling(kernel);
  state.side_by_side = false, state.level = level;
  return state;
}
FragmentState with_tab(const std::string& kernel, FragmentTab tab) {
  FragmentState state = example_fragment(kernel);
  state.tab = tab;
  return state;
}
Pick element_of_c(int row, int col, int lane) {
  Pick pick;
  pick.kind = Pick::Kind::element, pick.matrix = 2;
  pick.row = row, pick.col = col, pick.lane = lane;
  return pick;
}

void add_kernel(std::vector<Shot>& shots, const std::string& kernel) {
  const auto add = [&](const std::string& name, const Sizes& sizes, Build build) {
    shots.push_back({name + "-" + kernel, &sizes, std::move(build)});
  };
  add("tiling", kPanels, tiling(example_tiling(kernel)));
  for (int level = 0; level < 4; ++level) {
    add("level" + std::to_string(level), kPanels,
        tiling(one_level(kernel, static_cast<float>(level))));
  }
  add("camera", kPanels, tiling(one_level(kernel, 1.6f)));
  add("fragment", kFragments, fragment(example_fragment(kernel)));
  add("warp_tile", kFragments, fragment(with_tab(kernel, FragmentTab::warp_tile)));
  if (example_plan(kernel).stages() > 0) {
    add("shared", kFragments, fragment(with_tab(kernel, FragmentTab::shared_memory)));
  }
}

TilingState a_million_tiles() {
  TilingState state = example_tiling("thread_tile_2d");
  state.problem.m = state.problem.n = 128000;
  const KernelEntry& kernel = *find_kernel("thread_tile_2d");
  state.plan = kernel.plan(kernel.sliders.defaults(), state.problem);
  state.side_by_side = false;
  return state;
}

TilingState cut_off_tiles() {
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
  state.hover = element_of_c(800, 2190, 5);
  return state;
}

FragmentState cut_off_fragment() {
  FragmentState state = example_fragment("mma_multistage");
  state.problem.m = 470, state.problem.k = 1129;
  state.hover = element_of_c(466, 667, 8);
  return state;
}

void add_named(std::vector<Shot>& shots, const TimelineIndex& four, const TimelineIndex& many) {
  shots.push_back(
      {"ldmatrix", &kFragments, fragment(with_tab("mma_multistage", FragmentTab::ldmatrix))});
  shots.push_back({"illegal", &kPanels, tiling(example_illegal())});
  shots.push_back(
      {"timeline", &kTimelines, [&four](const Palette& p, const TextMeasure& m, Size s) {
         return build_timeline(example_timeline(four), p, m, s);
       }});
  shots.push_back(
      {"timeline32", &kTimelines, [&many](const Palette& p, const TextMeasure& m, Size s) {
         TimelineState state = example_timeline(many);
         state.legend = true;
         return build_timeline(state, p, m, s);
       }});
  shots.push_back({"million", &kPanels, tiling(a_million_tiles())});
  shots.push_back({"edge-mma", &kPanels, tiling(cut_off_tiles())});
  shots.push_back({"edge-fragment", &kFragments, fragment(cut_off_fragment())});
  shots.push_back({"roofline", &kRooflines, [](const Palette& p, const TextMeasure& m, Size s) {
                     return build_roofline(example_roofline(), p, m, s);
                   }});
}

void add_layers(std::vector<Shot>& shots) {
  for (const workload::LayerKind kind : workload::kLayerKinds) {
    for (const int ranks : {2, 8}) {
      const std::string name = std::string(name_of(kind)) + std::to_string(ranks);
      shots.push_back(
          {"layer-" + name, &kLayers, [=](const Palette& p, const TextMeasure& m, Size s) {
             return build_layer(example_layer_state(kind, ranks), p, m, s);
           }});
      shots.push_back({"layer_timeline-" + name, &kLayerTimes,
                       [=](const Palette& p, const TextMeasure& m, Size s) {
                         const workload::Layer layer = example_layer(kind, ranks);
                         return build_layer_timeline(example_layer_timeline(layer, true), p, m, s);
                       }});
    }
  }
  shots.push_back({"scaling", &kScalings, [](const Palette& p, const TextMeasure& m, Size s) {
                     return build_scaling(example_scaling(), p, m, s);
                   }});
}

void draw(const Shot& shot, const NamedSize& size, bool dark, const std::string& folder) {
  static const CairoMeasure measure;
  const Palette& palette = dark ? dark_palette() : light_palette();
  shot.build(palette, measure, size.size);  // warms the measure
  const double before = cpu_ms();
  const Scene scene = shot.build(palette, measure, size.size);
  const double ms = cpu_ms() - before;
  if (dark) {
    const auto problems = find_text_problems(scene);
    std::printf("%-28s %-7s %6zu primitives %6.2f ms %zu text problems\n", shot.name.c_str(),
                size.name, scene.primitives.size(), ms, problems.size());
    for (size_t i = 0; i < problems.size() && i < 4; ++i)
      std::printf("    %s\n", to_string(problems[i]).c_str());
  }
  std::string error;
  const std::string path =
      folder + "/" + shot.name + "-" + size.name + (dark ? "-dark.png" : "-light.png");
  if (!write_file(scene, path, {}, &error)) std::fprintf(stderr, "%s\n", error.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: viz_show_scenes FOLDER [NAME-PART]\n");
    return 2;
  }
  const std::string folder = argv[1], only = argc > 2 ? argv[2] : "";
  const std::vector<TimelineEvent> events = example_events(), many = example_events(32);
  const TimelineIndex index(events, 4), large(many, 32);
  std::vector<Shot> shots;
  for (const KernelEntry& kernel : kernel_table()) add_kernel(shots, kernel.info.id);
  add_named(shots, index, large);
  add_layers(shots);
  for (const Shot& shot : shots) {
    if (shot.name.find(only) == std::string::npos) continue;
    for (const NamedSize& size : *shot.sizes) {
      for (const bool dark : {true, false}) draw(shot, size, dark, folder);
    }
  }
  return 0;
}
