#include "worker/engine/emulate/emulate.h"

#include <algorithm>
#include <future>
#include <map>

#include "worker/engine/compile/kernel_lines.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/check.h"
#include "worker/engine/emulate/cta_classes.h"
#include "worker/engine/emulate/cure.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/emulate/mismatch.h"
#include "worker/engine/emulate/run_pass.h"
#include "worker/engine/emulate/verify.h"
#include "worker/engine/error.h"
#include "worker/engine/parallel.h"
#include "worker/messages/findings.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

emulator::RunOptions run_options(const EmulateOptions& options) {
  emulator::RunOptions run;
  run.threads = options.threads;
  run.cancel = options.cancelled;
  run.max_warp_instructions = warp_instructions_of(options.max_lane_instructions);
  run.check = options.check;
  run.remarks = true;  // from counts that are made anyway
  return run;
}

/// What runs in parts: the GEMM, and how another text of it is made ready.
struct Runs {
  EmulatedGemm& gemm;
  const KernelEntry& kernel;
  const EmulateOptions& options;
  std::string_view ptx;
  std::function<EmulatedGemm(std::string_view)> prepare;
};

emulator::RunResult run(Runs& runs, std::vector<emulator::Dim3> ctas,
                        std::function<void(uint64_t, uint64_t)> progress) {
  emulator::RunOptions running = run_options(runs.options);
  running.ctas = std::move(ctas);
  emulator::RunOptions again = running;
  running.progress = std::move(progress);
  emulator::RunResult result = runs.gemm.run(std::move(running));
  if (!result.fault) return result;
  if (runs.options.check) {
    tell_cures(result, *runs.gemm.program, runs.ptx, [&](const std::string& ptx, uint64_t most) {
      again.max_warp_instructions = most;
      return runs.prepare(ptx).run(again);
    });
  }
  fail_with(*result.fault, *runs.gemm.program, runs.kernel.file, result.findings);
}

}  // namespace

CountedTraffic counted_traffic(const emulator::Counts& counts, const emulator::Program& program,
                               const std::string& file) {
  CountedTraffic t;
  t.ctas = t.ctas_executed = counts.ctas;
  t.warp_instructions = counts.warp_instructions;
  t.lane_instructions = counts.lane_instructions;
  t.mma = counts.mma;
  t.barriers = counts.barriers;
  t.polls = counts.polls;
  t.by_opcode = counts.by_opcode;
  const auto global = [](const emulator::GlobalCounts& g) {
    return CountedTraffic::Global{g.requests, g.sectors, g.bytes};
  };
  const auto shared = [](const emulator::SharedCounts& s) {
    return CountedTraffic::Shared{s.requests, s.wavefronts, s.ideal, s.bytes};
  };
  t.global_load = global(counts.global_load), t.global_store = global(counts.global_store);
  t.shared_load = shared(counts.shared_load), t.shared_store = shared(counts.shared_store);
  t.shared_copy = shared(counts.shared_copy);
  t.bulk_load = global(counts.bulk_load), t.bulk_store = global(counts.bulk_store);
  t.shared_product = shared(counts.shared_product);
  std::map<int, CountedTraffic::Line> lines;
  for (const emulator::LineCounts& l : counts.lines) {
    t.ptx_lines.push_back(
        {l.ptx_line, l.warp_instructions, l.sectors, l.wavefronts, l.ideal_wavefronts});
    const int number = kernel_line(program, l.ptx_line, file);
    if (number == 0) continue;
    CountedTraffic::Line& line = lines[number];
    line.line = number;
    line.warp_instructions += l.warp_instructions;
    line.sectors += l.sectors;
    line.wavefronts += l.wavefronts;
    line.ideal += l.ideal_wavefronts;
  }
  for (const auto& [number, line] : lines) t.source_lines.push_back(line);
  return t;
}

