// libraries: tilescope_app tilescope_gui
// What the window costs: from a slider's move to the draw data of the new picture and model, a
// whole frame, a frame with a grid of 10⁶ cells; in the Fragment panel alone: another instruction
// each frame, the widest map, and a field of 4096×4096 cells over the whole window; one state that
// is played, in the layout Explore, and two, in the layout Compare. Needs a
// display: tools/with_display bench_window [WxH [FRAMES [STAGES [FIRST]]]],
// frames of each stage, how many of them and the first, from 0. The program's working folder must
// hold tilescope-cli's folder in its path as tilescope does.
#include <hello_imgui/hello_imgui.h>
#include <imgui.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "app/features/fragment/fragment_view.h"
#include "app/features/tiling/tiling_view.h"
#include "app/kit/cell_layer.h"
#include "app/shell/options.h"
#include "app/shell/shell_state.h"
#include "app/shell/window.h"
#include "app/state/edit.h"
#include "app/state/playback.h"
#include "app/state/second.h"
#include "core/instructions/instructions.h"
#include "viz/scene/cells.h"
#include "viz/scene/fragment/fragment_scene.h"

namespace {

using namespace tilescope;
using Clock = std::chrono::steady_clock;

constexpr int kWarmFrames = 60;
int frames_of_stage = 200, stages_asked = 8, first_stage = 0;

/// Of this thread alone: what a frame costs where other jobs take the cores, too.
double thread_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// Since this process was started; the system keeps its begin in hundredths of a second.
double ms_since_start() {
  std::ifstream stat("/proc/self/stat");
  std::string word;
  std::getline(stat, word, ')');  // the name may hold blanks
  for (int i = 3; i <= 22; ++i) stat >> word;
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  const double began = std::stod(word) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return (static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 - began) * 1e3;
}

struct Series {
  std::vector<double> draw_data, processor, frame;  // ms
  void print(const char* name) {
    std::sort(draw_data.begin(), draw_data.end());
    std::sort(processor.begin(), processor.end());
    std::sort(frame.begin(), frame.end());
    const auto at = [](const std::vector<double>& v, double part) {
      return v.empty() ? 0 : v[static_cast<size_t>(part * static_cast<double>(v.size() - 1))];
    };
    std::printf(
        "%-40s draw data %6.2f ms (p95 %6.2f), of the processor %6.2f ms (p95 %6.2f)   "
        "frame %6.2f ms (p95 %6.2f)   %zu frames\n",
        name, at(draw_data, 0.5), at(draw_data, 0.95), at(processor, 0.5), at(processor, 0.95),
        at(frame, 0.5), at(frame, 0.95), frame.size());
  }
};

/// The stages of the benchmark, a frame at a time.
class Bench {
 public:
  explicit Bench(ShellState& shell) : shell_(shell) {}

  void begin() {
    AppState* state = shell_.context.state;
    begin_ = Clock::now();
    processor_begin_ = thread_ms();
    if (state && count_ == 0) enter(*state);
    if (!state || ++count_ <= kWarmFrames) return;
    if (stage_ == kSlider) move_a_slider(*state);
    if (stage_ == kInstruction) show_any_instruction(*state);
    if (stage_ == kOneState || stage_ == kTwoStates) play(*state);
  }
  void draw_data_done() {
    draw_data_ = Clock::now();
    processor_ = thread_ms() - processor_begin_;
  }
  /// Inside the frame, on top of all panels.
  void draw() {
    if (stage_ == kField) {
      widgets::draw_cells(shell_.context, ImGui::GetForegroundDrawList(), 1, field_,
                          viz::dark_palette(), {0, 0});
    }
  }
  /// True when all is measured.
  bool end() {
    const auto ms = [](auto d) { return std::chrono::duration<double, std::milli>(d).count(); };
    if (count_ > kWarmFrames) {
      series_.draw_data.push_back(ms(draw_data_ - begin_));
      series_.processor.push_back(processor_);
      series_.frame.push_back(ms(Clock::now() - begin_));
    }
    if (count_ < kWarmFrames + frames_of_stage) return false;
    static constexpr const char* kNames[kStages] = {"a frame, nothing changes",
                                                    "a slider moves, mma_multistage",
                                                    "10^6 CTAs in the grid, nothing changes",
                                                    "another instruction each frame",
                                                    "wgmma m64n256k16, nothing changes",
                                                    "a field of 4096x4096 cells over it all",
                                                    "one state, played",
                                                    "two states, played in lock-step"};
    series_.print(kNames[stage_]);
    series_ = {};
    count_ = 0;
    return ++stage_ >= std::min<int>(kStages, first_stage + stages_asked);
  }

 private:
  enum { kStill, kSlider, kMillion, kInstruction, kWidest, kField, kOneState, kTwoStates, kStages };

