// What is known of the present problem on the present device, and the sweep that finds out more.
#pragma once
#include <cstdint>
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
  bool bias = false;
  std::string device;  // "cuda:0", "recorded:NVIDIA H200"
  std::string name;    // "NVIDIA H200"
  bool operator==(const ResultsOf&) const = default;
};

/// One tile that a sweep comes to.
struct SweepCell {
  enum class State : uint8_t { queued, running, done, failed };
  TileConfig tile;
  State state = State::queued;
  std::string error;  // of a failed one: one sentence
};

/// Tiles being measured one after the other, whatever the sliders do meanwhile.
struct Sweep {
  bool running = false;
  std::string kernel;
  TileConfig base;  // whose other parameters stay
  Problem problem;
  std::string device;
  std::vector<TileFieldId> axes;
  std::vector<SweepCell> cells;  // in their order
  int known = 0;                 // that needed no measuring: this text of the kernel was, before
  int illegal = 0;
  double seconds = 0;  // that the done ones took
  std::string ended;   // why it ended before its last cell, or what came of it: one sentence
};

struct Tune {
  ResultsOf of;                            // that `known` is of
  bool loaded = false;                     // `known` is what the worker said
  uint64_t serial = 0;                     // +1 with every change of `known`
  std::vector<worker::KnownResult> known;  // of all kernels, types and layouts
  /// What was measured since the start, of any problem: with the card's name.
  struct Learned {
    std::string name;
    worker::KnownResult result;
  };
  std::vector<Learned> learned;
  Sweep sweep;
  std::vector<TileFieldId> wanted;  // axes of a sweep that a panel asks for; empty: none
  bool stop_wanted = false;
  std::string store;  // folder of own results; empty: none are kept
  std::shared_ptr<ModelMemo> models = std::make_shared<ModelMemo>();
};

}  // namespace tilescope
