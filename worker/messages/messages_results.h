// What is known of a problem on a card without measuring anything: the answer to "results".
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "worker/messages/messages.h"

namespace tilescope::worker {

/// One kernel at one tile, measured here before or recorded on a card of the same name.
struct KnownResult {
  KernelRequest request;
  bool measured = false;  // on this very machine; else recorded
  bool older = false;     // the kernel is another one now
  bool judged = false;    // `older` is known: of what was measured here; of a recording once its
                          // revision was compared, which takes a compile
  std::string date;
  double tflops = 0, time_us = 0;
  std::optional<double> spread;
  std::string library;  // "cuBLASLt 13.1"; empty: not compared with one
  std::optional<double> library_tflops;
  std::string arch, revision;  // of the PTX that ran; empty: not said
};

/// A card that recordings were made on, or that was measured on here when it was there.
struct RecordedCard {
  std::string name, date;  // "NVIDIA H200"; ISO, of the newest
  int count = 0;
  bool own = false;  // measured on this machine
};

void to_json(nlohmann::json& j, const RecordedCard& c);
void from_json(const nlohmann::json& j, RecordedCard& c);
void to_json(nlohmann::json& j, const KnownResult& r);
void from_json(const nlohmann::json& j, KnownResult& r);

}  // namespace tilescope::worker
