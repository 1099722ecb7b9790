// One text, three compilers: core/layout as g++, NVRTC and nvcc understand it gives the same
// numbers.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "emulator/emulator.h"
#include "engine_support.h"
#include "kernels/kernel_list.h"
#include "layout_probe.h"
#include "tests/every_kernel.h"
#include "tests/fixtures/kernels/kernel_list_extra.h"
#include "tests/sampled.h"

namespace tilescope::worker {
namespace {

/// The struct behind a kernel's id, as kernel_list.h names it.
std::string struct_of(const std::string& id) {
#define TILESCOPE_NAME(type, function, file) \
  if (id == #function) return #type;
  TILESCOPE_KERNELS(TILESCOPE_NAME)
  TILESCOPE_EXTRA_KERNELS(TILESCOPE_NAME)
#undef TILESCOPE_NAME
  return "?";
}

std::string probe_source(const KernelRequest& request) {
  std::string header = file_text(TILESCOPE_SOURCE_DIR "/tests/worker_engine/layout_probe.h");
  const std::string once = "#pragma once";
  header.replace(header.find(once), once.size(), "");
  return entry_source(request, kernel_of(request)) + header +
         "namespace tilescope {\n"
         "extern \"C\" __global__ void probe(int* to) {\n"
         "  constexpr KernelPlan plan = " +
         struct_of(request.kernel) +
         "::tile_plan(kTile, kSpec);\n"
         "  probe_layout(plan, threadIdx.x, to + threadIdx.x * kProbeValues);\n}\n}\n";
}

/// Runs the probe of a PTX text and compares each number with g++'s.
void expect_equal(const KernelRequest& request, const std::string& ptx) {
  const auto parsed = emulator::Program::parse(ptx);
  if (parsed.index() != 0) {
    FAIL() << std::get<1>(parsed).front().message;
  }
  const KernelPlan plan = kernel_of(request).plan(request.tile, request.problem);
  const auto threads = static_cast<size_t>(plan.threads);
  emulator::Memory memory;
  const uint64_t buffer = memory.allocate("numbers", threads * kProbeValues * sizeof(int));
  emulator::Launch launch;
  launch.block = {static_cast<uint32_t>(plan.threads), 1, 1};
  launch.parameters.resize(8);
  std::memcpy(launch.parameters.data(), &buffer, 8);
  const auto result = emulator::run(*std::get<0>(parsed), "probe", launch, memory);
  ASSERT_FALSE(result.fault) << result.fault->message;
  const int* found = reinterpret_cast<const int*>(memory.bytes(buffer).data());
  for (size_t thread = 0; thread < threads; ++thread) {
    int expected[kProbeValues] = {};
    const int count = probe_layout(plan, static_cast<int>(thread), expected);
    ASSERT_LE(count, kProbeValues);
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(found[thread * kProbeValues + static_cast<size_t>(i)], expected[i])
          << describe(request) << ", thread " << thread << ", number " << i;
    }
  }
}

std::vector<KernelRequest> requests() {
  std::vector<KernelRequest> all;
  for (const KernelEntry& kernel : kernel_table()) {
    KernelRequest request = default_request(kernel.info.id, 250, 124, 72);
    all.push_back(request);
    for (const TileConfig& tile : random_legal_tiles(kernel, request.problem, 1, 5)) {
      request.tile = tile;
      all.push_back(request);
    }
  }
  return all;
}

TEST(LayoutOnDevice, NvrtcAgreesWithGcc) {
  for (const KernelRequest& request : sampled(requests(), 12)) {
    const auto compiled = test_compiler().compile(
        SourceRequest{probe_source(request), {}, arch_of(kernel_of(request), {})});
    expect_equal(request, compiled->result.ptx);
  }
}

TEST(LayoutOnDevice, NvccAgreesWithGcc) {
  const std::string nvcc = TILESCOPE_TEST_NVCC;
  if (nvcc.empty()) GTEST_SKIP() << "no nvcc on this machine";
  TemporaryFolder folder;
  for (const KernelSource& source : kernel_sources()) {
    const std::filesystem::path path = std::filesystem::path(folder.path()) / source.name;
    std::filesystem::create_directories(path.parent_path());
    write_text(path.string(), source.text);
  }
  for (const KernelEntry* kernel : sampled(kernels_of_table(), 4)) {
    const KernelRequest request = default_request(kernel->info.id, 250, 124, 72);
    const std::string source = folder.path() + "/probe.cu", ptx = folder.path() + "/probe.ptx";
    write_text(source, probe_source(request));
    const std::string command = "'" + nvcc + "' -std=c++20 -arch=" + arch_of(*kernel, {}) +
                                " --expt-relaxed-constexpr -I '" + folder.path() + "' -ptx -o '" +
                                ptx + "' '" + source + "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    expect_equal(request, file_text(ptx));
  }
}

}  // namespace
}  // namespace tilescope::worker
