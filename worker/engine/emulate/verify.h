// Is a result right? Against double precision, over all of C or the tiles that were computed.
#pragma once
#include <span>

#include "worker/engine/emulate/reference.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

/// How far apart a right result may be from the exact one, ‖out − ref‖ / ‖ref‖. With u = 2^-24,
/// sums in float order wander by about u·√k / 2.5; 4·√k leaves room for other orders. Tensor cores
/// cut off instead of rounding, which adds up along k: u·k / 4 more. A lost k slice of 16 costs
/// √(16 / k), a thousand times as much at k = 8192.
double tolerance_of(const Problem& problem, bool tensor_cores);

/// Mean square of an element of C that data of DataSpec (uniform in [−1, 1)) lead to.
double usual_square(const Problem& problem);

/// Collects differences; the order of adding does not change `ok`.
class Comparison {
 public:
  /// `out` is the whole of C after the run.
  void add(const Problem& problem, const Rect& rect, std::span<const double> reference,
           const std::byte* out);
  void add(const Comparison& other);
  /// Sums that were made elsewhere (on the GPU).
  void add_sums(double difference, double reference, double worst, int row, int col,
                uint64_t elements);
  /// NaN or infinity anywhere is never ok. Of a few elements whose terms cancel out nobody can ask
  /// for as many right digits as of their terms: what they are compared with is no smaller than
  /// half of what is usual.
  Verification result(double tolerance, double usual_square) const;

 private:
  double difference_ = 0, reference_ = 0;  // sums of squares
  double worst_ = 0;
  int worst_row_ = -1, worst_col_ = -1;
  uint64_t elements_ = 0;
};

/// Compares the rectangles of C (each at most a few thousand elements wide) on several threads.
Verification verify(const ReferenceInput& input, const std::byte* out, std::span<const Rect> rects,
                    double tolerance, int threads);

/// All of C in rectangles of a size that suits verify().
std::vector<Rect> rects_of(const Problem& problem);

/// One sentence on a failed verification: where, how far off.
std::string failed_sentence(const Verification& verification, const std::string& kernel);

}  // namespace tilescope::worker
