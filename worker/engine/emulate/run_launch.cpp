#include "worker/engine/emulate/run_launch.h"

#include <algorithm>
#include <fstream>
#include <span>

#include "core/sheet/sheet_error.h"
#include "emulator/provenance.h"
#include "worker/engine/emulate/cure.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/emulate/emulated_launch.h"
#include "worker/engine/emulate/expected.h"
#include "worker/engine/emulate/findings_json.h"
#include "worker/engine/emulate/sheet_gemm.h"
#include "worker/engine/error.h"
#include "worker/messages/provenance_json.h"

namespace tilescope::worker {
namespace {

using emulator::Dim3;
using emulator::Provenance;

std::vector<Dim3> chosen_ctas(const RunRequest& request, Dim3 grid) {
  std::vector<Dim3> ctas;
  if (!request.ctas) return ctas;
  const auto [first, last] = *request.ctas;
  const uint64_t all = uint64_t{grid.x} * grid.y * grid.z;
  if (last < first || last >= all) {
    fail(kUsage, "CTAs " + std::to_string(first) + " to " + std::to_string(last) +
                     " are not all there; the grid has " + std::to_string(all) + ".");
  }
  for (uint64_t i = first; i <= last; ++i) {
    ctas.push_back({static_cast<uint32_t>(i % grid.x), static_cast<uint32_t>(i / grid.x % grid.y),
                    static_cast<uint32_t>(i / grid.x / grid.y)});
  }
  return ctas;
}

/// A value of a CTA at the end or at a moment; each question is a run of its own on fresh buffers.
std::string answer(const RunRequest& request, const OriginQuestion& q, Dim3 cta,
                   const std::atomic<bool>* cancelled) {
  const auto warp = static_cast<uint32_t>(q.warp);
  Provenance::Options following;
  following.ctas = {cta};
  if (q.ptx_line > 0) {
    EmulatedLaunch launch = prepare_launch(request.launch);
    following.until = Provenance::find_moment(*launch.program, launch.entry, launch.launch,
                                              launch.memory, cta, warp, q.ptx_line, q.times);
    if (!following.until) {
      fail(kUsage, "--ask: PTX line " + std::to_string(q.ptx_line) +
                       " is no load, store, copy, barrier, fma or mma that warp " +
                       std::to_string(q.warp) + " runs " + std::to_string(q.times) + " times.");
    }
  }
  EmulatedLaunch launch = prepare_launch(request.launch);
  Provenance provenance(following);
  emulator::RunOptions options;
  options.ctas = {cta};
  options.provenance = &provenance;
  options.cancel = cancelled;
  options.max_warp_instructions = warp_instructions_of(request.max_lane_instructions);
  launch.run(std::move(options));
  if (q.what == "shared") {
    const auto bytes = static_cast<uint32_t>(q.bytes);
    return "shared byte " + std::to_string(q.offset) + " = " +
           emulator::to_text(provenance.of_shared(cta, q.offset, bytes), launch.memory);
  }
  const emulator::Value value =
      provenance.of_register(cta, warp, static_cast<uint32_t>(q.lane), q.name, q.half);
  return q.name + " in lane " + std::to_string(q.lane) + " of warp " + std::to_string(q.warp) +
         " = " + emulator::to_text(value, launch.memory);
}

std::vector<std::string> stored_lines(const Provenance& provenance,
                                      const emulator::Memory& memory) {
  std::vector<std::string> lines;
  for (const emulator::Stored& s : provenance.stored()) {
    lines.push_back(memory.name(s.first.buffer) + "+" + std::to_string(s.first.offset) + ", " +
                    std::to_string(s.count) + " x " + std::to_string(s.bytes) +
                    " B = " + emulator::to_text(s.value, memory));
  }
  return lines;
}

std::vector<uint64_t> write_dumps(const RunRequest& request, const std::vector<uint64_t>& buffers,
                                  const emulator::Memory& memory) {
  std::vector<uint64_t> written;
  if (request.dumps.empty()) return written;
  std::ofstream out(request.dumped, std::ios::binary);
  for (const int index : request.dumps) {
    if (index < 0 || static_cast<size_t>(index) >= buffers.size()) {
      fail(kUsage, "Buffer " + std::to_string(index) + " is not there; the launch has " +
                       std::to_string(buffers.size()) + ".");
    }
    const std::span<const std::byte> bytes = memory.bytes(buffers[static_cast<size_t>(index)]);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    written.push_back(bytes.size());
  }
  out.close();
  if (!out) {
    fail(kFailed, "What the buffers hold cannot be written to " + request.dumped +
                      "; dump fewer or smaller ones.");
  }
  return written;
}

/// A finding with the line of the launch's own source, else with that of another file.
CodeFinding told_finding(const emulator::Finding& finding, const emulator::Program& program,
                         const std::string& source) {
  CodeFinding f = code_finding(finding, program, source);
  f.message = finding.fault.message;  // its lines stand in it already
  if (f.line == 0) f.line = finding.fault.source.line, f.file = finding.fault.source.file;
  return f;
}

void tell_findings(const RunRequest& request, const emulator::RunResult& result,
                   const emulator::Program& program, RunAnswer& answer) {
  const std::string source = source_name(request.launch);
  if (request.check) {
    for (const emulator::Finding& f : result.findings)
      answer.findings.push_back(told_finding(f, program, source));
  }
  if (!result.fault) return;
  emulator::Finding fault;
  fault.fault = *result.fault;
  answer.fault = told_finding(fault, program, source);
}

}  // namespace

LaunchRun run_launch(const RunRequest& request, const std::atomic<bool>* cancelled) try {
  LaunchRun all;
  EmulatedLaunch launch = prepare_launch(request.launch);
  emulator::RunOptions options;
  options.ctas = chosen_ctas(request, launch.launch.grid);
  const Dim3 first = options.ctas.empty() ? Dim3{0, 0, 0} : options.ctas.front();
  options.threads = request.threads;
  options.max_warp_instructions = warp_instructions_of(request.max_lane_instructions);
  options.check = request.check;
  options.cancel = cancelled;
  Provenance provenance;
  if (request.provenance != RunRequest::Provenance::none) options.provenance = &provenance;
  // Of a few CTAs alone C has nothing elsewhere.
  std::optional<SheetGemm> gemm;
  std::optional<ExpectedBuffers> expected;
  if (!request.ctas && request.launch.sheet) {
    const sheet::LaunchSheet& sheet = *request.launch.sheet;
    if (sheet.gemm) gemm.emplace(sheet, launch);
    if (sheet.expect && !sheet.expect->empty()) expected.emplace(request, launch);
  }
  emulator::RunOptions again = options;
  again.provenance = nullptr;
  emulator::RunResult result = launch.run(std::move(options));
  if (request.check) {
    tell_cures(result, *launch.program, request.launch.ptx,
               [&](const std::string& ptx, uint64_t most) {
                 LaunchRequest changed = request.launch;
                 changed.ptx = ptx;
                 again.max_warp_instructions = most;
                 return prepare_launch(changed).run(again);
               });
  }
  all.output = std::move(result.output);
  all.answer.counted = counted_traffic(result.counts, *launch.program, source_name(request.launch));
  // There may be many.
  if (!request.by_line)
    all.answer.counted.ptx_lines.clear(), all.answer.counted.source_lines.clear();
  tell_findings(request, result, *launch.program, all.answer);
  all.answer.seconds = result.seconds;
  all.answer.arithmetic = launch.arithmetic();
  if (request.check) all.document["findings"] = findings_json(result.findings);
  if (result.fault) {
    all.document["fault"] = fault_json(*result.fault);
    all.document["message"] = result.fault->message;
    return all;
  }
  all.answer.dumped = write_dumps(request, launch.buffers, launch.memory);
  if (gemm) all.answer.gemm = gemm->verdict(launch, result.counts, request.threads, cancelled);
  if (expected) all.answer.expected = expected->verdicts(request, launch, cancelled);
  for (const OriginQuestion& q : request.asks) {
    all.answer.answers.push_back(answer(request, q, first, cancelled));
  }
  if (request.provenance == RunRequest::Provenance::json) {
    all.document["provenance"] = provenance_json(provenance, request.argument_of);
  } else if (request.provenance == RunRequest::Provenance::text) {
    all.document["provenance"] = stored_lines(provenance, launch.memory);
  }
  return all;
} catch (const sheet::SheetError& error) {
  fail(kUsage, error.what());
}

}  // namespace tilescope::worker
