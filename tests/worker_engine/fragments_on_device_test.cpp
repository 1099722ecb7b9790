// The maps that NVRTC compiles into a kernel are those that g++ compiled into this test: the
// kernel's PTX runs in the emulator, which knows nothing of core/layout.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <utility>

#include "emulator/emulator.h"
#include "engine_support.h"
#include "fragment_probe.h"

namespace tilescope::worker {
namespace {

using ProbeThread = std::function<int(int thread, int* to)>;

constexpr int kThreads = 128;  // a warpgroup

std::string header_text(const char* name) {
  std::string text = file_text(std::string(TILESCOPE_SOURCE_DIR "/tests/worker_engine/") + name);
  const std::string once = "#pragma once";
  return text.replace(text.find(once), once.size(), "");
}

std::string entry(const std::string& name, const std::string& call) {
  return "extern \"C\" __global__ void " + name + "(int* to) {\n  tilescope::" + call +
         "(threadIdx.x, to + threadIdx.x * tilescope::kFragmentNumbers);\n}\n";
}

std::string probe_source() {
  std::string source = header_text("fragment_probe.h");
  for (int i = 0; i < kProbedAtoms; ++i) {
    const std::string number = std::to_string(i);
    source += entry("atom_" + number, "probe_fragments<" + number + ">");
  }
  return source + entry("moves", "probe_moves") + entry("banks", "probe_banks");
}

/// One program for all tests; null where there is no NVRTC.
const emulator::Program& program() {
  static const std::shared_ptr<const emulator::Program> parsed = [] {
    const auto compiled =
        test_compiler().compile(SourceRequest{probe_source(), {}, kDefaultArch, true});
    auto result = emulator::Program::parse(compiled->result.ptx);
    if (result.index() != 0) throw std::runtime_error(std::get<1>(result).front().message);
    return std::get<0>(result);
  }();
  return *parsed;
}

/// Runs an entry and compares each number of each thread with the host's.
void expect_equal(const std::string& name, const ProbeThread& host) {
  emulator::Memory memory;
  const uint64_t buffer =
      memory.allocate("numbers", size_t{kThreads} * kFragmentNumbers * sizeof(int));
  emulator::Launch launch;
  launch.block = {kThreads, 1, 1};
  launch.parameters.resize(8);
  std::memcpy(launch.parameters.data(), &buffer, 8);
  const auto result = emulator::run(program(), name, launch, memory);
  ASSERT_FALSE(result.fault) << name << ": " << result.fault->message;
  const int* found = reinterpret_cast<const int*>(memory.bytes(buffer).data());
  for (int thread = 0; thread < kThreads; ++thread) {
    int expected[kFragmentNumbers] = {};
    const int count = host(thread, expected);
    ASSERT_LE(count, kFragmentNumbers);
    ASSERT_GT(count, 4);
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(found[thread * kFragmentNumbers + i], expected[i])
          << name << ", thread " << thread << ", number " << i;
    }
  }
}

template <int... kAtom>
void expect_all_atoms(std::integer_sequence<int, kAtom...>) {
  (expect_equal("atom_" + std::to_string(kAtom), probe_fragments<kAtom>), ...);
}

TEST(FragmentsOnDevice, NvrtcSeesTheMapsOfGcc) {
  expect_all_atoms(std::make_integer_sequence<int, kProbedAtoms>());
}

TEST(FragmentsOnDevice, NvrtcSeesTheMatrixMovesOfGcc) { expect_equal("moves", probe_moves); }

TEST(FragmentsOnDevice, AKernelCountsWavefrontsAsTheHostDoes) {
  expect_equal("banks", probe_banks);
}

// Chosen by hand: each must be an instruction of the list.
TEST(FragmentsOnDevice, TheProbedAtomsAreInTheList) {
  for (int i = 0; i < kProbedAtoms; ++i) {
    MmaSpec wanted = probed_atom(i);
    bool found = false;
    for (int f = 0; f < kMmaFamilies; ++f) {
      for_each_mma(mma_family(f), [&](MmaSpec spec, const MmaFamily&) {
        spec.op = wanted.op;  // has no part in the map
        found |= spec == wanted;
      });
    }
    EXPECT_TRUE(found) << i;
  }
}

}  // namespace
}  // namespace tilescope::worker
