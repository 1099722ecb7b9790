// Who writes which elements of a buffer, as an emulated launch was seen to do it: "stores" of the
// emulator.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "worker/messages/messages.h"

namespace tilescope::worker {

struct CtaStores {
  BlockIndex cta = {};
  uint64_t elements = 0;
  std::vector<TouchedBox> boxes;  // that cover them, by rows and columns of the buffer; disjoint
};

struct StoresResult {
  uint64_t rows = 0, cols = 0;  // of the buffer, as the launch's SPEC or its GEMM has it
  std::vector<CtaStores> ctas;  // that were looked at
  uint64_t of_ctas = 0;         // all of the grid
  /// Of the chosen CTA: the box round all that it stores, and of each element of it by rows the
  /// thread that stored it last, 32 · warp + lane; −1: none.
  TouchedBox box = {};
  std::vector<int> threads;
  bool truncated = false;  // the CTA stores more, or over a larger box, than is told
};

void to_json(nlohmann::json& j, const StoresResult& r);
void from_json(const nlohmann::json& j, StoresResult& r);

}  // namespace tilescope::worker
