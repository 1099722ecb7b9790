#include "worker/engine/gpu/gpu_problem.h"

#include <algorithm>

#include "worker/engine/emulate/verify.h"
#include "worker/engine/error.h"
#include "worker/engine/gpu/gpu_kernels.h"

namespace tilescope::worker {
namespace {

template <class Parameters>
void launch_tool(const Gpu& gpu, cuda::Function function, unsigned blocks, unsigned threads,
                 Parameters parameters, const char* name) {
  void* pointers[] = {&parameters};
  launch(gpu, function, {.grid_x = blocks, .threads = threads}, pointers, name);
}

/// One for each piece of work, at most so many; a small problem's are few.
unsigned blocks_for(uint64_t pieces, unsigned most) {
  return static_cast<unsigned>(std::clamp<uint64_t>(pieces, 1, most));
}

size_t size_of(const Problem& p, Operand o) {
  return static_cast<size_t>(operand_buffer_bytes(p, o));
}

uint64_t elements_of(const Problem& p, Operand o) {
  return static_cast<uint64_t>(operand_buffer_bytes(p, o) / element_bytes(operand_type(p, o)));
}

}  // namespace

GpuMatrix gpu_matrix(const Problem& p, Operand o, uint64_t buffer) {
  const int bytes = element_bytes(operand_type(p, o));
  const int64_t first = global_offset(p, o, {0, 0});
  return {.first = buffer + static_cast<uint64_t>(first),
          .row_step = (global_offset(p, o, {1, 0}) - first) / bytes,
          .col_step = (global_offset(p, o, {0, 1}) - first) / bytes,
          .type = static_cast<int>(operand_type(p, o))};
}

ComparedSums compared_sums(const GpuPartial& part, int cols) {
  const auto row = [cols](long long index) {
    return index < 0 ? -1 : static_cast<int>(index / cols);
  };
  const auto col = [cols](long long index) {
    return index < 0 ? -1 : static_cast<int>(index % cols);
  };
  ComparedSums sums;
  sums.difference = part.difference, sums.reference = part.reference;
  sums.worst = part.worst;
  sums.worst_row = row(part.worst_index), sums.worst_col = col(part.worst_index);
  sums.none = {part.nan, part.infinite, part.untouched, row(part.none_index), col(part.none_index)};
  sums.first_row = row(part.first_index), sums.first_col = col(part.first_index);
  return sums;
}

GpuTools::GpuTools(const Gpu& gpu) : gpu_(gpu), partials_(gpu, kBlocks * sizeof(GpuPartial)) {
  Compiler& compiler = Compiler::shared();
  const auto compiled = compiler.compile(SourceRequest{kGpuKernelsSource, {}, gpu.arch()});
  module_ = std::make_unique<GpuModule>(gpu, compiled->cubin, compiled->result.ptx,
                                        "NVRTC " + compiler.nvrtc()->version());
  fill_ = module_->function("ts_fill");
  reference_ = module_->function("ts_reference");
  compare_ = module_->function("ts_compare");
  place_ = module_->function("ts_place");
}

void GpuTools::fill(const GpuFill& f) const {
  const unsigned blocks = blocks_for((f.count + kThreads - 1) / kThreads, kBlocks * 4);
  launch_tool(gpu_, fill_, blocks, kThreads, f, "the data's kernel");
}

void GpuTools::fill(cuda::DevicePointer to, const Problem& problem, Operand operand,
                    const DataSpec& data) const {
  GpuFill f;
  f.to = to;
  f.count = elements_of(problem, operand);
  f.seed_mixed = operand_seed(data, operand);
  f.type = static_cast<int>(operand_type(problem, operand));
  f.exact = data.kind == DataSpec::Kind::exact;
  fill(f);
}

void GpuTools::fill_bias(cuda::DevicePointer to, const Problem& problem,
                         const DataSpec& data) const {
  GpuFill f;
  f.to = to;
  f.count = static_cast<uint64_t>(problem.n);
  f.seed_mixed = bias_seed(data);
  f.type = static_cast<int>(problem.type_c);
  f.exact = data.kind == DataSpec::Kind::exact;
  fill(f);
}

void GpuTools::reference(const Problem& p, cuda::DevicePointer a, cuda::DevicePointer b,
                         cuda::DevicePointer c, cuda::DevicePointer bias,
                         cuda::DevicePointer out) const {
  GpuReference r;
  r.a = gpu_matrix(p, Operand::a, a), r.b = gpu_matrix(p, Operand::b, b);
  r.c = gpu_matrix(p, Operand::c, c), r.out = out;
  r.m = p.m, r.n = p.n, r.k = p.k;
  r.alpha = p.alpha, r.beta = p.beta;
  r.bias = bias, r.bias_type = static_cast<int>(p.type_c);
  reference(r);
}

void GpuTools::reference(const GpuReference& r) const {
  const auto blocks = static_cast<unsigned>(1LL * ceil_div(r.m, 64) * ceil_div(r.n, 64));
  launch_tool(gpu_, reference_, blocks, kThreads, r, "the reference's kernel");
}

Verification GpuTools::compare(const Problem& p, cuda::DevicePointer reference,
                               cuda::DevicePointer out, double tolerance) const {
  return compare(gpu_matrix(p, Operand::c, out), p.m, p.n, reference, tolerance, usual_square(p));
}

void GpuTools::place(const GpuLines& from, const GpuLines& to, size_t bytes, size_t lines,
                     cuda::Stream stream) const {
  GpuPlace p;
  p.from = from.first, p.to = to.first;
  p.word = 16;
  for (const cuda::DevicePointer aligned :
       {from.first, to.first, cuda::DevicePointer{from.pitch}, cuda::DevicePointer{to.pitch},
        cuda::DevicePointer{bytes}}) {
    while (aligned % static_cast<unsigned>(p.word) != 0) p.word = p.word == 16 ? 4 : p.word / 2;
  }
  const auto words = [&p](size_t of) { return of / static_cast<size_t>(p.word); };
  p.from_pitch = words(from.pitch), p.to_pitch = words(to.pitch), p.words = words(bytes);
  p.lines = lines;
  void* parameters[] = {&p};
  const unsigned blocks = blocks_for(lines, kBlocks);
  launch(gpu_, place_, {.grid_x = blocks, .threads = kThreads}, parameters, "a copy", stream);
}

Verification GpuTools::compare(const GpuMatrix& out, int m, int n, cuda::DevicePointer reference,
                               double tolerance, double square) const {
  GpuCompare c;
  c.reference = reference, c.out = out;
  c.partials = partials_.address();
  c.count = static_cast<uint64_t>(m) * static_cast<uint64_t>(n), c.n = n;
  c.most = most_difference(tolerance, square);
  c.untouched = untouched_word(static_cast<ElementType>(out.type));
  const unsigned blocks = blocks_for((c.count + kThreads - 1) / kThreads, kBlocks);
  launch_tool(gpu_, compare_, blocks, kThreads, c, "the comparison's kernel");
  gpu_.synchronize("the comparison's kernel");
  std::vector<GpuPartial> partials(blocks);
  partials_.read(partials.data(), partials.size() * sizeof(GpuPartial));
  ComparedSums sums;
  for (const GpuPartial& part : partials) sums.add(compared_sums(part, n));
  sums.elements = c.count;
  Verification v = verdict(sums, tolerance, square);
  v.of = v.elements;
  return v;
}

double GpuProblem::needed_bytes(const Problem& p, int l2_bytes) {
  double bytes = static_cast<double>(L2Flush::bytes_for(l2_bytes) + LibraryOperands::kWorkspace);
  for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
    bytes += static_cast<double>(size_of(p, o));
  }
  if (p.beta != 0) bytes += static_cast<double>(size_of(p, Operand::c));
  bytes += static_cast<double>(bias_bytes(p));
  return bytes + 8.0 * static_cast<double>(operand_elements(p, Operand::c));  // the reference
}

