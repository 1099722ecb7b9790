#include "worker/engine/emulate/emulated_gemm.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include "kernels/common/args.h"
#include "worker/engine/compile/kernel_lines.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/cta_classes.h"
#include "worker/engine/emulate/memory_limit.h"
#include "worker/engine/error.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

void fill_tiles(const EmulatedGemm& gemm, const GemmFill& fill, Operand operand,
                std::span<std::byte> buffer) {
  const Problem& p = gemm.problem;
  if (fill.skip) return;
  if (fill.tiles.empty()) {
    fill_operand(p, operand, fill.data, whole_of(p, operand), buffer, fill.threads);
    return;
  }
  const int depth = fill.k > 0 ? fill.k : p.k;
  std::set<int> lines;  // first rows of A or columns of B, each once
  for (const Coord tile : fill.tiles) {
    const Rect rect = tile_rect(gemm.plan, p, tile);
    lines.insert(operand == Operand::a ? rect.row : rect.col);
  }
  for (const int first : lines) {
    const Rect rect = operand == Operand::a
                          ? Rect{first, 0, min_of(gemm.plan.block_m, p.m - first), depth}
                          : Rect{0, first, depth, min_of(gemm.plan.block_n, p.n - first)};
    fill_operand(p, operand, fill.data, rect, buffer, fill.threads);
  }
}

/// NaN in all three types: an element never written shows. Where no tile runs, C is left untouched
/// and costs no memory.
void poison(const EmulatedGemm& gemm, const std::vector<Coord>& tiles, std::span<std::byte> c) {
  if (tiles.empty()) std::memset(c.data(), 0xff, c.size());
  const Problem& p = gemm.problem;
  const auto bytes = static_cast<size_t>(element_bytes(p.type_c));
  for (const Coord tile : tiles) {
    const Rect rect = tile_rect(gemm.plan, p, tile);
    for (int row = rect.row; row < rect.row + rect.rows; ++row) {
      const auto first = static_cast<size_t>(global_offset(p, Operand::c, {row, rect.col}));
      std::memset(c.data() + first, 0xff, static_cast<size_t>(rect.cols) * bytes);
    }
  }
}

/// The sentence with `file`'s line where it names the entry's, into which all was inlined.
std::string with_line(std::string message, const emulator::SourceLine& source,
                      const std::string& file, int line) {
  const std::string there = source.file + ":" + std::to_string(source.line);
  const std::string here = file + ":" + std::to_string(line);
  if (const size_t at = message.rfind(there); at != message.npos) {
    return message.replace(at, there.size(), here);
  }
  return message + " (" + here + ")";
}

}  // namespace

KernelPlan plan_told(const KernelRequest& request, const KernelEntry& kernel, int k) {
  KernelRequest told = request;
  Problem& p = told.problem;
  p.lda = leading_dimension(p, Operand::a), p.ldb = leading_dimension(p, Operand::b);
  if (k > 0) p.k = k;
  return plan_of(told, kernel);
}

