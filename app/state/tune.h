// What is known of the present problem on the present device, and the sweep that finds out more.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/state/model_memo.h"
#include "worker/messages/messages_results.h"

namespace tilescope {

/// What a list of results is of: results of another problem or device are never shown.
struct ResultsOf {
  int m = 0, n = 0, k = 0;
  float alpha = 1, beta = 0;
  std::string device;  // "cuda:0", "recorded:NVIDIA H200"
  std::string name;    // "NVIDIA H200"
  bool operator==(const ResultsOf&) const = default;
};

struct Tune {
  ResultsOf of;                            // that `known` is of
  bool loaded = false;                     // `known` is what the worker said
  std::vector<worker::KnownResult> known;  // of all kernels, types and layouts
  /// What was measured since the start, of any problem: with the card's name.
  struct Learned {
    std::string name;
    worker::KnownResult result;
  };
  std::vector<Learned> learned;
  std::string store;  // folder of own results; empty: none are kept
  std::shared_ptr<ModelMemo> models = std::make_shared<ModelMemo>();
};

}  // namespace tilescope
