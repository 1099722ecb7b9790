#include "worker/engine/access/accesses.h"

#include <algorithm>
#include <map>

#include "core/model/format.h"
#include "core/model/names.h"
#include "core/sheet/argument_spec.h"
#include "worker/engine/access/access_log.h"
#include "worker/engine/compile/kernel_lines.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/emulate/sheet_gemm.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

constexpr uint64_t kLineOfNoShape = 1024;  // elements
constexpr uint32_t kBytesOfNoShape = 4;

/// A buffer of which nobody has said what it is: lines of so many words.
AccessBuffer plain_buffer(const emulator::Memory& memory, uint64_t address) {
  AccessBuffer b;
  b.name = memory.name(memory.locate(address).buffer);
  b.address = address;
  b.bytes = memory.bytes(address).size();
  b.element_bytes = kBytesOfNoShape;
  b.line = kLineOfNoShape;
  const uint64_t elements = (b.bytes + kBytesOfNoShape - 1) / kBytesOfNoShape;
  b.rows = std::max<uint64_t>(1, (elements + kLineOfNoShape - 1) / kLineOfNoShape);
  b.cols = std::clamp<uint64_t>(elements, 1, kLineOfNoShape);
  return b;
}

/// With the shape that a problem gives one of its operands.
void shape_operand(AccessBuffer& b, const Problem& p, Operand o) {
  b.matrix = static_cast<int>(o);
  b.shaped = true;
  b.type = model::name_of(operand_type(p, o));
  b.element_bytes = static_cast<uint32_t>(element_bytes(operand_type(p, o)));
  b.rows = static_cast<uint64_t>(operand_rows(p, o));
  b.cols = static_cast<uint64_t>(operand_cols(p, o));
  b.first = static_cast<uint64_t>(operand_offset(p, o)) * b.element_bytes;
  b.line = static_cast<uint64_t>(leading_dimension(p, o));
  b.by_columns = operand_order(p, o) == Order::column_major;
}

void shape_by_spec(AccessBuffer& b, const sheet::BufferSpec& spec) {
  if (!spec.type || spec.rows * spec.cols == 0) return;
  b.shaped = true;
  b.type = spec.type->name;
  b.element_bytes = static_cast<uint32_t>(spec.type->bytes);
  b.rows = spec.rows, b.cols = b.line = spec.cols;
}

std::vector<AccessBuffer> buffers_of(const LaunchRequest& request, const EmulatedLaunch& launch) {
  std::vector<AccessBuffer> buffers;
  for (const uint64_t address : launch.buffers) {
    buffers.push_back(plain_buffer(launch.memory, address));
  }
  if (!request.sheet) return buffers;
  const sheet::LaunchSheet& s = *request.sheet;
  for (size_t i = 0; i < launch.arguments.size() && i < s.args.size(); ++i) {
    const auto found = std::ranges::find(buffers, launch.arguments[i], &AccessBuffer::address);
    if (launch.arguments[i] == 0 || found == buffers.end()) continue;
    const sheet::ArgumentSpec spec = sheet::parse_spec(s.args[i]);
    if (const auto* of = std::get_if<sheet::BufferSpec>(&spec)) shape_by_spec(*found, *of);
    if (!s.gemm) continue;
    const Problem problem = problem_of(s);
    const int operands[] = {s.gemm->a, s.gemm->b, s.gemm->c};
    for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
      const auto bytes = static_cast<uint64_t>(operand_buffer_bytes(problem, o));
      const bool is_it = operands[static_cast<size_t>(o)] == static_cast<int>(i);
      if (is_it && bytes <= found->bytes) shape_operand(*found, problem, o);
    }
  }
  return buffers;
}