EmulatedGemm prepare_gemm(const KernelRequest& request, const KernelEntry& kernel,
                          std::string_view ptx, const GemmFill& fill) {
  EmulatedGemm gemm;
  const Problem& p = gemm.problem = request.problem;
  gemm.plan = plan_told(request, kernel, fill.k);
  gemm.program = parse_program(ptx);
  gemm.entry = kEntryName;
  const emulator::EntryInfo* entry = gemm.program->find(kEntryName);
  Problem told = p;
  if (fill.k > 0) told.k = fill.k;
  const MoreArgs more = kernel.more_args ? kernel.more_args(gemm.plan, told) : MoreArgs();
  const auto more_bytes = static_cast<size_t>(more.bytes);
  if (!entry || entry->parameter_bytes != sizeof(GemmArgs) + more_bytes) {
    fail(kFailed, std::string("The PTX has no kernel ") + kEntryName + "(GemmArgs" +
                      (kernel.more_args ? std::string(", ") + kernel.type + "::Parameters" : "") +
                      ").");
  }

  const auto size = [&p](Operand o) { return static_cast<uint64_t>(operand_buffer_bytes(p, o)); };
  const Launch launch = launch_of(gemm.plan);
  uint64_t bytes = static_cast<uint64_t>(launch.workspace_bytes);
  if (p.beta != 0) bytes += 2 * size(Operand::c);
  for (const Operand o : {Operand::a, Operand::b, Operand::c}) bytes += size(o);
  if (fill.skip || !fill.tiles.empty()) {  // pages that nobody touches cost nothing
    require_host_memory(bytes, "A, B and C", "a smaller problem");
    set_aside(bytes);
  } else {
    require_memory(bytes, "A, B and C", "a smaller problem");
  }
  const auto allocate = [&](const char* name, Operand o) {
    return gemm.memory.allocate(name, size(o), o != Operand::c);
  };
  gemm.a = allocate("A", Operand::a), gemm.b = allocate("B", Operand::b);
  gemm.c = allocate("C", Operand::c);
  if (launch.workspace_bytes > 0) {
    gemm.workspace =
        gemm.memory.allocate("workspace", static_cast<uint64_t>(launch.workspace_bytes));
  }
  if (p.beta == 0) gemm.memory.expect_written_first(gemm.c);
  fill_tiles(gemm, fill, Operand::a, gemm.memory.bytes(gemm.a));
  fill_tiles(gemm, fill, Operand::b, gemm.memory.bytes(gemm.b));
  const std::span<std::byte> c = gemm.memory.bytes(gemm.c);
  if (p.beta != 0 && !fill.skip) {
    std::vector<Rect> rects;
    for (const Coord tile : fill.tiles) rects.push_back(tile_rect(gemm.plan, p, tile));
    if (rects.empty()) rects.push_back(whole_of(p, Operand::c));
    for (const Rect& rect : rects) fill_operand(p, Operand::c, fill.data, rect, c, fill.threads);
    if (fill.k == 0)
      gemm.c_before.assign(c.begin(), c.end());  // with another k nothing is verified
  } else if (!fill.skip) {
    poison(gemm, fill.tiles, c);
  }

  GemmArgs args =
      make_args(p, {.a = gemm.a, .b = gemm.b, .c = gemm.c, .workspace = gemm.workspace});
  if (fill.k > 0) args.k = fill.k;
  gemm.launch.parameters.resize(sizeof args + more_bytes);
  std::memcpy(gemm.launch.parameters.data(), &args, sizeof args);
  std::memcpy(gemm.launch.parameters.data() + sizeof args, more.data, more_bytes);
  gemm.launch.grid = dim3({launch.grid_x, launch.grid_y, launch.grid_z});
  gemm.launch.block = {static_cast<uint32_t>(launch.threads), 1, 1};
  gemm.launch.dynamic_shared_bytes = static_cast<uint32_t>(launch.shared_bytes);
  if (stays(gemm.plan.work)) gemm.resident = static_cast<uint64_t>(gemm.plan.work.ctas);
  return gemm;
}

CodeFinding code_finding(const emulator::Finding& finding, const emulator::Program& program,
                         const std::string& file) {
  const emulator::Fault& fault = finding.fault;
  CodeFinding f{emulator::kind_name(fault.kind),
                finding.remark,
                finding.count,
                kernel_line(program, fault.ptx_line, file),
                fault.ptx_line,
                fault.message,
                {fault.cta.x, fault.cta.y, fault.cta.z},
                fault.warp,
                fault.lane};
  if (f.line) f.message = with_line(f.message, fault.source, file, f.line);
  return f;
}

void fail_with(const emulator::Fault& fault, const emulator::Program& program,
               const std::string& file, const std::vector<emulator::Finding>& findings) {
  if (fault.kind == emulator::Fault::Kind::cancelled) fail_cancelled();
  if (fault.kind == emulator::Fault::Kind::limit) {
    fail(kFailed,
         "The kernel had not ended after as many instructions as a run in the emulator may take; "
         "look for a loop that never ends, choose a smaller problem, or allow more with "
         "--max-instructions (of lanes; 0: as many as it takes).",
         {{"fault", emulator::kind_name(fault.kind)}});
  }
  emulator::SourceLine source = fault.source;
  std::string message = fault.message;
  if (const int line = kernel_line(program, fault.ptx_line, file)) {
    message = with_line(std::move(message), source, file, line);
    source = {file, line};
  }
  std::vector<CodeFinding> all;
  for (const emulator::Finding& f : findings) all.push_back(code_finding(f, program, file));
  fail(kFailed, message,
       {{"fault", emulator::kind_name(fault.kind)},
        {"cta", {fault.cta.x, fault.cta.y, fault.cta.z}},
        {"warp", fault.warp},
        {"lane", fault.lane},
        {"address", fault.address},
        {"ptx_line", fault.ptx_line},
        {"file", source.file},
        {"line", source.line},
        {"findings", all}});
}

}  // namespace tilescope::worker
