#include "worker/engine/layer/emulated_layer.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "worker/engine/compile/compiler.h"
#include "worker/engine/compile/legal.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/engine/emulate/memory_limit.h"
#include "worker/engine/emulate/run_pass.h"
#include "worker/engine/error.h"
#include "worker/engine/layer/emulated_sum.h"
#include "worker/engine/layer/layer_data.h"
#include "worker/engine/layer/layer_reference.h"

namespace tilescope::worker {
namespace {

using workload::Range;
using workload::Slice;
using workload::Step;
using workload::StepKind;
using workload::Workload;

double multiplied(const Workload& w) {
  double all = 0;
  for (const Step& step : w.steps) {
    for (int rank = 0; rank < w.layer.ranks; ++rank) {
      if (step.kind == StepKind::gemm) all += flop_of(w, step, rank) / 2;
    }
  }
  return all;
}

class Ranks {
 public:
  Ranks(const LayerRequest& request, const EmulateLayerOptions& options)
      : request_(request), options_(options), w_(make_workload(request.layer)) {}

  const Workload& workload() const { return w_; }

  void allocate() {
    for (int rank = 0; rank < w_.layer.ranks; ++rank) {
      std::vector<std::vector<std::byte>> mine(w_.matrices.size());
      for (int m = 0; m < static_cast<int>(mine.size()); ++m) {
        if (place_of(w_, m) != m) continue;
        mine[static_cast<size_t>(m)].resize(static_cast<size_t>(held_bytes(w_, m, rank)));
        // An element that nobody computes shows.
        fill_untouched(w_.matrices[static_cast<size_t>(m)].type, mine[static_cast<size_t>(m)]);
        if (w_.matrices[static_cast<size_t>(m)].given) {
          fill_part(w_, m, rank, request_.seed, mine[static_cast<size_t>(m)], options_.threads);
        }
      }
      parts_.push_back(std::move(mine));
    }
  }

  void run(int number) {
    const Step& step = w_.steps[static_cast<size_t>(number)];
    if (step.kind == StepKind::all_reduce) return add(step);
    if (step.kind == StepKind::all_gather) return gather(step);
    for (int rank = 0; rank < w_.layer.ranks; ++rank) {
      if (step.kind == StepKind::column_sum) {
        const Slice s = slice_of(w_, step.a, rank);
        emulate_column_sum(w_.matrices[static_cast<size_t>(step.a)].type, s.rows.count,
                           s.cols.count, part(rank, step.a), part(rank, step.c), sum_options());
        continue;
      }
      for (int chunk = 0; chunk < step.chunks; ++chunk) multiply(number, rank, chunk);
    }
  }

  /// A CTA of each kind of a product, on data of its own; ranks and chunks alike are done once.
  void sample(int number, Comparison& sum, double& tolerance, double& square) {
    const Step& step = w_.steps[static_cast<size_t>(number)];
    std::vector<Problem> done;
    for (int rank = 0; rank < w_.layer.ranks; ++rank) {
      for (int chunk = 0; chunk < step.chunks; ++chunk) {
        KernelRequest one = request_of(number, rank, chunk);
        one.problem.offset_a = one.problem.offset_c = 0;
        if (std::ranges::find(done, one.problem) != done.end()) continue;
        done.push_back(one.problem);
        EmulateOptions how;
        how.scope = EmulateOptions::Scope::classes;
        how.data.seed = request_.seed;
        how.threads = options_.threads, how.cancelled = options_.cancelled;
        const KernelEntry& kernel = require_legal(one, options_.limits);
        const Verification v = *emulate(one, kernel, ptx_of(one), how).verified;
        // As sums of squares over what usual elements have; without a norm what is no number
        // counts.
        const auto count = static_cast<double>(v.elements);
        const bool numbers = v.none.count() == 0;
        sum.add({.difference = numbers ? v.norm * v.norm * count : 0,
                 .reference = count,
                 .worst = numbers ? v.worst : 0,
                 .worst_row = v.worst_row,
                 .worst_col = v.worst_col,
                 .none = v.none,
                 .first_row = v.first_row,
                 .first_col = v.first_col,
                 .elements = v.elements});
        tolerance = std::max(tolerance, v.tolerance), square = 1;
      }
    }
  }

