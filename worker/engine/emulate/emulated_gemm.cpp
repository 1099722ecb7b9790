#include "worker/engine/emulate/emulated_gemm.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <string>

#include "kernels/common/args.h"
#include "worker/engine/compile/kernel_lines.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/cta_classes.h"
#include "worker/engine/error.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

std::shared_ptr<const emulator::Program> parse(std::string_view ptx) {
  auto parsed = emulator::Program::parse(ptx);
  if (auto* program = std::get_if<0>(&parsed)) return *program;
  const auto& errors = std::get<1>(parsed);
  nlohmann::json list = nlohmann::json::array();
  for (const emulator::ParseError& error : errors) {
    if (list.size() < 100)
      list.push_back({{"ptx_line", error.ptx_line}, {"message", error.message}});
  }
  fail(kFailed, errors.empty() ? "The PTX could not be read." : errors.front().message,
       {{"errors", std::move(list)}});
}

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

EmulatedGemm::Place EmulatedGemm::locate(uint64_t address) const {
  const emulator::Memory::Location at = memory.locate(address);
  return {at.buffer >= 0 && at.buffer < 3 ? at.buffer : -1, at.offset};
}

KernelPlan plan_told(const KernelRequest& request, const KernelEntry& kernel, int k) {
  KernelRequest told = request;
  Problem& p = told.problem;
  p.lda = leading_dimension(p, Operand::a), p.ldb = leading_dimension(p, Operand::b);
  if (k > 0) p.k = k;
  return plan_of(told, kernel);
}

emulator::RunResult EmulatedGemm::run(emulator::RunOptions options) {
  // A run that was cut short leaves it as it was then.
  if (workspace != 0) std::ranges::fill(memory.bytes(workspace), std::byte{0});
  if (stays(plan.work)) options.resident = static_cast<uint64_t>(plan.work.ctas);
  return emulator::run(*program, kEntryName, launch, memory, options);
}

void require_host_memory(uint64_t bytes) {
  std::ifstream in("/proc/meminfo");
  std::string word;
  uint64_t kib = 0;
  while (in >> word) {
    if (word == "MemAvailable:" && in >> kib) break;
  }
  if (kib == 0 || bytes / 1024 <= kib) return;
  char text[200];
  std::snprintf(
      text, sizeof text,
      "The emulator needs %.1f GB of memory for A, B and C, %.1f GB free; choose a smaller "
      "problem.",
      static_cast<double>(bytes) / 1e9, static_cast<double>(kib) * 1024 / 1e9);
  fail(kMissing, text);
}

EmulatedGemm prepare_gemm(const KernelRequest& request, const KernelEntry& kernel,
                          std::string_view ptx, const GemmFill& fill) {
  EmulatedGemm gemm;
  const Problem& p = gemm.problem = request.problem;
  gemm.plan = plan_told(request, kernel, fill.k);
  gemm.program = parse(ptx);
  const emulator::EntryInfo* entry = gemm.program->find(kEntryName);
  if (!entry || entry->parameter_bytes != sizeof(GemmArgs)) {
    fail(kFailed, std::string("The PTX has no kernel ") + kEntryName + "(GemmArgs).");
  }

  const auto size = [&p](Operand o) { return static_cast<uint64_t>(operand_buffer_bytes(p, o)); };
  const Launch launch = launch_of(gemm.plan);
  uint64_t bytes = static_cast<uint64_t>(launch.workspace_bytes);
  if (p.beta != 0) bytes += 2 * size(Operand::c);
  for (const Operand o : {Operand::a, Operand::b, Operand::c}) bytes += size(o);
  require_host_memory(bytes);
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
  gemm.launch.parameters.resize(sizeof args);
  std::memcpy(gemm.launch.parameters.data(), &args, sizeof args);
  gemm.launch.grid = dim3({launch.grid_x, launch.grid_y, launch.grid_z});
  gemm.launch.block = {static_cast<uint32_t>(launch.threads), 1, 1};
  gemm.launch.dynamic_shared_bytes = static_cast<uint32_t>(launch.shared_bytes);
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
