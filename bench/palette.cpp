// libraries: tilescope_state
// with: app/shell/palette_rows.cpp
// What the palette lists for each letter that one types: 2,000 commands beside what the features
// answer (tiles, problem, presets, instructions, layers, lines of Source). Milliseconds of one
// list; an answer must be there in 16.
//   bench_palette [COMMANDS [TIMES]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "app/shell/palette_rows.h"
#include "app/state/edit.h"

namespace {

using namespace tilescope;
using Clock = std::chrono::steady_clock;

constexpr const char* kTyped[] = {
    "stages 4", "M 2048",      "swizzle off", "block 128x256",    "wgmma 64x256", "qwen",
    "preset",   "theme light", "cp.async",    "16 wgmma_cluster", "line 120",     "4096^3"};

std::vector<Command> many_commands(int count) {
  std::vector<Command> all;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    all.push_back({.id = "command." + number,
                   .title = "Command " + number + " of the stages of a menu",
                   .shortcut = {},
                   .menu = "View/Panels",
                   .run = [](AppContext&) {},
                   .also = "another name of it"});
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 2000, times = argc > 2 ? std::atoi(argv[2]) : 5;
  const std::vector<Command> commands = many_commands(count);
  std::vector<double> all;
  for (const char* typed : kTyped) {
    std::vector<double> ms;
    size_t rows = 0;
    for (int i = 0; i < times; ++i) {
      const AppState state = initial_state();  // nothing is known from before
      for (size_t letters = 1; letters <= std::string(typed).size(); ++letters) {
        const auto begin = Clock::now();
        rows = palette_rows(commands, &state, {}, std::string(typed).substr(0, letters)).size();
        ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
      }
    }
    std::ranges::sort(ms);
    all.insert(all.end(), ms.begin(), ms.end());
    std::printf("%-18s %5zu rows   median %6.2f   most %6.2f ms\n", typed, rows, ms[ms.size() / 2],
                ms.back());
  }
  std::ranges::sort(all);
  std::printf("of %zu lists over %d commands: median %.2f, p95 %.2f, most %.2f ms\n", all.size(),
              count, all[all.size() / 2], all[all.size() * 95 / 100], all.back());
}
