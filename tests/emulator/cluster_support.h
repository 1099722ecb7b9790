// Launches of kernels in clusters.
#pragma once
#include "support.h"

namespace tilescope::emulator::test {

inline std::string with_cluster_directives(std::string text, const std::string& directives) {
  const std::string head = "(.param .u64 in, .param .u64 out)\n";
  return text.replace(text.find(head), head.size(), head + directives + "\n");
}

struct ClusterOutcome {
  std::vector<uint32_t> out;
  RunResult result;
};
/// Runs k(in, out), as run_kernel() does.
inline ClusterOutcome run_cluster(const std::string& ptx, Dim3 grid, uint32_t threads, Dim3 cluster,
                                  size_t words, const std::vector<uint32_t>& in = {},
                                  const RunOptions& options = {}, uint32_t dynamic_shared = 0) {
  ClusterOutcome o;
  const auto program = parse(ptx);
  if (!program) return o;
  Memory memory;
  const uint64_t a = memory.allocate("in", in.size() * 4, true);
  if (!in.empty()) std::memcpy(memory.bytes(a).data(), in.data(), in.size() * 4);
  const uint64_t b = memory.allocate("out", words * 4);
  const Launch launch{grid, {threads, 1, 1}, dynamic_shared, parameters(a, b), cluster};
  o.result = run(*program, "k", launch, memory, options);
  o.out.assign(data<uint32_t>(memory, b), data<uint32_t>(memory, b) + words);
  return o;
}

}  // namespace tilescope::emulator::test
