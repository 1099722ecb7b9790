// What a comparison of C with double precision found: sums that can be added part by part, the
// verdict over them, and its words, the same in the window, in its language, and on the command
// line.
#pragma once
#include <cstdint>
#include <string>

namespace tilescope::worker {

/// How many elements of C are no numbers: NaN, infinite, or never written.
struct NoNumbers {
  uint64_t nan = 0, infinite = 0;
  uint64_t untouched = 0;  // still what C was filled with before the run; not counted as NaN
  int row = -1, col = -1;  // of the first, by rows of C
  uint64_t count() const { return nan + infinite + untouched; }
  bool operator==(const NoNumbers&) const = default;
};

/// ‖out − ref‖ / ‖ref‖ against double precision. One wrong element hardly moves the norm of a large
/// matrix, so the worst element counts too: |out − ref| in units of the reference's rms. Where an
/// element is no number there is neither: both are NaN.
struct Verification {
  double norm = 0, tolerance = 0;
  bool ok = false;
  uint64_t elements = 0;               // compared (all of C, or the executed CTAs' tiles)
  uint64_t of = 0;                     // elements of C; 0 = not told
  uint64_t ctas = 0, of_ctas = 0;      // whose tiles were compared, of the grid's; 0 = not told
  double worst = 0;                    // may be kWorstFactor × tolerance
  int worst_row = -1, worst_col = -1;  // where, in C
  NoNumbers none = {};
  // By rows of C: the first that is no number, if any is none; else the first that is wrong by
  // itself.
  int first_row = -1, first_col = -1;

  /// A part of C was not compared.
  bool partial() const { return elements < of; }

  static constexpr double kWorstFactor = 16;
};

/// The sums over the elements compared so far. Elements that are no numbers are only counted.
struct ComparedSums {
  double difference = 0, reference = 0;  // sums of squares
  double worst = 0;                      // largest difference
  int worst_row = -1, worst_col = -1;
  NoNumbers none = {};
  int first_row = -1, first_col = -1;
  uint64_t elements = 0;

  /// The order of adding does not change the verdict.
  void add(const ComparedSums& other);
};

/// |out − ref| above which an element is wrong by itself. `usual_square`: the mean square of an
/// element of C.
double most_difference(double tolerance, double usual_square);

/// The verdict. An element that is no number is never ok. Where terms cancel out, an element cannot
/// have as many right digits as its terms: so the norm that errors are compared with is taken to be
/// at least half of what is usual for such data.
Verification verdict(const ComparedSums& sums, double tolerance, double usual_square);

/// How far off: "error 1.41e+00"; or what is no number: "65,536 elements were never written, the
/// first at C[0, 0]".
std::string error_words(const Verification& verification);

/// The words for a right result: "right" if all of C was compared, else "4 of 1,024 CTAs right so
/// far".
std::string right_words(const Verification& verification);

}  // namespace tilescope::worker
