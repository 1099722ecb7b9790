#include "core/model/fastest_tiles.h"

#include <algorithm>
#include <random>
#include <string>
#include <unordered_map>

#include "core/model/climb.h"
#include "core/model/names.h"

namespace tilescope::model {
namespace {

constexpr int kStarts = 24, kTilesEach = 250;

struct Timed {
  TileConfig tile;
  double us = 0;
};

/// A place of the landscape, or the nearest legal one.
std::optional<TileConfig> legal_start(const Validate& validate, const Sliders& sliders,
                                      const TileConfig& wished, const Problem& problem,
                                      const DeviceLimits& device) {
  const Violation v = validate(wished, problem, device);
  if (v.legal()) return wished;
  const auto legal = nearest_legal(validate, sliders, wished, problem, device, v.field);
  if (!legal) return std::nullopt;
  return legal->tile;
}

}  // namespace

std::vector<TileConfig> fastest_tiles(const Validate& validate, const Sliders& sliders,
                                      const Problem& problem, const DeviceLimits& device, int count,
                                      const Microseconds& time) {
  std::mt19937 random(1);  // whose numbers are the same everywhere
  std::unordered_map<std::string, double> known;
  std::unordered_map<std::string, Timed> best;  // by all but the order of tiles
  const auto speed = [&](const TileConfig& tile) -> std::optional<double> {
    const auto [at, fresh] = known.try_emplace(tile_text(tile, sliders), 0.0);
    if (fresh) {
      at->second = time(tile);
      TileConfig plain = tile;
      plain.raster = 0;
      Timed& kept = best[tile_text(plain, sliders)];
      if (kept.us == 0 || at->second < kept.us) kept = {tile, at->second};
    }
    return 1 / at->second;
  };
  TileConfig wished = sliders.defaults();
  for (int start = 0; start < kStarts; ++start) {
    if (const auto from = legal_start(validate, sliders, wished, problem, device)) {
      climb(validate, sliders, *from, problem, device, kTilesEach, speed);
    } else if (start == 0) {
      return {};
    }
    for (int i = 0; i < sliders.count; ++i) {
      const Slider& s = sliders.slider[i];
      set(wished, s.field, s.values[random() % static_cast<unsigned>(s.count)]);
    }
  }
  std::vector<Timed> all;
  for (const auto& [text, timed] : best) all.push_back(timed);
  // Of equals the same one first, whatever order a table has.
  std::sort(all.begin(), all.end(), [&](const Timed& a, const Timed& b) {
    return a.us != b.us ? a.us < b.us : tile_text(a.tile, sliders) < tile_text(b.tile, sliders);
  });
  std::vector<TileConfig> tiles;
  for (const Timed& timed : all) {
    if (static_cast<int>(tiles.size()) == count) break;
    tiles.push_back(timed.tile);
  }
  return tiles;
}

}  // namespace tilescope::model
