// libraries: tilescope_worker_engine tilescope_kernels
// NVRTC alone: source to PTX of each kernel at its default tile, and the headers without the
// kernel.
//   bench_nvrtc [TIMES 9] [KERNEL_DIR]     KERNEL_DIR: another copy of kernels/, to compare with
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "worker/engine/compile/compiler.h"
#include "worker/engine/compile/source.h"

namespace {

using namespace tilescope;
using namespace tilescope::worker;

/// Fresh each time: neither memory nor disk knows it.
double compile_ms(const std::string& text, const std::string& kernel_dir, int run) {
  Compiler compiler({.cache_folder = "", .memory_entries = 1});
  const std::string unlike = "// " + std::to_string(run) + "\n" + text;
  return compiler.compile({unlike, kernel_dir, kDefaultArch, true})->result.compile_ms;
}

void row(const char* name, const std::string& text, const std::string& kernel_dir, int times) {
  std::vector<double> ms;
  for (int i = 0; i <= times; ++i) ms.push_back(compile_ms(text, kernel_dir, i));
  ms.erase(ms.begin());  // the first one loads NVRTC
  std::sort(ms.begin(), ms.end());
  std::printf("%-16s median %6.1f ms, least %6.1f ms\n", name, ms[ms.size() / 2], ms.front());
}

}  // namespace

int main(int argc, char** argv) {
  const int times = argc > 1 ? std::max(1, std::atoi(argv[1])) : 9;
  const std::string kernel_dir = argc > 2 ? argv[2] : "";
  for (const KernelEntry& kernel : kernel_table()) {
    const KernelRequest request{kernel.info.id, kernel.sliders.defaults(),
                                default_problem(kernel.info)};
    const std::string text = entry_source(request, kernel);
    if (&kernel == kernel_table().begin()) {
      row("headers alone", text.substr(0, text.find('\n') + 1), kernel_dir, times);
    }
    row(kernel.info.id, text, kernel_dir, times);
  }
}