  /// Before the first frame of a stage.
  void enter(AppState& state) {
    if (stage_ == kMillion) show_a_million(state);
    if (stage_ == kInstruction) shell_.context.commands.request("view.layout.fragment");
    if (stage_ == kWidest) {
      show_atom(state, "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16");
      state.of<FragmentView>().tab = 0;
    }
    if (stage_ == kField) make_field();
    if (stage_ == kOneState) {
      shell_.context.commands.request("view.layout.explore");
      set_edit(state, initial_state().edit);
      state.of<TilingView>().side_by_side = true;
    }
    if (stage_ == kTwoStates) {
      shell_.context.commands.request("view.layout.compare");
      Edit other = state.edit;
      set(other.change_rung().tile, TileFieldId::stages, 2);
      compare_with(state, other, "two stages");
    }
  }
  /// An event on each frame, once all is known of what is played.
  void play(AppState& state) {
    const AppState* b = second_of(state);
    const auto whole = [](const AppState& s) {
      return s.results.timeline && s.results.stage == Stage::done;
    };
    if (!whole(state) || (b && !whole(*b))) {
      count_ = 1;
      series_ = {};
      return;
    }
    const int next = state.playhead.column + 1;
    scrub(state, next < state.results.timeline->columns() ? next : 0);
  }

  void show_any_instruction(AppState& state) {
    const auto& all = model::instructions();
    show_atom(state, all[random_() % all.size()].name);
    state.of<FragmentView>().tab = static_cast<int>(random_() % viz::kFragmentTabs);
  }
  /// Who holds each element of a 4096×4096 C tiled with m16n8k16.
  void make_field() {
    constexpr int kExtent = 4096;
    const MmaAtom atom = mma_m16n8k16_f16_f32();
    const std::vector<uint32_t> one = viz::fragment_cells(atom.c);
    field_.columns = field_.rows = kExtent;
    field_.version = 1;
    field_.box = {0, 0, ImGui::GetIO().DisplaySize.x, ImGui::GetIO().DisplaySize.y};
    field_.cells.resize(static_cast<size_t>(kExtent) * kExtent);
    for (int row = 0; row < kExtent; ++row) {
      for (int col = 0; col < kExtent; ++col) {
        field_.cells[static_cast<size_t>(row) * kExtent + static_cast<size_t>(col)] =
            one[static_cast<size_t>(row % atom.m * atom.n + col % atom.n)];
      }
    }
  }
  void move_a_slider(AppState& state) {
    const Sliders& sliders = state.derived.kernel->sliders;
    for (;;) {  // a legal tile: illegal ones draw less
      const Slider& s = sliders.slider[random_() % static_cast<unsigned>(sliders.count)];
      TileConfig tile = state.edit.rung().tile;
      set(tile, s.field, s.values[random_() % static_cast<unsigned>(s.count)]);
      if (tile == state.edit.rung().tile) continue;
      if (!state.derived.kernel->validate(tile, state.edit.problem, state.limits).legal()) continue;
      set_tile_field(state, s.field, get(tile, s.field), 1);
      return;
    }
  }
  static void show_a_million(AppState& state) {
    set_kernel(state, "naive");
    Problem p = state.edit.problem;
    p.m = 8192, p.n = 1024, p.k = 64;
    set_problem(state, p);
    set_tile_field(state, TileFieldId::block_n, 8);
    set_tile_field(state, TileFieldId::block_m, 8);
    p.n = 8192;
    set_problem(state, p);  // 1024 × 1024 CTAs
    state.of<TilingView>().side_by_side = false;
    select_level(state, 0);
  }

  ShellState& shell_;
  std::mt19937 random_{7};
  viz::CellGrid field_;
  Series series_;
  Clock::time_point begin_, draw_data_;
  double processor_begin_ = 0, processor_ = 0;
  int count_ = 0, stage_ = first_stage;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  options.fresh = true;
  if (argc > 1) std::sscanf(argv[1], "%dx%d", &options.width, &options.height);
  if (argc > 2) frames_of_stage = std::atoi(argv[2]);
  if (argc > 3) stages_asked = std::atoi(argv[3]);
  if (argc > 4) first_stage = std::atoi(argv[4]);
  std::printf("window %d x %d\n", options.width, options.height);
  return run_window(options, [](HelloImGui::RunnerParams& params, ShellState& shell) {
    static Bench bench(shell);
    params.fpsIdling.enableIdling = false;
    params.fpsIdling.vsyncToMonitor = false;
    const auto pre = params.callbacks.PreNewFrame;
    params.callbacks.PreNewFrame = [pre] {
      pre();
      HelloImGui::GetRunnerParams()->fpsIdling.enableIdling = false;
      bench.begin();
    };
    const auto before_render = params.callbacks.BeforeImGuiRender;
    params.callbacks.BeforeImGuiRender = [before_render] {
      if (before_render) before_render();
      bench.draw();
      bench.draw_data_done();
    };
    const auto swap = params.callbacks.BeforeSwap;
    params.callbacks.AfterSwap = [] {
      static bool first = true;
      if (std::exchange(first, false))
        std::printf("start to first picture %.0f ms\n", ms_since_start());
    };
    params.callbacks.BeforeSwap = [swap] {
      if (swap) swap();
      if (bench.end()) HelloImGui::GetRunnerParams()->appShallExit = true;
    };
  });
}