namespace {

EmulateResult run_gemm(const KernelRequest& request, const KernelEntry& kernel,
                       std::string_view ptx, const EmulateOptions& options) {
  const Problem& p = request.problem;
  EmulateResult result;
  result.threads = options.threads;
  result.whole = options.scope == EmulateOptions::Scope::whole ||
                 (options.scope == EmulateOptions::Scope::automatic &&
                  1.0 * p.m * p.n * p.k <= EmulateOptions::kWholeLimit);
  std::vector<CtaClass> classes;
  GemmFill fill{options.data, {}, options.threads};
  fill.unpacked = true;
  if (!result.whole) {
    classes = cta_classes(plan_of(request, kernel), p);
    fill.tiles = tiles_of(classes);
  }
  emulator::Counts counts;
  std::vector<Rect> rects;
  const auto prepare = [&](std::string_view text) {
    EmulatedGemm ready = prepare_gemm(request, kernel, text, fill);
    if (ready.pass) {
      PassRun pass = run_pass(ready, fill, run_options(options));
      counts = std::move(pass.counts);
      result.seconds = pass.seconds;
    }
    return ready;
  };
  EmulatedGemm gemm = prepare(ptx);
  Runs runs{gemm, kernel, options, ptx, prepare};
  const auto take_findings = [&](const emulator::RunResult& ran) {
    for (const emulator::Finding& finding : ran.findings) {
      CodeFinding f = code_finding(finding, *gemm.program, kernel.file);
      const auto known = std::find_if(
          result.findings.begin(), result.findings.end(), [&](const CodeFinding& other) {
            const bool same_line = f.line > 0 ? other.line == f.line : other.ptx_line == f.ptx_line;
            return other.kind == f.kind && same_line;
          });
      if (known == result.findings.end()) result.findings.push_back(std::move(f));
    }
  };
  if (result.whole) {
    emulator::RunResult ran = run(runs, {}, options.progress);
    take_findings(ran);
    counts += ran.counts;
    result.seconds += ran.seconds;
    rects = rects_of(p);
  } else {
    // One run a class: the emulator sums over a run's CTAs, and each class has its own factor.
    for (size_t i = 0; i < classes.size(); ++i) {
      const CtaClass& c = classes[i];
      std::vector<emulator::Dim3> ctas;
      for (const BlockIndex at : c.ctas) ctas.push_back(dim3(at));
      const emulator::RunResult ran = run(runs, std::move(ctas), nullptr);
      counts += ran.counts.scaled(c.count);
      take_findings(ran);
      result.seconds += ran.seconds;
      for (const Coord tile : c.completed) rects.push_back(tile_rect(gemm.plan, p, tile));
      if (options.progress) options.progress(i + 1, classes.size());
    }
  }
  result.counted = counted_traffic(counts, *gemm.program, kernel.file);
  result.arithmetic = gemm.arithmetic();
  if (!result.whole) {
    result.counted.ctas_executed = executed_ctas(classes);
    result.counted.exact = classes_are_exact(gemm.plan);
  }
  if (options.verify) {
    result.verified = verify(reference_input(gemm, p), gemm.data(gemm.c), rects,
                             tolerance_of(p, gemm.plan), options.threads);
    result.verified->ctas = result.counted.ctas_executed;
    result.verified->of_ctas = result.counted.ctas;
  }
  if (options.cancelled && options.cancelled->load()) fail_cancelled();
  return result;
}

}  // namespace

EmulateResult emulate(const KernelRequest& request, const KernelEntry& kernel, std::string_view ptx,
                      const EmulateOptions& options) {
  if (options.check) {
    EmulateResult result = run_gemm(request, kernel, ptx, options);
    result.checks = {result.counted.ctas_executed, request.problem.k, true, {}};
    if (result.verified && !result.verified->ok) {
      explain(request, kernel, ptx, *result.verified, options.cancelled, result.checks);
    }
    return result;
  }
  CheckOptions checking{false, options.data, 1, options.max_lane_instructions, options.cancelled};
  const auto check = [&] { return check_classes(request, kernel, ptx, checking); };
  // Beside the run: one CTA of a class uses one thread, and a verdict must not wait for both.
  auto checks = std::async(kHasThreads ? std::launch::async : std::launch::deferred, check);
  // Where something is wrong, what is wrong may lie anywhere along k.
  const auto look_closer = [&] {
    CheckResult found = checks.get();
    if (first_error(found.findings) || found.whole_k) return found;
    checking.whole_k = true, checking.threads = options.threads;
    return check();
  };
  try {
    EmulateResult result = run_gemm(request, kernel, ptx, options);
    const bool wrong = result.verified && !result.verified->ok;
    result.checks = wrong ? look_closer() : checks.get();
    if (wrong) explain(request, kernel, ptx, *result.verified, options.cancelled, result.checks);
    return result;
  } catch (RpcError& error) {
    if (!error.data.is_object() || !error.data.contains("fault")) throw;
    if (error.data["fault"] == "limit") throw;  // all of k would take even longer
    if (CheckResult found = look_closer(); first_error(found.findings))
      error.data["findings"] = found.findings;
    throw;
  }
}

}  // namespace tilescope::worker