/// Runs it and writes down what it touches. `file`: the kernel's own source, empty for any PTX.
AccessAnswer watched(EmulatedLaunch& launch, const AccessOptions& asked, const std::string& file) {
  const emulator::Dim3& grid = launch.launch.grid;
  AccessAnswer answer;
  answer.grid = {static_cast<int>(grid.x), static_cast<int>(grid.y), static_cast<int>(grid.z)};
  answer.whole_grid = asked.whole_grid;
  const BlockIndex& at = asked.cta;
  if (!asked.whole_grid) {
    if (at.x < 0 || at.y < 0 || at.z < 0 || at.x >= answer.grid.x || at.y >= answer.grid.y ||
        at.z >= answer.grid.z) {
      fail(kUsage, "CTA " + std::to_string(at.x) + "," + std::to_string(at.y) + "," +
                       std::to_string(at.z) + " lies outside of the grid of " +
                       std::to_string(grid.x) + " × " + std::to_string(grid.y) + " × " +
                       std::to_string(grid.z) + "; they count from 0.");
    }
    answer.cta = at;
  }
  const emulator::Dim3& block = launch.launch.block;
  answer.warps = (block.x * block.y * block.z + 31) / 32;
  const emulator::EntryInfo* entry = launch.program->find(launch.entry);
  answer.shared_bytes =
      (entry ? entry->static_shared_bytes : 0) + launch.launch.dynamic_shared_bytes;
  std::optional<emulator::Dim3> alone;
  if (!asked.whole_grid) alone = dim3(at);
  AccessLog log(alone, grid, asked.most);
  emulator::RunOptions options;
  if (alone) options.ctas = {*alone};
  options.cancel = asked.cancelled;
  options.max_warp_instructions = warp_instructions_of(asked.max_lane_instructions);
  options.accesses = &log;
  const emulator::RunResult ran = launch.run(std::move(options));
  if (log.is_full()) {
    answer.stopped = "Only the first " + model::grouped(static_cast<long long>(asked.most)) +
                     " accesses of warps, or those of the first " +
                     model::grouped(kMostAccessPatterns) +
                     " patterns of addresses, are held; choose " +
                     (asked.whole_grid ? "one CTA" : "a smaller problem") + " to see all.";
  } else if (ran.fault) {
    if (ran.fault->kind == emulator::Fault::Kind::cancelled) fail_cancelled();
    answer.stopped = ran.fault->message;
  }
  log.give(answer);
  std::map<int, std::string> opcodes;
  for (const emulator::Instruction& in : launch.program->instructions(launch.entry)) {
    opcodes[in.ptx_line] = in.opcode;
  }
  for (AccessInstruction& in : answer.instructions) {
    in.line = line_told(*launch.program, in.ptx_line, file);
    in.opcode = opcodes[in.ptx_line];
  }
  return answer;
}

}  // namespace

AccessAnswer accesses_of_launch(const LaunchRequest& request, const AccessOptions& options) {
  EmulatedLaunch launch = prepare_launch(request);
  AccessAnswer answer = watched(launch, options, {});
  answer.buffers = buffers_of(request, launch);
  return answer;
}

AccessAnswer accesses_of_kernel(const KernelRequest& request, const KernelEntry& kernel,
                                const std::string& ptx, const AccessOptions& options) {
  GemmFill fill;
  fill.skip = true;
  EmulatedGemm gemm = prepare_gemm(request, kernel, ptx, fill);
  AccessAnswer answer = watched(gemm, options, kernel.file);
  const uint64_t operands[] = {gemm.a, gemm.b, gemm.c};
  for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
    answer.buffers.push_back(plain_buffer(gemm.memory, operands[static_cast<size_t>(o)]));
    shape_operand(answer.buffers.back(), gemm.problem, o);
  }
  if (gemm.bias) {
    AccessBuffer& bias = answer.buffers.emplace_back(plain_buffer(gemm.memory, gemm.bias));
    bias.shaped = true;
    bias.type = model::name_of(gemm.problem.type_c);
    bias.element_bytes = static_cast<uint32_t>(element_bytes(gemm.problem.type_c));
    bias.rows = 1, bias.cols = bias.line = static_cast<uint64_t>(gemm.problem.n);
  }
  if (gemm.workspace) answer.buffers.push_back(plain_buffer(gemm.memory, gemm.workspace));
  return answer;
}

}  // namespace tilescope::worker
