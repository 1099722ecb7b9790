// libraries: tilescope_state tilescope_worker_client
// From Ctrl+S in Source to what became of it: the changed kernel compiled and its steps there;
// one CTA of each class checked, and the first CTAs of C verified. Each kernel of the ladder at its
// default tile and 1024^3, a change that no compiler has seen. Must: 400 ms at p95. The program's
// folder must hold tilescope-cli, as the window's does.
//   bench_save [TRIES [KERNEL]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "app/state/present.h"
#include "app/state/private_copy.h"
#include "bench/live_window.h"

namespace {

using namespace tilescope;
using Clock = std::chrono::steady_clock;

struct Window : LiveWindow {
  bool has_steps() const { return present_results(state).trace != nullptr; }
  /// Who changes a line takes longer than that: what is compiled ahead is so by then, and no
  /// compiler has to be stopped first.
  void rest() {
    const auto begin = Clock::now();
    until([&] { return Clock::now() - begin > std::chrono::seconds(3); });
  }
  bool has_verdict() const { return present_results(state).emulated.has_value(); }
};

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::string of(std::vector<double> ms) {
  std::ranges::sort(ms);
  const auto at = [&](double part) {
    return ms[static_cast<size_t>(part * static_cast<double>(ms.size() - 1))];
  };
  char text[80];
  std::snprintf(text, sizeof text, "median %6.0f  p95 %6.0f  max %6.0f ms", at(0.5), at(0.95),
                ms.back());
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const int tries = argc > 1 ? std::atoi(argv[1]) : 5;
  Window w;
  std::random_device random;
  std::vector<double> all_steps, all_verdicts;
  for (const KernelEntry& kernel : kernel_table()) {
    if (argc > 2 && std::string(argv[2]) != kernel.info.id) continue;
    set_kernel(w.state, kernel.info.id);
    set_tile(w.state, kernel.sliders.defaults());
    Problem p = default_problem(kernel.info);
    set_problem(w.state, p);
    if (!w.until([&] { return w.has_verdict(); })) {
      std::printf("%-16s %s\n", kernel.info.id, w.state.results.error.c_str());
      continue;
    }
    const std::string text = original_text(w.state);
    std::vector<double> steps, verdicts;
    for (int i = 0; i < tries; ++i) {
      w.rest();
      const std::string name = "changed_" + std::to_string(random());
      const auto begin = Clock::now();
      const std::string why =
          save_text(w.state, text + "\n#ifdef __CUDACC__\n__device__ int " + name + ";\n#endif\n");
      if (!why.empty()) {
        std::printf("%s\n", why.c_str());
        return 1;
      }
      w.until([&] { return w.has_steps(); });
      steps.push_back(ms_since(begin));
      w.until([&] { return w.has_verdict(); });
      verdicts.push_back(ms_since(begin));
    }
    leave_private_copy(w.state);
    std::printf("%-16s steps %s   verdict %s\n", kernel.info.id, of(steps).c_str(),
                of(verdicts).c_str());
    std::fflush(stdout);
    all_steps.insert(all_steps.end(), steps.begin(), steps.end());
    all_verdicts.insert(all_verdicts.end(), verdicts.begin(), verdicts.end());
  }
  if (all_steps.empty()) return 1;
  std::printf("%-16s steps %s   verdict %s\n", "all", of(all_steps).c_str(),
              of(all_verdicts).c_str());
  std::error_code error;
  if (w.state.private_copies.temporary) {
    std::filesystem::remove_all(w.state.private_copies.folder, error);
  }
}
