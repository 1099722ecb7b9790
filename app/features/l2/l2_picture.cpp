#include "app/features/l2/l2_picture.h"

#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope {

std::shared_ptr<const std::vector<viz::L2TileState>> l2_tiles(const model::L2Traffic& traffic) {
  if (traffic.tiles.empty() || traffic.steps <= 0) return nullptr;
  auto all = std::make_shared<std::vector<viz::L2TileState>>();
  all->reserve(traffic.tiles.size());
  const auto share = [&](float step) {
    return step < 0 ? -1.0f : static_cast<float>(step / traffic.steps);
  };
  for (const model::L2Tile& tile : traffic.tiles) {
    all->push_back(
        {share(tile.begin), share(tile.end), static_cast<float>(tile.hits()), tile.asked});
  }
  return all;
}

viz::L2State l2_picture(const AppState& state, const model::L2Traffic& t,
                        const model::L2Machine& machine,
                        std::shared_ptr<const std::vector<viz::L2TileState>> tiles, float moment) {
  viz::L2State picture;
  const Raster& raster = state.derived.plan.work.raster;
  picture.rows = raster.tiles_m, picture.cols = raster.tiles_n;
  picture.tiles = std::move(tiles);
  picture.hit_rate = t.hit_rate;
  picture.moment = moment;
  picture.hover = state.hover_before.pick;
  picture.selected_row = state.selection.cta.row, picture.selected_col = state.selection.cta.col;
  picture.facts = {wording("CTAs read ~{}: {:.1f} % from the L2, ~{} from DRAM.",
                           model::bytes_text(t.asked), 100 * t.hits(), model::bytes_text(t.read)),
                   t.read < 1.005 * t.compulsory
                       ? wording("That is each matrix once, the least there is.")
                       : wording("Each matrix once would be {}: {:.3g} times less.",
                                 model::bytes_text(t.compulsory), t.read / t.compulsory),
                   wording("{} CTAs at once; the L2 keeps ~{} of what they touched last.",
                           model::grouped(std::min<long long>(machine.slots,
                                                              cta_count(state.derived.plan.work))),
                           model::bytes_text(machine.bytes))};
  if (!picture.tiles) {
    picture.facts.push_back(wording("{} tiles are too many to draw one by one (at most {}).",
                                    model::grouped(raster.tiles()),
                                    model::grouped(model::kMostL2Tiles)));
  }
  return picture;
}

}  // namespace tilescope
