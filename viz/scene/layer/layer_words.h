// What is said of a layer in its pictures, derived from its matrices and steps.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/workload/workload.h"

namespace tilescope::viz {

/// "all-reduce", as it stands in pictures.
const char* words_of(workload::StepKind kind);
/// "forward", "backward"
const char* words_of(workload::Pass pass);

/// A matrix's or a step's name as it is said: what it has beside its formula is words.
std::string name_words(std::string_view name);

/// What each rank has of a pass's results, and whether anything travels.
std::string pass_sentence(const workload::Workload& w, workload::Pass pass);

/// "rank 1: 14,848 columns, 243.3 MB" and shorter; of a matrix that is drawn as it lies or turned.
struct SliceWords {
  std::string full, middle, brief, number;
  std::string extent;  // "14,848 columns"; empty where it is not split
};
SliceWords slice_words(const workload::Workload& w, int matrix, int rank, bool turned);
/// "29,696 × 8,192", as it is drawn.
std::string extent_words(const workload::Matrix& matrix, bool turned);

/// What a figure counts in: "TFLOP" from a tenth of one on.
struct FlopUnit {
  const char* name = "FLOP";
  double flop = 1;
};
FlopUnit flop_unit(double flop);
/// "0.9964 TFLOP"
std::string flop_text(double flop);

/// A figure with what it is of.
struct LayerFact {
  std::string caption, value;
};
/// What rank 0 computes, reads, writes and gets from others in a pass.
std::vector<LayerFact> pass_facts(const workload::Workload& w, workload::Pass pass);

}  // namespace tilescope::viz
