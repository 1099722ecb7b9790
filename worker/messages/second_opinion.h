// The second opinion: which tiles NVIDIA's nvMatmulHeuristics would take for a problem on a card,
// and what it predicts of each. These are its figures, shown beside our model's and the measured
// ones.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::worker {

/// A kernel as the library describes one, and what it predicts of a launch. Elements, bytes.
struct OpinionTile {
  int block_m = 0, block_n = 0, block_k = 0;
  int warp_m = 0, warp_n = 0, warps_k = 1;
  int stages = 1;
  int splits = 1;      // CTAs that share a tile's k
  int group = 1;       // as Raster::group
  double us = 0;       // run time
  double rank_us = 0;  // what it ranks tiles by
  double dram_read = 0, dram_write = 0;
  double l2_read = 0;      // from the L2 to the SMs
  double l2_hit_rate = 0;  // 0 to 1
  bool operator==(const OpinionTile&) const = default;
};

struct SecondOpinion {
  std::string library;            // "nvMatmulHeuristics 0.1.0"
  std::string gpu;                // the card that it is of, as the library calls it: "H200 SXM"
  bool measured = false;          // it has measurements of that card behind its figures
  std::vector<OpinionTile> best;  // the library's order
  std::optional<OpinionTile> present;  // the tile that was asked about
  std::string why_not;                 // one sentence if there is none
};

void to_json(nlohmann::json& j, const OpinionTile& t);
void from_json(const nlohmann::json& j, OpinionTile& t);
void to_json(nlohmann::json& j, const SecondOpinion& o);
void from_json(const nlohmann::json& j, SecondOpinion& o);

}  // namespace tilescope::worker
