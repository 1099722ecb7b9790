// libraries: tilescope_app tilescope_gui tilescope_worker_engine
// What Access costs with matrices of 4096×4096 elements, every one of them touched: a transpose of
// one's own, all of its CTAs. First the run that writes the accesses down, then frames of the whole
// window with the panel in front: nothing changes; the pointer moves; the colours change; the
// window of a matrix moves; the brush moves over a hundredth of the moments, and over a half.
// Needs a display: tools/with_display bench_access [WxH [FRAMES]].
#include <hello_imgui/hello_imgui.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "app/features/access/access_view.h"
#include "app/shell/options.h"
#include "app/shell/shell_state.h"
#include "app/shell/window.h"
#include "app/state/edit.h"
#include "worker/engine/access/accesses.h"

namespace {

using namespace tilescope;
using Clock = std::chrono::steady_clock;

constexpr int kWarmFrames = 90, kExtent = 4096;
int frames_of_stage = 200;

constexpr const char* kTurn = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry turn(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<12>;
  .reg .f32 %f<2>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ctaid.y;
  mad.lo.u32 %r5, %r3, 32, %r1;
  mad.lo.u32 %r6, %r4, 32, %r2;
  mad.lo.u32 %r7, %r6, 4096, %r5;
  mad.lo.u32 %r8, %r5, 4096, %r6;
  mul.wide.u32 %rd3, %r7, 4;
  mul.wide.u32 %rd4, %r8, 4;
  add.s64 %rd5, %rd1, %rd3;
  add.s64 %rd6, %rd2, %rd4;
  ld.global.f32 %f1, [%rd5];
  st.global.f32 [%rd6], %f1;
  ret;
}
)";

worker::LaunchRequest turn() {
  worker::LaunchRequest launch;
  launch.ptx = kTurn;
  launch.sheet.emplace();
  launch.sheet->entry = "turn";
  launch.sheet->grid = {kExtent / 32, kExtent / 32, 1};
  launch.sheet->block = {32, 32, 1};
  launch.sheet->args = {"buf:f32:4096x4096:zeros:in", "buf:f32:4096x4096:zeros:out"};
  launch.names = {"in", "out"};
  return launch;
}

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double thread_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

class AccessBench {
 public:
  explicit AccessBench(ShellState& shell) : shell_(shell) {}

  void begin() {
    AppState* state = shell_.context.state;
    if (state) {
      ++count_;
      hold(*state);
      if (count_ > kWarmFrames) change(*state);
    }
    begin_ = Clock::now(), thread_begin_ = thread_ms();
  }
  /// True when all is measured.
  bool end() {
    if (count_ > kWarmFrames) {
      frames_.push_back(ms_since(begin_));
      thread_.push_back(thread_ms() - thread_begin_);
    }
    if (count_ < kWarmFrames + frames_of_stage) return false;
    static constexpr const char* kNames[] = {"nothing changes",          "the pointer moves",
                                             "other colours each frame", "the window moves",
                                             "the brush moves, 1 %",     "the brush moves, 50 %"};
    std::ranges::sort(frames_), std::ranges::sort(thread_);
    const auto at = [](const std::vector<double>& v, double part) {
      return v[static_cast<size_t>(part * static_cast<double>(v.size() - 1))];
    };
    std::printf("%-28s frame %6.2f ms (p95 %6.2f), of its thread %6.2f ms (p95 %6.2f)\n",
                kNames[stage_], at(frames_, 0.5), at(frames_, 0.95), at(thread_, 0.5),
                at(thread_, 0.95));
    frames_.clear(), thread_.clear();
    count_ = 0;
    return ++stage_ == static_cast<int>(std::size(kNames));
  }

 private:
  /// The launch has no file: what opens files has nothing to say after its first word.
  void hold(AppState& state) {
    AccessView& view = state.of<AccessView>();
    if (!state.edit.own()) open_own_kernel(state, {"/no/such/turn.ptx", "{}"});
    if (auto* panel = HelloImGui::GetRunnerParams()->dockingParams.dockableWindowOfName("Access")) {
      panel->isVisible = true;
      panel->focusWindowAtNextFrame = count_ == kWarmFrames / 3;
    }
    if (count_ != kWarmFrames / 2 || stage_ > 0) return;
    confirm_launch(state, turn());
    view.whole_grid = true;
    const auto begin = Clock::now();
    worker::AccessAnswer answer = worker::accesses_of_launch(turn(), {.whole_grid = true});
    std::printf("run and written down in %.0f ms: %zu accesses of warps\n", ms_since(begin),
                answer.records.size());
    const auto taken = Clock::now();
    take_accesses(view, access_question(state).value(), std::move(answer));
    std::printf("taken in in %.0f ms\n", ms_since(taken));
  }

  void change(AppState& state) {
    AccessView& view = state.of<AccessView>();
    const auto data = present_accesses(state);
    if (!data) std::printf("the accesses are gone\n"), std::exit(1);
    const auto moments = data->answer.moments;
    const auto step = static_cast<uint32_t>(count_);
    switch (stage_) {
      case 1:
        view.hovered = AccessElement{step % 2, step * 37 % kExtent, step * 91 % kExtent};
        break;
      case 2:
        view.mode = count_ % 2;
        break;
      case 3:
        view.windows[step % 2] = AccessWindow{step, step, kExtent / 2, kExtent / 2};
        break;
      case 4:
        view.windows.assign(view.windows.size(), std::nullopt);
        brush_part(state, *data, std::max(1u, moments / 100));
        break;
      case 5:
        brush_part(state, *data, moments / 2);
        break;
      default:
        break;
    }
  }
  void brush_part(AppState& state, const AccessData& data, uint32_t length) const {
    const uint32_t moments = data.answer.moments;
    const uint32_t from = static_cast<uint32_t>(count_) % std::max(1u, moments - length);
    brush(state, span_of_moments(data, from, from + length));
  }

  ShellState& shell_;
  Clock::time_point begin_;
  double thread_begin_ = 0;
  std::vector<double> frames_, thread_;
  int count_ = 0, stage_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  options.fresh = true;
  if (argc > 1) std::sscanf(argv[1], "%dx%d", &options.width, &options.height);
  if (argc > 2) frames_of_stage = std::atoi(argv[2]);
  std::printf("window %d x %d\n", options.width, options.height);
  return run_window(options, [](HelloImGui::RunnerParams& params, ShellState& shell) {
    static AccessBench bench(shell);
    params.fpsIdling.enableIdling = false;
    params.fpsIdling.vsyncToMonitor = false;
    const auto pre = params.callbacks.PreNewFrame;
    params.callbacks.PreNewFrame = [pre] {
      pre();
      HelloImGui::GetRunnerParams()->fpsIdling.enableIdling = false;
      bench.begin();
    };
    const auto swap = params.callbacks.BeforeSwap;
    params.callbacks.BeforeSwap = [swap] {
      if (swap) swap();
      if (bench.end()) HelloImGui::GetRunnerParams()->appShallExit = true;
    };
  });
}
