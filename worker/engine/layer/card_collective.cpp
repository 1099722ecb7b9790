#include "worker/engine/layer/card_collective.h"

#include <algorithm>

namespace tilescope::worker {
namespace {

using workload::Range;
using workload::Slice;
using workload::Step;
using workload::StepKind;
using workload::Workload;

/// Where a chunk of a matrix that every rank has whole begins, and how many elements it has.
struct Span {
  long long first = 0, count = 0;
};
Span chunk_span(const Workload& w, const Step& step, int chunk) {
  const int cols = w.matrices[static_cast<size_t>(step.c)].cols;
  const Range rows = chunk_rows(w, step, 0, chunk);
  return {element_index(Order::row_major, cols, rows.first, 0), 1LL * rows.count * cols};
}

/// Copies a rank's columns to where they belong in the whole matrix.
void place_columns(const GpuTools& tools, const Workload& w, const Step& step, int from_rank,
                   cuda::DevicePointer from, cuda::DevicePointer whole, cuda::Stream stream) {
  const workload::Matrix& m = w.matrices[static_cast<size_t>(step.c)];
  const auto bytes = static_cast<size_t>(element_bytes(m.type));
  const Slice s = slice_of(w, step.a, from_rank);
  const size_t line = static_cast<size_t>(s.cols.count) * bytes;
  const auto first =
      static_cast<size_t>(element_index(Order::row_major, m.cols, s.rows.first, s.cols.first));
  tools.place({from, line}, {whole + first * bytes, static_cast<size_t>(m.cols) * bytes}, line,
              static_cast<size_t>(s.rows.count), stream);
}

class NcclCollective final : public CardCollective {
 public:
  NcclCollective(const Gpu& gpu, const GpuTools& tools, const Workload& w, const CardRank& mine,
                 std::shared_ptr<const Nccl> nccl, const std::string& id)
      : gpu_(gpu),
        tools_(tools),
        w_(w),
        mine_(mine),
        nccl_(std::move(nccl), gpu, id, w.layer.ranks, mine.rank()),
        word_(gpu, sizeof(float)) {
    for (const Step& step : w.steps) {
      if (step.kind != StepKind::all_gather) continue;
      for (int rank = 0; rank < w.layer.ranks; ++rank) {
        most_ = std::max(most_, slice_of(w, step.a, rank).elements());
      }
      const auto bytes = static_cast<size_t>(most_ * element_bytes(type_of(step)));
      gathered_ = GpuBuffer(gpu, bytes * static_cast<size_t>(w.layer.ranks));
      own_ = GpuBuffer(gpu, bytes);
    }
  }
  std::string name() const override { return nccl_.library().name(); }

  void enqueue(int number, int chunk, cuda::Stream stream) override {
    const Step& step = w_.steps[static_cast<size_t>(number)];
    if (step.kind == StepKind::all_gather) return gather(step, stream);
    const Span span = chunk_span(w_, step, chunk);
    nccl_.all_reduce(
        mine_.address(step.c) + static_cast<cuda::DevicePointer>(span.first) * sizeof(float),
        static_cast<size_t>(span.count), ElementType::f32, NcclRank::Operation::sum, stream);
  }

  double agree(double value) override {
    const cuda::Functions& f = gpu_.driver().call();
    auto number = static_cast<float>(value);
    gpu_.driver().check(f.copy_to_device(word_.address(), &number, sizeof number),
                        "to copy to the GPU");
    nccl_.all_reduce(word_.address(), 1, ElementType::f32, NcclRank::Operation::max, gpu_.stream());
    gpu_.synchronize("NCCL");
    word_.read(&number, sizeof number);
    return static_cast<double>(number);
  }

 private:
  ElementType type_of(const Step& step) const {
    return w_.matrices[static_cast<size_t>(step.a)].type;
  }
  // Each rank gives as many elements as the rank with most has.
  void gather(const Step& step, cuda::Stream stream) {
    const auto bytes = static_cast<size_t>(element_bytes(type_of(step)));
    const long long mine = slice_of(w_, step.a, mine_.rank()).elements();
    cuda::DevicePointer from = mine_.address(step.a);
    if (mine < most_) {
      gpu_.driver().check(gpu_.driver().call().copy_on_device(
                              own_.address(), from, static_cast<size_t>(mine) * bytes, stream),
                          "to copy on the GPU");
      from = own_.address();
    }
    const auto most = static_cast<size_t>(most_);
    nccl_.all_gather(from, gathered_.address(), most, type_of(step), stream);
    for (int rank = 0; rank < w_.layer.ranks; ++rank) {
      place_columns(tools_, w_, step, rank,
                    gathered_.address() + static_cast<size_t>(rank) * most * bytes,
                    mine_.address(step.c), stream);
    }
  }

