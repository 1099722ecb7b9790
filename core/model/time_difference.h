// Why one launch takes longer than another by the model: the difference of the two times as a sum
// of causes. docs/model.md, "Two launches".
#pragma once
#include <array>
#include <span>
#include <string>

#include "core/model/formulas.h"

namespace tilescope::model {

enum class Cause { compute, issue, shared, l2, dram, tail, occupancy, launch };
inline constexpr int kCauses = 8;

struct CauseRow {
  Cause cause;
  const char* id;     // of the command line: "l2"
  const char* title;  // "L2 to the SMs"
  const char* what;   // what of a launch belongs to it
};
/// All of them, in the order in which they are told.
std::span<const CauseRow> causes();

/// The id of what is left of a difference that a clock has told, beyond what the model makes of it.
inline constexpr const char* kUnexplained = "unexplained";

/// µs by Cause; their sum is `a.us - b.us`. A cause in which the two do not differ has 0. The rest
/// is divided as Shapley values are: what a change of one cause makes of the time, in the mean over
/// all orders in which the causes can be changed one after the other. (The units of an SM and DRAM
/// overlap, so that no order has a better claim than another.)
std::array<double, kCauses> time_difference(const Prediction& a, const Prediction& b,
                                            const TimeConstants& constants = kTimeConstants);

/// Warps that an SM holds at once.
int warps_per_sm(const Analysis& a);

/// What of the plans makes the difference, "25 % fewer bytes to the SMs"; empty: nothing that is
/// known.
std::string cause_words(Cause cause, const Analysis& a, const Analysis& b);

}  // namespace tilescope::model
