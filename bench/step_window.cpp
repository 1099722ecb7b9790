// libraries: tilescope_state tilescope_worker_client
// From a key of stepping to the place in the window's state, through the worker: an instruction
// forward, one back, the next k step, an element of C, with what the panels show: the registers of
// a warp, shared memory, the next access. One CTA of K = 4096. Without drawing a frame, which
// bench_window measures. The program's folder must hold tilescope-cli, as the window's does.
//   bench_step_window [K [TRIES]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "app/features/step/step_view.h"
#include "app/state/present.h"
#include "bench/live_window.h"

namespace {

using namespace tilescope;
using Clock = std::chrono::steady_clock;

struct Window : LiveWindow {
  void until(const std::function<bool()>& holds) {
    LiveWindow::until(holds, [this] {
      StepNeeds& wanted = state.of<StepView>().wanted;
      wanted.any = wanted.registers = wanted.shared = true;
    });
  }
  bool stands() const {
    const StepView& view = state.of<StepView>();
    return step_answer(state) && !view.running && view.wishes.empty();
  }
  double ms_of(const std::function<void()>& ask) {
    const auto begin = Clock::now();
    ask();
    until([&] { return stands(); });
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  }
};

void print(const char* kernel, const char* what, std::vector<double> ms) {
  std::ranges::sort(ms);
  const auto at = [&](double part) {
    return ms[static_cast<size_t>(part * static_cast<double>(ms.size() - 1))];
  };
  std::printf("%-16s %-16s median %8.2f   p95 %8.2f   max %8.2f ms   %zu times\n", kernel, what,
              at(0.5), at(0.95), ms.back(), ms.size());
}

void measure(Window& w, const char* kernel, int k, int tries) {
  set_kernel(w.state, kernel);
  Problem p = default_problem(w.state.derived.kernel->info);
  p.m = p.n = 256, p.k = k;
  set_problem(w.state, p);
  w.state.of<StepView>().alone = true;
  w.until([&] { return w.stands() && w.state.results.of.has_value(); });
  std::mt19937 random(5);
  std::vector<double> written, forward, back, k_step;
  for (int i = 0; i < tries; ++i) {
    if (i % 4 == 0) {
      step_until(w.state, "back:end", false);
      w.until([&] { return w.stands(); });
      const std::string element =
          "written:C[" + std::to_string(random() % 64) + "," + std::to_string(random() % 64) + "]";
      written.push_back(w.ms_of([&] { step_until(w.state, element, false); }));
    }
    step_until(w.state, "k:" + std::to_string(random() % 60), true);
    w.until([&] { return w.stands(); });
    forward.push_back(w.ms_of([&] { step_by(w.state, StepUnit::instruction, false); }));
    back.push_back(w.ms_of([&] { step_by(w.state, StepUnit::instruction, true); }));
    k_step.push_back(w.ms_of([&] { step_by(w.state, StepUnit::k_step, false); }));
  }
  print(kernel, "forward", forward);
  print(kernel, "back", back);
  print(kernel, "k step", k_step);
  print(kernel, "until written", written);
}

}  // namespace

int main(int argc, char** argv) {
  const int k = argc > 1 ? std::atoi(argv[1]) : 4096;
  const int tries = argc > 2 ? std::atoi(argv[2]) : 100;
  Window window;
  for (const char* kernel : {"vectorized", "mma_multistage"}) measure(window, kernel, k, tries);
}