  const Gpu& gpu_;
  const GpuTools& tools_;
  const Workload& w_;
  const CardRank& mine_;
  NcclRank nccl_;
  GpuBuffer word_, own_, gathered_;
  long long most_ = 0;  // elements of a rank's part that is gathered
};

class LocalCollective final : public CardCollective {
 public:
  LocalCollective(const Gpu& gpu, const GpuTools& tools, const Workload& w,
                  const std::vector<std::unique_ptr<CardRank>>& ranks,
                  const CardLayerOptions& options)
      : gpu_(gpu), tools_(tools), w_(w), ranks_(ranks), sums_(gpu, options) {
    size_t most = 0;
    for (const Step& step : w.steps) {
      if (step.kind != StepKind::all_reduce) continue;
      for (int chunk = 0; chunk < step.chunks; ++chunk) {
        const ColumnSum sum = sum_of(chunk_span(w, step, chunk));
        sums_.prepare(ElementType::f32, sum);
        most = std::max(most, static_cast<size_t>(sum.leading) * ranks.size());
      }
    }
    if (most > 0) lines_ = GpuBuffer(gpu, most * sizeof(float));
  }
  std::string name() const override {
    return "sums and copies on one card: no time of a link between cards";
  }

  // All parts one below the other, whose columns are summed; then the sum to each.
  void enqueue(int number, int chunk, cuda::Stream stream) override {
    const Step& step = w_.steps[static_cast<size_t>(number)];
    if (step.kind == StepKind::all_gather) return gather(step, stream);
    const Span span = chunk_span(w_, step, chunk);
    const size_t bytes = static_cast<size_t>(span.count) * sizeof(float);
    const auto at = [&](const CardRank& rank) {
      return rank.address(step.c) + static_cast<cuda::DevicePointer>(span.first) * sizeof(float);
    };
    const ColumnSum sum = sum_of(span);
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      copy(lines_.address() + rank * static_cast<size_t>(sum.leading) * sizeof(float),
           at(*ranks_[rank]), bytes, stream);
    }
    // Each CTA has read all of its columns before it writes them.
    sums_.enqueue(ElementType::f32, {lines_.address(), lines_.address(), sum}, stream);
    for (const auto& rank : ranks_) copy(at(*rank), lines_.address(), bytes, stream);
  }

  double agree(double value) override { return value; }

 private:
  ColumnSum sum_of(const Span& span) const {
    const long long leading = (span.count + 3) / 4 * 4;
    ColumnSum sum = column_sum_of(ElementType::f32, static_cast<int>(ranks_.size()),
                                  static_cast<int>(span.count), leading, gpu_.limits().sm_count);
    sum.parts = 1;
    return sum;
  }
  void copy(cuda::DevicePointer to, cuda::DevicePointer from, size_t bytes,
            cuda::Stream stream) const {
    gpu_.driver().check(gpu_.driver().call().copy_on_device(to, from, bytes, stream),
                        "to copy on the GPU");
  }
  void gather(const Step& step, cuda::Stream stream) {
    for (const auto& to : ranks_) {
      for (const auto& from : ranks_) {
        place_columns(tools_, w_, step, from->rank(), from->address(step.a), to->address(step.c),
                      stream);
      }
    }
  }

  const Gpu& gpu_;
  const GpuTools& tools_;
  const Workload& w_;
  const std::vector<std::unique_ptr<CardRank>>& ranks_;
  CardSums sums_;
  GpuBuffer lines_;
};

}  // namespace

std::unique_ptr<CardCollective> nccl_collective(const Gpu& gpu, const GpuTools& tools,
                                                const Workload& w, const CardRank& mine,
                                                std::shared_ptr<const Nccl> nccl,
                                                const std::string& id) {
  return std::make_unique<NcclCollective>(gpu, tools, w, mine, std::move(nccl), id);
}

std::unique_ptr<CardCollective> local_collective(
    const Gpu& gpu, const GpuTools& tools, const Workload& w,
    const std::vector<std::unique_ptr<CardRank>>& ranks, const CardLayerOptions& options) {
  return std::make_unique<LocalCollective>(gpu, tools, w, ranks, options);
}

}  // namespace tilescope::worker