  /// The first CTAs' columns of a column sum, on data of their own.
  void sample_sum(int number, Comparison& sum, double& tolerance, double& square) {
    const Step& step = w_.steps[static_cast<size_t>(number)];
    const Slice s = slice_of(w_, step.a, 0);
    const ElementType type = w_.matrices[static_cast<size_t>(step.a)].type;
    Problem p;  // of what is summed, as A, and of the sums, as C
    p.m = s.rows.count, p.type_a = type;
    p.k = p.n =
        min_of(s.cols.count,
               ColumnSum{.width = column_sum_width(type, s.cols.count, s.cols.count)}.cta_cols());
    std::vector<std::byte> from(static_cast<size_t>(operand_buffer_bytes(p, Operand::a)));
    fill_operand(p, Operand::a, {DataSpec::Kind::random, request_.seed}, whole_of(p, Operand::a),
                 from, options_.threads);
    std::vector<double> expected(static_cast<size_t>(p.n));
    for (size_t i = 0; i < static_cast<size_t>(operand_elements(p, Operand::a)); ++i) {
      expected[i % expected.size()] += load_element(type, from.data(), i);
    }
    std::vector<std::byte> to(expected.size() * sizeof(float));
    emulate_column_sum(type, p.m, p.n, from, to, sum_options());
    const int rows = p.m;
    p.m = 1;
    sum.add(p, {0, 0, 1, p.n}, expected, to.data());
    tolerance = column_sum_tolerance(rows), square = kSquareOfData * rows;
  }

  std::span<std::byte> part(int rank, int matrix) {
    return parts_[static_cast<size_t>(rank)][static_cast<size_t>(place_of(w_, matrix))];
  }

 private:
  EmulateSumOptions sum_options() const {
    return {options_.arch, options_.kernel_dir, request_.sms, options_.threads, options_.cancelled};
  }
  KernelRequest request_of(int step, int rank, int chunk) const {
    const StepChoice& choice = request_.choices[static_cast<size_t>(step)];
    return {choice.kernel, choice.tile,
            problem_of(w_, w_.steps[static_cast<size_t>(step)], rank, chunk), request_.sms};
  }
  std::string ptx_of(const KernelRequest& one) const {
    return Compiler::shared()
        .compile(one, options_.arch, options_.kernel_dir, options_.cancelled, true)
        ->result.ptx;
  }

  void multiply(int number, int rank, int chunk) {
    const Step& step = w_.steps[static_cast<size_t>(number)];
    const KernelRequest one = request_of(number, rank, chunk);
    const KernelEntry& kernel = require_legal(one, options_.limits);
    GemmFill fill;
    fill.skip = fill.unpacked = true;
    EmulatedGemm gemm = prepare_gemm(one, kernel, ptx_of(one), fill);
    const auto bring = [&](uint64_t address, int matrix) {
      const std::span<std::byte> to = gemm.memory.bytes(address);
      std::memcpy(to.data(), part(rank, matrix).data(), to.size());
    };
    bring(gemm.given_a, step.a), bring(gemm.given_b, step.b);
    if (one.problem.bias) bring(gemm.bias, step.bias);
    const std::span<std::byte> c = gemm.memory.bytes(gemm.c);
    fill_untouched(one.problem.type_c, c);
    emulator::RunOptions run;
    run.threads = options_.threads, run.cancel = options_.cancelled;
    if (gemm.pass) run_pass(gemm, fill, run);
    const emulator::RunResult ran = gemm.run(std::move(run));
    if (ran.fault) fail_with(*ran.fault, *gemm.program, kernel.file, ran.findings);
    // The chunk's rows, which are the last that the buffer has.
    const auto first = static_cast<size_t>(global_offset(one.problem, Operand::c, {0, 0}));
    std::memcpy(part(rank, step.c).data() + first, c.data() + first, c.size() - first);
  }

  void add(const Step& step) {
    const std::span<std::byte> sum = part(0, step.c);
    for (size_t i = 0; i < sum.size() / sizeof(float); ++i) {
      float all = 0;
      for (int rank = 0; rank < w_.layer.ranks; ++rank) {
        all += load_element(ElementType::f32, part(rank, step.a).data(), i);
      }
      for (int rank = 0; rank < w_.layer.ranks; ++rank) {
        store_element(ElementType::f32, part(rank, step.c).data(), i, all);
      }
    }
  }

