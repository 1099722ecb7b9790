// Is a result right? Against double precision, over all of C or the tiles that were computed.
#pragma once
#include <atomic>
#include <limits>
#include <span>

#include "core/layout/kernel_plan.h"
#include "worker/engine/emulate/reference.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

/// How far apart a right result may be from the exact one, ‖out − ref‖ / ‖ref‖. With u = 2^-24,
/// sums in float order wander by about u·√k / 2.5; 4·√k leaves room for other orders. Tensor cores
/// cut off instead of rounding, which adds up along k: u·k / 4 more. A lost k slice of 16 costs
/// √(16 / k), a thousand times as much at k = 8192.
/// Of operands of eight bits, of which they sum up `interval` k by themselves (0: all), four times
/// model::cut_off_error() more.
double tolerance_of(const Problem& problem, bool tensor_cores, int interval = 0);
/// Of what a kernel computes. Floats in parts by tensor cores: SGEMM's, and a unit u for each time
/// that they cut off before the sum goes to registers.
double tolerance_of(const Problem& problem, const KernelPlan& plan);

/// Mean square of an element of C that data of DataSpec (uniform in [−1, 1)) lead to.
double usual_square(const Problem& problem);

/// Collects differences.
class Comparison {
 public:
  /// `most`: most_difference(); without it no element is wrong by itself.
  explicit Comparison(double most = std::numeric_limits<double>::infinity()) : most_(most) {}
  /// `out` is the whole of C after the run.
  void add(const Problem& problem, const Rect& rect, std::span<const double> reference,
           const std::byte* out);
  /// Adds sums that were compared elsewhere, on the GPU or by another call.
  void add(const ComparedSums& sums) { sums_.add(sums); }
  const ComparedSums& sums() const { return sums_; }
  Verification result(double tolerance, double usual_square) const {
    return verdict(sums_, tolerance, usual_square);
  }

 private:
  double most_;
  ComparedSums sums_;
};

/// Compares rectangles of C (each at most a few thousand elements wide) on several threads. If it
/// is cancelled, the result must not be used.
ComparedSums compare(const ReferenceInput& input, const std::byte* out, std::span<const Rect> rects,
                     double tolerance, int threads, const std::atomic<bool>* cancelled = nullptr);
/// The same, with its verdict.
Verification verify(const ReferenceInput& input, const std::byte* out, std::span<const Rect> rects,
                    double tolerance, int threads);

/// Joins rectangles that touch, up to a size that suits compare(), so that rows of A and columns of
/// B are converted to double less often.
std::vector<Rect> joined(std::vector<Rect> rects);

/// All of C in rectangles of a size that suits verify().
std::vector<Rect> rects_of(const Problem& problem);

}  // namespace tilescope::worker
