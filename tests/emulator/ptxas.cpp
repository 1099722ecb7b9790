#include "ptxas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>

namespace tilescope::emulator::test {

bool has_ptxas() { return TILESCOPE_TEST_PTXAS[0] != 0; }

std::vector<bool> ptxas_takes(const std::vector<std::string>& instructions, const std::string& arch,
                              const std::string& name) {
  // By chance: each process in WebAssembly is told the same number, and parts run side by side.
  const std::string file = testing::TempDir() + name + "." +
                           std::to_string(std::random_device()()) + "." + arch + ".ptx";
  const std::string header =
      ".version 9.0\n.target " + arch +
      "\n.address_size 64\n.visible .entry k(.param .b64 in)\n{\n.reg .pred %p<20>;\n"
      ".reg .b16 %h<60>;\n.reg .b32 %r<60>;\n.reg .f32 %f<60>;\n.reg .b64 %rd<60>;\n"
      ".reg .f64 %fd<60>;\n.local .align 16 .b8 d[64];\nL:\n";
  const auto first = static_cast<size_t>(std::count(header.begin(), header.end(), '\n')) + 1;
  std::vector<bool> good(instructions.size(), true);
  std::ofstream out(file);
  out << header;
  for (const std::string& line : instructions) out << line << "\n";
  out << "nothing.of.the.kind;\nret;\n}\n";  // so that it stops before it compiles
  out.close();
  const std::string command = "'" TILESCOPE_TEST_PTXAS "' -arch " + arch + " '" + file +
                              "' -o /dev/null >'" + file + ".log' 2>&1";
  EXPECT_NE(std::system(command.c_str()), 0);
  std::ifstream log(file + ".log");
  size_t last = 0;
  for (std::string line; std::getline(log, line);) {
    const size_t at = line.find(", line ");
    if (at == line.npos || line.find("warning") != line.npos) continue;
    last = std::stoul(line.substr(at + 7)) - first;
    if (last < good.size()) good[last] = false;
    if (line.find("fatal") == line.npos || last >= good.size()) continue;
    // It looks no further.
    const std::vector<std::string> others(
        instructions.begin() + static_cast<std::ptrdiff_t>(last + 1), instructions.end());
    const std::vector<bool> rest = ptxas_takes(others, arch, name);
    std::copy(rest.begin(), rest.end(), good.begin() + static_cast<std::ptrdiff_t>(last + 1));
    last = instructions.size();
    break;
  }
  EXPECT_EQ(last, instructions.size()) << "ptxas did not come to the end";
  std::remove(file.c_str());
  std::remove((file + ".log").c_str());
  return good;
}

}  // namespace tilescope::emulator::test
