// libraries: tilescope_state tilescope_worker_client
// From a drop of a .ptx of 10,000 lines on the window to what it shows: the text in Source with the
// launch sheet in the making, and, of a file that has a sheet beside it, the first picture of a run
// (the events of the chosen CTA). Through the worker, as the window does it, without drawing a
// frame, which bench_window measures. The program's folder must hold tilescope-cli.
//   bench_own_open [LINES [TRIES]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "app/features/own/own_view.h"
#include "app/live/live.h"
#include "app/state/edit.h"

namespace {

using namespace tilescope;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// A loop of eight rounds whose body is unrolled until the file has so many lines: loads from
/// shared memory, products and sums, as compilers write them. `serial`: no two files are equal.
std::string unrolled(int lines, int serial) {
  std::string text = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry unrolled(.param .u64 in, .param .u64 out)
.maxntid 128, 1, 1
{
  .reg .b32 %r<8>;
  .reg .f32 %f<64>;
  .reg .b64 %rd<8>;
  .reg .pred %p<2>;
  .shared .align 16 .b8 tile[4096];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, tile;
  add.s32 %r4, %r3, %r2;
  st.shared.f32 [%r4], %f1;
  bar.sync 0;
  mov.u32 %r5, 0;
  mov.f32 %f0, 0f00000000;
ROUND:
)";
  text += "// file " + std::to_string(serial) + "\n";
  for (int i = static_cast<int>(std::ranges::count(text, '\n')) + 6; i + 2 < lines; i += 2) {
    const std::string a = "%f" + std::to_string(2 + i / 2 % 60);
    text += "  ld.shared.f32 " + a + ", [%r4];\n  fma.rn.f32 %f0, " + a + ", %f1, %f0;\n";
  }
  return text + R"(  add.s32 %r5, %r5, 1;
  setp.lt.s32 %p1, %r5, 8;
  @%p1 bra ROUND;
  st.global.f32 [%rd5], %f0;
  ret;
}
)";
}

class Window {
 public:
  /// Frames until it holds, as fast as the worker answers.
  double ms_until(const std::function<bool(const AppState&)>& holds) {
    const auto begin = Clock::now();
    for (frame(); !holds(state); frame()) {
      if (!state.of<OwnView>().error.empty()) {
        std::printf("%s\n", state.of<OwnView>().error.c_str());
        std::exit(1);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  }
  AppState state = initial_state();

 private:
  void frame() {
    state.now += 0.016;
    live_.update(state);
  }
  Live live_{worker::Client::start_process({}), ""};
};

void print(const char* what, std::vector<double> ms) {
  std::ranges::sort(ms);
  std::printf("%-36s median %7.1f   max %7.1f ms   %zu times\n", what, ms[ms.size() / 2], ms.back(),
              ms.size());
}

}  // namespace

int main(int argc, char** argv) {
  const int lines = argc > 1 ? std::atoi(argv[1]) : 10000;
  const int tries = argc > 2 ? std::atoi(argv[2]) : 20;
  const fs::path folder = fs::temp_directory_path() / "tilescope-bench-own-open";
  fs::create_directories(folder);
  Window window;
  window.ms_until([](const AppState& s) { return s.results.trace != nullptr; });  // the rung's own
  std::vector<double> text, picture;
  for (int i = 0; i < tries; ++i) {
    const fs::path file = folder / ("unrolled" + std::to_string(i) + ".ptx");
    std::ofstream(file) << unrolled(lines, i);
    std::ofstream(folder / ("unrolled" + std::to_string(i) + ".sheet.json"))
        << R"({"entry": "unrolled", "grid": [4,1,1], "block": [128,1,1],
               "args": ["buf:f32:1x128:index:in", "buf:f32:1x128:zeros:out"]})";
    const auto begin = Clock::now();
    open_own_kernel(window.state, {file.string(), ""});
    text.push_back(
        window.ms_until([](const AppState& s) { return s.of<OwnView>().opened != nullptr; }));
    window.ms_until([&](const AppState& s) {
      return s.own_launch && s.results.trace && s.results.edit_serial == s.edit_serial;
    });
    picture.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  fs::remove_all(folder);
  std::printf("a dropped .ptx of %d lines\n", lines);
  print("text and launch sheet", text);
  print("first picture of its run", picture);
}
