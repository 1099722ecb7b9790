// The list of instructions against NVIDIA's assembler: each probe is assembled for the first
// architecture that the list names.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "engine_support.h"
#include "tests/sampled.h"
#include "worker/engine/parallel.h"
#include "worker/engine/probe/probe.h"
#include "worker/engine/probe/probe_text.h"

namespace tilescope::worker {
namespace {

/// $PTXAS, else beside nvcc; empty if there is none.
std::string ptxas() {
  if (const char* named = std::getenv("PTXAS")) return named;
  const std::string nvcc = TILESCOPE_TEST_NVCC;
  return nvcc.empty() ? "" : nvcc.substr(0, nvcc.rfind('/')) + "/ptxas";
}

struct File {
  std::string header, arch;
  std::vector<std::string> names, entries;
};

TEST(ProbePtxas, AssemblesEveryProbeForItsFirstArchitecture) {
  const std::string program = ptxas();
  if (program.empty()) GTEST_SKIP() << "no ptxas on this machine";
  // Few files, since starting ptxas takes longer than a probe; several a target, for two cores.
  std::map<std::pair<std::string, size_t>, File> files;
  std::map<std::string, size_t> count;
  for (const model::Instruction& i : model::instructions()) {
    const size_t part = count[std::to_string(i.min_sm)]++ / 40;
    const ProbeText text = probe_text(i, "probe" + std::to_string(&i - &model::instructions()[0]));
    File& file = files[{text.header, part}];
    file.header = text.header;
    const bool wgmma = i.kind == model::Instruction::Kind::mma && i.mma.kind == MmaKind::wgmma;
    // CUDA 13 assembles for nothing older than 7.5.
    file.arch = "sm_" + std::to_string(std::max(i.min_sm, 75)) + (wgmma ? "a" : "");
    for (const std::string& entry : text.entries) {
      file.names.push_back(i.name);
      file.entries.push_back(entry);
    }
  }
  const TemporaryFolder folder;
  std::vector<File> list;
  for (auto& [key, file] : files) list.push_back(std::move(file));
  list = sampled(std::move(list), 6);
  std::vector<int> status(list.size());
  const auto path = [&](size_t i, const char* end) {
    return folder.path() + "/" + std::to_string(i) + end;
  };
  parallel_for(host_threads(), list.size(), [&](size_t i) {
    std::string text = list[i].header;
    for (const std::string& entry : list[i].entries) text += entry;
    write_text(path(i, ".ptx"), text);
    status[i] = std::system(("'" + program + "' -O1 -arch=" + list[i].arch + " -o /dev/null '" +
                             path(i, ".ptx") + "' > '" + path(i, ".log") + "' 2>&1")
                                .c_str());
  });
  for (size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(status[i], 0) << list[i].header << list[i].names.front() << " … "
                            << list[i].names.back() << "\n"
                            << file_text(path(i, ".log"));
  }
}

TEST(ProbePtxas, NoEarlierArchitectureHasThem) {
  const std::string program = ptxas();
  if (program.empty()) GTEST_SKIP() << "no ptxas on this machine";
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/probe.ptx";
  for (int f = 0; f < kMmaFamilies; ++f) {
    const MmaFamily& family = mma_family(f);
    const int earlier = family.min_sm == 90 ? 89 : family.min_sm == 89 ? 86 : 75;
    if (family.min_sm <= earlier || family.kind == MmaKind::wgmma) continue;
    const model::Instruction* first = nullptr;
    for_each_mma(family, [&](const MmaSpec& spec, const MmaFamily&) {
      if (!first) first = model::find_instruction(model::ptx_name(spec));
    });
    ASSERT_TRUE(first);
    // The newest version that its ptxas is sure to know: the target alone is to be refused.
    const std::string arch = "sm_" + std::to_string(earlier);
    write_text(file, probe_header({"8.7", arch}) + probe_text(*first, "probe").entries.front());
    const std::string command =
        "'" + program + "' -arch=" + arch + " -o /dev/null '" + file + "' > /dev/null 2>&1";
    EXPECT_NE(std::system(command.c_str()), 0) << first->name << " exists for " << arch;
  }
}

}  // namespace
}  // namespace tilescope::worker
