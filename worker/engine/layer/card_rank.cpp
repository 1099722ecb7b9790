#include "worker/engine/layer/card_rank.h"

#include <algorithm>

#include "worker/engine/compile/compiler.h"
#include "worker/engine/compile/legal.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/error.h"
#include "worker/engine/gpu/gpu_kernels.h"
#include "worker/engine/layer/layer_data.h"

namespace tilescope::worker {

using workload::Matrix;
using workload::Slice;
using workload::Step;
using workload::StepKind;
using workload::Workload;

void CardSums::prepare(ElementType type, const ColumnSum& sum) {
  std::unique_ptr<GpuModule>& module = modules_[{type, sum.width}];
  if (module) return;
  const auto compiled = Compiler::shared().compile(
      SourceRequest{column_sum_source(type, sum.width), options_.kernel_dir, gpu_.arch()},
      options_.cancelled);
  module = std::make_unique<GpuModule>(gpu_, compiled->cubin, compiled->result.ptx,
                                       "NVRTC for " + compiled->result.arch);
}

void CardSums::enqueue(ElementType type, const ColumnSumArgs& args, cuda::Stream stream) {
  const cuda::Function function =
      modules_.at({type, args.sum.width})->function(kColumnSumEntryName);
  const Launch shape = column_sum_launch(args.sum);
  ColumnSumArgs passed = args;
  void* parameters[] = {&passed};
  launch(gpu_, function,
         {.grid_x = static_cast<unsigned>(shape.grid_x),
          .grid_y = static_cast<unsigned>(shape.grid_y),
          .threads = static_cast<unsigned>(shape.threads),
          .shared_bytes = static_cast<unsigned>(shape.shared_bytes)},
         parameters, "the column sum", stream);
}

CardRank::CardRank(const Gpu& gpu, const GpuTools& tools, const Workload& w,
                   const LayerRequest& request, int rank, const CardLayerOptions& options)
    : gpu_(gpu), w_(w), rank_(rank), sums_(gpu, options) {
  for (int m = 0; m < static_cast<int>(w.matrices.size()); ++m) {
    const Matrix& matrix = w.matrices[static_cast<size_t>(m)];
    if (place_of(w, m) != m) {
      buffers_.emplace_back();
      continue;
    }
    const Slice s = slice_of(w, m, rank);
    // Is poisoned by words.
    const size_t bytes = (static_cast<size_t>(held_bytes(w, m, rank)) + 3) / 4 * 4;
    buffers_.emplace_back(gpu, bytes);
    if (!matrix.given) continue;
    GpuFill f;
    f.to = buffers_.back().address();
    f.count = static_cast<uint64_t>(s.elements());
    f.seed_mixed = matrix_seed(request.seed, matrix.name);
    f.type = static_cast<int>(matrix.type);
    f.first = static_cast<uint64_t>(
        element_index(Order::row_major, matrix.cols, s.rows.first, s.cols.first));
    f.cols = static_cast<uint64_t>(s.cols.count), f.leading = static_cast<uint64_t>(matrix.cols);
    tools.fill(f);
  }
  for (int step = 0; step < static_cast<int>(w.steps.size()); ++step) {
    const StepKind kind = w.steps[static_cast<size_t>(step)].kind;
    if (kind == StepKind::gemm) load_product(step, request, options);
    if (kind == StepKind::column_sum) load_sum(step);
  }
  gpu.synchronize("the data's kernel");
}

cuda::DevicePointer CardRank::address(int matrix) const {
  return buffers_[static_cast<size_t>(place_of(w_, matrix))].address();
}

void CardRank::load_product(int number, const LayerRequest& request,
                            const CardLayerOptions& options) {
  const Step& step = w_.steps[static_cast<size_t>(number)];
  const StepChoice& choice = request.choices[static_cast<size_t>(number)];
  const bool beside = w_.layer.overlap && w_.layer.ranks > 1;
  const int spare = beside ? std::clamp(request.spare_sms, 0, request.sms - 1) : 0;
  for (int chunk = 0; chunk < step.chunks; ++chunk) {
    const KernelRequest one{choice.kernel, choice.tile, problem_of(w_, step, rank_, chunk),
                            request.sms - spare};
    const KernelEntry& kernel = require_legal(one, gpu_.limits());
    const auto compiled =
        Compiler::shared().compile(one, gpu_.arch(), options.kernel_dir, options.cancelled);
    const Code code{compiled->result.ptx, compiled->cubin, compiled->result};
    const BufferAddresses given{.a = address(step.a),
                                .b = address(step.b),
                                .c = address(step.c),
                                .bias = step.bias >= 0 ? address(step.bias) : 0};
    products_[{number, chunk}] = std::make_unique<LoadedKernel>(gpu_, given, one, kernel, code);
  }
}

void CardRank::load_sum(int number) {
  const Step& step = w_.steps[static_cast<size_t>(number)];
  const Slice s = slice_of(w_, step.a, rank_);
  Sum sum;
  sum.type = w_.matrices[static_cast<size_t>(step.a)].type;
  const int sms = gpu_.limits().sm_count;
  sum.first.sum = column_sum_of(sum.type, s.rows.count, s.cols.count, s.cols.count, sms);
  sum.first.from = address(step.a), sum.first.to = address(step.c);
  sums_.prepare(sum.type, sum.first.sum);
  if (const int parts = sum.first.sum.parts; parts > 1) {
    sum.parts = GpuBuffer(gpu_, static_cast<size_t>(column_sum_out(sum.first.sum, parts, 0)) * 4);
    sum.second = {sum.parts.address(), sum.first.to,
                  column_sum_of(ElementType::f32, parts, s.cols.count, s.cols.count, sms)};
    sum.second.sum.parts = 1;
    sum.first.to = sum.parts.address();
    sums_.prepare(ElementType::f32, sum.second.sum);
  }
  column_sums_[number] = std::move(sum);
}

void CardRank::enqueue(int step, int chunk) {
  if (const auto product = products_.find({step, chunk}); product != products_.end()) {
    return product->second->enqueue();
  }
  const Sum& sum = column_sums_.at(step);
  sums_.enqueue(sum.type, sum.first, gpu_.stream());
  if (sum.first.sum.parts > 1) sums_.enqueue(ElementType::f32, sum.second, gpu_.stream());
}

void CardRank::poison() const {
  for (size_t m = 0; m < buffers_.size(); ++m) {
    if (w_.matrices[m].given || buffers_[m].bytes() == 0) continue;
    gpu_.driver().check(
        gpu_.driver().call().set_words(buffers_[m].address(), untouched_word(w_.matrices[m].type),
                                       buffers_[m].bytes() / 4, gpu_.stream()),
        "to poison " + w_.matrices[m].name);
  }
}

}  // namespace tilescope::worker
