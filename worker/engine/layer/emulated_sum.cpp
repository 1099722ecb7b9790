#include "worker/engine/layer/emulated_sum.h"

#include <cstring>

#include "kernels/common/column_sum_args.h"
#include "worker/engine/compile/compiler.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/emulated_gemm.h"

namespace tilescope::worker {
namespace {

/// One launch: `parts` lines of sums.
std::vector<std::byte> run_once(ElementType type, const ColumnSum& sum,
                                std::span<const std::byte> from, const EmulateSumOptions& options) {
  const auto compiled = Compiler::shared().compile(
      SourceRequest{column_sum_source(type, sum.width), options.kernel_dir, options.arch, true},
      options.cancelled);
  EmulatedLaunch launch;
  launch.program = parse_program(compiled->result.ptx);
  launch.entry = kColumnSumEntryName;
  ColumnSumArgs args;
  args.sum = sum;
  args.from = launch.memory.allocate("what is summed", from.size(), true);
  const auto bytes = static_cast<uint64_t>(column_sum_out(sum, sum.parts, 0)) * sizeof(float);
  args.to = launch.memory.allocate("sums", bytes);
  std::memcpy(launch.memory.bytes(args.from).data(), from.data(), from.size());
  fill_untouched(ElementType::f32, launch.memory.bytes(args.to));
  const Launch shape = column_sum_launch(sum);
  launch.launch.grid = dim3({shape.grid_x, shape.grid_y, shape.grid_z});
  launch.launch.block = {static_cast<uint32_t>(shape.threads), 1, 1};
  launch.launch.dynamic_shared_bytes = static_cast<uint32_t>(shape.shared_bytes);
  launch.launch.parameters.resize(sizeof args);
  std::memcpy(launch.launch.parameters.data(), &args, sizeof args);
  emulator::RunOptions run;
  run.threads = options.threads, run.cancel = options.cancelled;
  const emulator::RunResult ran = launch.run(std::move(run));
  if (ran.fault) fail_with(*ran.fault, *launch.program, "common/column_sum.cuh", ran.findings);
  const std::span<const std::byte> out = launch.memory.bytes(args.to);
  return {out.begin(), out.end()};
}

}  // namespace

void emulate_column_sum(ElementType type, int rows, int cols, std::span<const std::byte> from,
                        std::span<std::byte> to, const EmulateSumOptions& options) {
  const ColumnSum first = column_sum_of(type, rows, cols, cols, options.sms);
  std::vector<std::byte> sums = run_once(type, first, from, options);
  if (first.parts > 1) {
    ColumnSum second = column_sum_of(ElementType::f32, first.parts, cols, cols, options.sms);
    second.parts = 1;
    sums = run_once(ElementType::f32, second, sums, options);
  }
  std::memcpy(to.data(), sums.data(), to.size());
}

}  // namespace tilescope::worker
