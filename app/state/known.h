// What is known of the present problem on the present device: measured here, or recorded.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "worker/messages/messages_results.h"

namespace tilescope {

/// What a list of results is of: results of another problem or device are never shown.
struct ResultsOf {
  int m = 0, n = 0, k = 0;
  float alpha = 1, beta = 0;
  bool bias = false;
  std::string device;  // "cuda:0", "recorded:NVIDIA H200"
  std::string name;    // "NVIDIA H200"
  bool operator==(const ResultsOf&) const = default;
};

struct KnownResults {
  ResultsOf of;                              // that `results` are of
  bool loaded = false;                       // `results` are what the worker said
  uint64_t serial = 0;                       // +1 with every change of `results`
  std::vector<worker::KnownResult> results;  // of all kernels, types and layouts
  /// What was measured since the start, of any problem: with the card's name.
  struct Learned {
    std::string name;
    worker::KnownResult result;
  };
  std::vector<Learned> learned;
};

}  // namespace tilescope