  void gather(const Step& step) {
    const auto bytes =
        static_cast<size_t>(element_bytes(w_.matrices[static_cast<size_t>(step.a)].type));
    const auto pitch = static_cast<size_t>(w_.matrices[static_cast<size_t>(step.c)].cols) * bytes;
    for (int from = 0; from < w_.layer.ranks; ++from) {
      const Slice s = slice_of(w_, step.a, from);
      const size_t line = static_cast<size_t>(s.cols.count) * bytes;
      for (int to = 0; to < w_.layer.ranks; ++to) {
        for (int row = 0; row < s.rows.count; ++row) {
          std::memcpy(part(to, step.c).data() + static_cast<size_t>(s.rows.first + row) * pitch +
                          static_cast<size_t>(s.cols.first) * bytes,
                      part(from, step.a).data() + static_cast<size_t>(row) * line, line);
        }
      }
    }
  }

  const LayerRequest& request_;
  const EmulateLayerOptions& options_;
  const Workload w_;
  std::vector<std::vector<std::vector<std::byte>>> parts_;  // by rank and matrix
};

void run_whole(Ranks& ranks, const LayerRequest& request, const EmulateLayerOptions& options,
               LayerResult& result) {
  const Workload& w = ranks.workload();
  const Workload one = make_workload(on_one_rank(w.layer));
  double bytes = LayerReference::bytes(one);
  for (int rank = 0; rank < w.layer.ranks; ++rank) bytes += held_bytes(w, rank);
  require_memory(static_cast<uint64_t>(bytes), "the layer's matrices", "a smaller layer");
  ranks.allocate();
  for (int step = 0; step < static_cast<int>(w.steps.size()); ++step) {
    if (options.progress) {
      options.progress(w.steps[static_cast<size_t>(step)].name, step,
                       static_cast<int>(w.steps.size()));
    }
    ranks.run(step);
    if (options.cancelled && options.cancelled->load()) fail_cancelled();
  }
  const LayerReference reference(one, request.seed, options.threads);
  for (int m = 0; m < static_cast<int>(w.matrices.size()); ++m) {
    const int expected = expected_matrix(w, m, one);
    if (w.matrices[static_cast<size_t>(m)].given || expected < 0) continue;
    Comparison sum;
    for (int rank = 0; rank < w.layer.ranks; ++rank) {
      reference.compare(w, m, rank, expected, ranks.part(rank, m).data(), sum);
    }
    result.checks.push_back(
        {w.matrices[static_cast<size_t>(m)].name,
         sum.result(matrix_tolerance(one, expected), matrix_square(one, expected))});
  }
}

void run_samples(Ranks& ranks, const EmulateLayerOptions& options, LayerResult& result) {
  const Workload& w = ranks.workload();
  for (int step = 0; step < static_cast<int>(w.steps.size()); ++step) {
    const Step& s = w.steps[static_cast<size_t>(step)];
    if (is_collective(s)) continue;
    if (options.progress) options.progress(s.name, step, static_cast<int>(w.steps.size()));
    Comparison sum;
    double tolerance = 0, square = 0;
    if (s.kind == StepKind::gemm) {
      ranks.sample(step, sum, tolerance, square);
    } else {
      ranks.sample_sum(step, sum, tolerance, square);
    }
    result.checks.push_back(
        {w.matrices[static_cast<size_t>(s.c)].name, sum.result(tolerance, square)});
  }
}

}  // namespace

LayerResult emulate_layer(const LayerRequest& request, const EmulateLayerOptions& options) {
  Ranks ranks(request, options);
  const Workload& w = ranks.workload();
  if (request.choices.size() != w.steps.size()) {
    fail(kUsage, "The layer has " + std::to_string(w.steps.size()) +
                     " steps, and kernels are chosen "
                     "for " +
                     std::to_string(request.choices.size()) + ".");
  }
  LayerResult result;
  result.device = "emulator";
  result.whole = multiplied(w) <= EmulateLayerOptions::kWholeLimit;
  const bool collects = std::ranges::any_of(w.steps, workload::is_collective);
  if (collects) {
    result.collective = result.whole ? "sums and copies on the host, rank after rank" : "not run";
  }
  const auto begin = std::chrono::steady_clock::now();
  if (result.whole) {
    run_whole(ranks, request, options, result);
  } else {
    run_samples(ranks, options, result);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace tilescope::worker