GpuProblem::GpuProblem(const Gpu& gpu, const GpuTools& tools, const Problem& problem,
                       const DataSpec& data)
    : gpu_(gpu), tools_(tools), problem_(problem) {
  const double needed = needed_bytes(problem, gpu.l2_bytes());
  const auto free = static_cast<double>(gpu.free_bytes());
  if (needed > free) fail(kMissing, memory_sentence(gpu.name(), needed, free));
  a_ = GpuBuffer(gpu, size_of(problem, Operand::a));
  b_ = GpuBuffer(gpu, size_of(problem, Operand::b));
  c_ = GpuBuffer(gpu, (size_of(problem, Operand::c) + 3) / 4 * 4);  // is poisoned by words
  reference_ = GpuBuffer(gpu, static_cast<size_t>(operand_elements(problem, Operand::c)) * 8);
  flush_.emplace(gpu);
  workspace_ = GpuBuffer(gpu, LibraryOperands::kWorkspace);
  tools.fill(a_.address(), problem, Operand::a, data);
  tools.fill(b_.address(), problem, Operand::b, data);
  if (problem.beta != 0) {
    c_before_ = GpuBuffer(gpu, size_of(problem, Operand::c));
    tools.fill(c_before_.address(), problem, Operand::c, data);
  }
  if (problem.bias) {
    bias_ = GpuBuffer(gpu, static_cast<size_t>(bias_bytes(problem)));
    tools.fill_bias(bias_.address(), problem, data);
  }
  tools.reference(problem, a_.address(), b_.address(), c_before_.address(), bias_.address(),
                  reference_.address());
  gpu.synchronize("the reference's kernel");
}

void GpuProblem::reset_c() const {
  const cuda::Functions& f = gpu_.driver().call();
  if (problem_.beta != 0) {
    gpu_.driver().check(
        f.copy_on_device(c_.address(), c_before_.address(), c_before_.bytes(), gpu_.stream()),
        "to copy C");
  } else {
    gpu_.driver().check(
        f.set_words(c_.address(), untouched_word(problem_.type_c), c_.bytes() / 4, gpu_.stream()),
        "to poison C");
  }
}

Verification GpuProblem::verify(double tolerance) const {
  return tools_.compare(problem_, reference_.address(), c_.address(), tolerance);
}

}  // namespace tilescope::worker
