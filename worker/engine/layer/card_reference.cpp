#include "worker/engine/layer/card_reference.h"

#include "worker/engine/error.h"
#include "worker/engine/layer/layer_data.h"

namespace tilescope::worker {
namespace {

using workload::Slice;
using workload::Step;
using workload::StepKind;
using workload::Workload;

GpuMatrix dense(uint64_t first, int cols, ElementType type) {
  return {.first = first, .row_step = cols, .col_step = 1, .type = static_cast<int>(type)};
}
GpuMatrix transpose(GpuMatrix m) {
  std::swap(m.row_step, m.col_step);
  return m;
}
GpuMatrix from(GpuMatrix m, int row, int col) {
  const int bytes = element_bytes(static_cast<ElementType>(m.type));
  m.first += static_cast<uint64_t>((row * m.row_step + col * m.col_step) * bytes);
  return m;
}

}  // namespace

CardReference::CardReference(const Gpu& gpu, const GpuTools& tools, const Workload& one,
                             uint64_t seed)
    : gpu_(gpu), tools_(tools), one_(one), seed_(seed), one_word_(gpu, sizeof(float)) {
  const float value = 1;
  gpu.driver().check(gpu.driver().call().copy_to_device(one_word_.address(), &value, sizeof value),
                     "to copy to the GPU");
}

const CardReference::Whole& CardReference::whole(int matrix) {
  if (const auto known = wholes_.find(matrix); known != wholes_.end()) return known->second;
  const workload::Matrix& m = one_.matrices[static_cast<size_t>(matrix)];
  Whole made;
  if (m.given) {
    made.buffer = GpuBuffer(gpu_, static_cast<size_t>(held_bytes(one_, matrix, 0)));
    GpuFill f;
    f.to = made.buffer.address(), f.count = static_cast<uint64_t>(1LL * m.rows * m.cols);
    f.seed_mixed = matrix_seed(seed_, m.name), f.type = static_cast<int>(m.type);
    tools_.fill(f);
    made.matrix = dense(made.buffer.address(), m.cols, m.type);
  } else {
    made.buffer = compute(matrix, slice_of(one_, matrix, 0));
    made.matrix = dense(made.buffer.address(), m.cols, ElementType::f64);
  }
  return wholes_.emplace(matrix, std::move(made)).first->second;
}

GpuBuffer CardReference::compute(int matrix, const Slice& slice) {
  const Step* step = step_of(one_, matrix);
  if (!step)
    fail(kFailed, "Nothing computes " + one_.matrices[static_cast<size_t>(matrix)].name + ".");
  GpuBuffer out(gpu_, static_cast<size_t>(slice.elements()) * sizeof(double));
  GpuReference r;
  r.out = out.address(), r.m = slice.rows.count, r.n = slice.cols.count;
  if (step->kind == StepKind::column_sum) {
    r.a = {.first = one_word_.address(), .type = static_cast<int>(ElementType::f32)};
    r.b = from(whole(step->a).matrix, 0, slice.cols.first);
    r.k = one_.matrices[static_cast<size_t>(step->a)].rows;
  } else {
    const Problem p = problem_of(one_, *step, 0);
    const GpuMatrix a = whole(step->a).matrix, b = whole(step->b).matrix;
    r.a = from(step->transposed_a ? transpose(a) : a, slice.rows.first, 0);
    r.b = from(step->transposed_b ? transpose(b) : b, 0, slice.cols.first);
    r.k = p.k;
    if (p.bias) {
      const GpuMatrix bias = from(whole(step->bias).matrix, 0, bias_index({0, slice.cols.first}));
      r.bias = bias.first, r.bias_type = bias.type;
    }
  }
  tools_.reference(r);
  gpu_.synchronize("the reference's kernel");
  return out;
}

Verification CardReference::compare(int matrix, const Slice& slice, cuda::DevicePointer part,
                                    ElementType type) {
  const GpuBuffer expected = compute(matrix, slice);
  return tools_.compare(dense(part, slice.cols.count, type), slice.rows.count, slice.cols.count,
                        expected.address(), matrix_tolerance(one_, matrix),
                        matrix_square(one_, matrix));
}

}  // namespace tilescope::worker
