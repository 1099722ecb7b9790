#include "worker/engine/emulate/sheet_gemm.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include "core/model/names.h"
#include "core/sheet/argument_spec.h"
#include "worker/engine/emulate/half.h"
#include "worker/engine/emulate/verify.h"
#include "worker/engine/error.h"
#include "worker/engine/parallel.h"

namespace tilescope::worker {
namespace {

using sheet::LaunchSheet;

ElementType element_type_of(const LaunchSheet& s, int argument) {
  const auto spec = sheet::parse_spec(s.args.at(static_cast<size_t>(argument)));
  return model::element_type_named(std::get<sheet::BufferSpec>(spec).type->name).value();
}

/// Of a factor by value.
float number_of(const LaunchSheet& s, std::optional<int> argument, float usual) {
  if (!argument) return usual;
  const auto spec = sheet::parse_spec(s.args.at(static_cast<size_t>(*argument)));
  const auto& value = std::get<sheet::ValueSpec>(spec);
  const std::string_view type = value.type->name;
  const std::byte* bits = value.bytes.data();
  if (type == "f64") {
    double wide;
    std::memcpy(&wide, bits, sizeof wide);
    return static_cast<float>(wide);
  }
  if (type == "f32" || type == "f16" || type == "bf16") {
    return load_element(model::element_type_named(type).value(), bits, 0);
  }
  int64_t whole = 0;
  std::memcpy(&whole, bits, value.bytes.size());
  return static_cast<float>(whole);
}

/// An instruction that rounds products and sums to 16 bits.
bool sums_in_16_bits(const std::string& opcode) {
  if (opcode.starts_with("fma.") || opcode.starts_with("mul.")) {
    return opcode.find("f16") != std::string::npos;
  }
  const bool product = opcode.starts_with("mma.") || opcode.starts_with("wmma.mma");
  if (!product) return false;
  // The first type is that of D.
  const size_t type = opcode.find("f16"), wide = opcode.find("f32");
  return type != std::string::npos && (wide == std::string::npos || type < wide) &&
         opcode[type - 1] == '.';
}

double tolerance_for(const Problem& problem, const GemmRounding& rounding) {
  double tolerance = tolerance_of(problem, rounding.tensor_cores);
  if (rounding.in_16_bits) tolerance += 0x1p-11 * (std::sqrt(double(problem.k)) + 2);
  return tolerance;
}

ExactPart exact_here(const Problem& problem, const GemmMatrices& matrices) {
  return [problem, matrices](const Rect& rect, std::span<double> out) {
    reference({&problem, matrices.a, matrices.b, matrices.c_before}, rect, out);
  };
}

struct CountedPart {
  ComparedSums sums;
  uint64_t wrong = 0;
  int row = -1, col = -1;
  double found = 0, expected = 0;
};

/// One rectangle; the first wrong element by rows.
CountedPart compared(const Problem& p, const ExactPart& exact, const std::byte* out,
                     const Rect& rect, double most) {
  std::vector<double> expected(static_cast<size_t>(rect.rows) * static_cast<size_t>(rect.cols));
  exact(rect, expected);
  CountedPart part;
  Comparison comparison(most);
  comparison.add(p, rect, expected, out);
  part.sums = comparison.sums();
  for (int i = 0; i < rect.rows; ++i) {
    for (int j = 0; j < rect.cols; ++j) {
      const Coord at{rect.row + i, rect.col + j};
      const auto index =
          static_cast<uint64_t>(global_offset(p, Operand::c, at) / element_bytes(p.type_c));
      const double found = load_element(p.type_c, out, index);
      const double right = expected[static_cast<size_t>(i) * static_cast<size_t>(rect.cols) +
                                    static_cast<size_t>(j)];
      if (std::abs(found - right) <= most) continue;
      if (part.wrong++ > 0) continue;
      part.row = at.row, part.col = at.col;
      part.found = found, part.expected = right;
    }
  }
  return part;
}

}  // namespace

Problem problem_of(const LaunchSheet& s) {
  const sheet::GemmSheet& g = s.gemm.value();
  const auto order = [](char letter) {
    return letter == 'T' ? Order::row_major : Order::column_major;
  };
  Problem p;
  p.m = g.m, p.n = g.n, p.k = g.k;
  p.type_a = element_type_of(s, g.a);
  p.type_b = element_type_of(s, g.b);
  p.type_c = element_type_of(s, g.c);
  p.order_a = order(g.layout.at(0));
  p.order_b = order(g.layout.at(1));
  p.order_c = g.column_c ? Order::column_major : Order::row_major;
  p.alpha = number_of(s, g.alpha, 1);
  p.beta = number_of(s, g.beta, 0);
  return p;
}

SheetGemm::SheetGemm(const LaunchSheet& s, EmulatedLaunch& launch)
    : gemm_(s.gemm.value()), problem_(problem_of(s)) {
  if (problem_.beta == 0) return;
  const auto c = launch.memory.bytes(launch.arguments.at(static_cast<size_t>(gemm_.c)));
  c_before_.assign(c.begin(), c.end());
}

GemmRounding rounding_of(const emulator::Counts& counts) {
  return {.tensor_cores = counts.mma > 0,
          .in_16_bits = std::ranges::any_of(
              counts.by_opcode, [](const auto& pair) { return sums_in_16_bits(pair.first); })};
}

GemmRounding rounding_of(const emulator::Program& program, const std::string& entry) {
  GemmRounding rounding;
  for (const emulator::Instruction& in : program.instructions(entry)) {
    rounding.tensor_cores = rounding.tensor_cores || in.opcode.starts_with("mma.") ||
                            in.opcode.starts_with("wmma.mma") || in.opcode.starts_with("wgmma.mma");
    rounding.in_16_bits = rounding.in_16_bits || sums_in_16_bits(in.opcode);
  }
  return rounding;
}

GemmVerdict compare_gemm(const Problem& problem, const GemmMatrices& matrices,
                         const GemmRounding& rounding, const ExactPart& exact, int threads,
                         const std::atomic<bool>* cancelled) {
  const ExactPart expected = exact ? exact : exact_here(problem, matrices);
  const double tolerance = tolerance_for(problem, rounding);
  const double square = usual_square(problem), most = most_difference(tolerance, square);
  const std::vector<Rect> rects = rects_of(problem);
  std::mutex mutex;
  CountedPart all;
  parallel_for(threads, rects.size(), [&](size_t i) {
    if (cancelled && cancelled->load()) return;
    const CountedPart part = compared(problem, expected, matrices.c, rects[i], most);
    const std::lock_guard lock(mutex);
    all.sums.add(part.sums);
    const bool first = part.wrong > 0 && (all.row < 0 || part.row < all.row ||
                                          (part.row == all.row && part.col < all.col));
    if (first) {
      all.row = part.row, all.col = part.col;
      all.found = part.found, all.expected = part.expected;
    }
    all.wrong += part.wrong;
  });
  if (cancelled && cancelled->load()) fail_cancelled();
  GemmVerdict verdict;
  verdict.verified = worker::verdict(all.sums, tolerance, square);
  verdict.verified.of = static_cast<uint64_t>(operand_elements(problem, Operand::c));
  verdict.right = verdict.verified.of - all.wrong;
  verdict.found = all.found, verdict.expected = all.expected;
  if (all.wrong > 0 && verdict.verified.first_row < 0) {
    verdict.verified.first_row = all.row, verdict.verified.first_col = all.col;
  }
  return verdict;
}

// A kernel that is right, but for other orders of its matrices than the sheet says, is common.
std::string right_layouts(const Problem& problem, const GemmMatrices& matrices,
                          const GemmRounding& rounding) {
  const double tolerance = tolerance_for(problem, rounding);
  std::string right;
  for (int orders = 0; orders < 8; ++orders) {
    const auto order = [&](int bit) {
      return (orders >> bit & 1) == 0 ? Order::row_major : Order::column_major;
    };
    Problem p = problem;
    p.order_a = order(0), p.order_b = order(1), p.order_c = order(2);
    if (p == problem) continue;
    const Rect some{0, 0, std::min(p.m, 64), std::min(p.n, 64)};
    const double square = usual_square(p);
    const CountedPart part =
        compared(p, exact_here(p, matrices), matrices.c, some, most_difference(tolerance, square));
    if (!worker::verdict(part.sums, tolerance, square).ok) continue;
    right += (right.empty() ? "" : " or ") + model::layout_letters(p) +
             (p.order_c == Order::row_major ? "" : " with a column-major C");
  }
  return right;
}

GemmVerdict SheetGemm::verdict(EmulatedLaunch& launch, const emulator::Counts& counts, int threads,
                               const std::atomic<bool>* cancelled) const {
  const auto data = [&](int argument) {
    return launch.data(launch.arguments.at(static_cast<size_t>(argument)));
  };
  const GemmMatrices matrices{data(gemm_.a), data(gemm_.b), c_before_.data(), data(gemm_.c)};
  const GemmRounding rounding = rounding_of(counts);
  GemmVerdict verdict = compare_gemm(problem_, matrices, rounding, {}, threads, cancelled);
  if (!verdict.verified.ok) verdict.layout = right_layouts(problem_, matrices, rounding);
  return verdict;
}

}  // namespace tilescope::worker
