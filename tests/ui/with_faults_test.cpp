// Kernels of one's own that the emulator has nothing against and that fault, or hang, on the card:
// a sentence each, the next kernel is right, and the window goes on meanwhile. Those of
// tests/ordeal/faults.cu: in ./test on the driver of tests/driver, which is told what each comes
// to; on a card by tools/ordeal window-faults. TILESCOPE_FAULTS: how many; _RANDOM_SEED: which.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "app/state/edit.h"
#include "app/state/present.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string fault_file() { return TILESCOPE_SOURCE_DIR "/tests/ordeal/faults.cu"; }

/// Of the file those that come to something on a card: all, in its order; or by chance, those that
/// hang, which take long, a fifth as often. What no card takes is refused beforehand.
struct FaultEntries {
  std::vector<std::string> all, by_chance;

  FaultEntries() {
    std::ifstream file(fault_file());
    static const std::regex kEntry(R"(__global__ void (\w+)\(.* // (\w+)$)");
    for (std::string line; std::getline(file, line);) {
      std::smatch found;
      if (!std::regex_search(line, found, kEntry)) continue;
      all.push_back(found[1]);
      by_chance.insert(by_chance.end(), found[2] == "hang" ? 1 : 5, found[1]);
    }
  }
};

std::string fault_sheet(const std::string& entry) {
  return "{\"entry\": \"" + entry +
         "\", \"grid\": [2, 1, 1], \"block\": [64, 1, 1], \"shared\": 1024, "
         "\"args\": [\"buf:i32:1x1024:zeros:out\"]}";
}

/// Frames until it holds, and the longest of them in ms.
class Watched {
 public:
  explicit Watched(ImGuiTestContext* ctx) : ctx_(ctx) {}
  template <class Condition>
  bool until(const Condition& condition) {
    const auto begin = Clock::now();
    while (!condition() && !ctx_->Abort && seconds_since(begin) < 60) {
      const auto frame = Clock::now();
      ctx_->Yield();
      longest_ms_ = std::max(longest_ms_, 1000 * seconds_since(frame));
    }
    return condition();
  }
  double longest_ms() const { return longest_ms_; }

 private:
  ImGuiTestContext* ctx_;
  double longest_ms_ = 0;
};

UI_TEST("with_faults", "whatever_a_kernel_does_on_the_card_the_next_is_right") {
  const char* asked = std::getenv("TILESCOPE_FAULTS");
  const char* seed = std::getenv("TILESCOPE_RANDOM_SEED");
  const FaultEntries entries;
  IM_CHECK_GT(entries.all.size(), 8u);
  const int count = asked ? std::atoi(asked) : static_cast<int>(entries.all.size());
  std::mt19937 random(seed ? static_cast<unsigned>(std::atoi(seed)) : 5);
  const auto below = [&](size_t n) { return random() % n; };
  reset_layout(ctx);
  set_kernel(state(), "naive");
  Watched frames(ctx);
  std::map<std::string, std::string> said;
  double slowest = 0;
  for (int i = 0; i < count && !ctx->Abort; ++i) {
    const std::string& entry = asked ? entries.by_chance[below(entries.by_chance.size())]
                                     : entries.all[static_cast<size_t>(i)];
    open_own_kernel(state(), {fault_file(), fault_sheet(entry)});
    if (!frames.until([] { return state().results.stage == Stage::failed; })) {
      ctx->LogError("%s is in stage %d: %s %s", entry.c_str(),
                    static_cast<int>(state().results.stage), state().results.error.c_str(),
                    state().notice.c_str());
      IM_CHECK(false);
    }
    said[entry] = state().results.error;
    IM_CHECK(!said[entry].empty());
    // The ladder's, of a size that is not known yet.
    const auto begin = Clock::now();
    leave_own_kernel(state());
    Problem problem = state().edit.problem;
    problem.m = 16 + static_cast<int>(below(48));
    problem.n = 16 + static_cast<int>(below(48));
    problem.k = 16 + static_cast<int>(below(48));
    set_problem(state(), problem);
    IM_CHECK(frames.until([] {
      const Results& now = present_results(state());
      return now.measured && now.measured->verified;
    }));
    IM_CHECK(state().results.measured->verified->ok);
    slowest = std::max(slowest, seconds_since(begin));
  }
  for (const auto& [entry, sentence] : said) {
    std::printf("  %s: %s\n", entry.c_str(), sentence.c_str());
  }
  std::printf("%d faults; the slowest right result %.2f s after one, the longest frame %.0f ms\n",
              count, slowest, frames.longest_ms());
}

}  // namespace
}  // namespace tilescope::ui_test
