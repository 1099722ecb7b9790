#include "core/instructions/wgmma_words.h"

#include "core/model/names.h"

namespace tilescope::model {

std::string swizzle_words(Swizzle mode) {
  return mode == Swizzle::none ? "no swizzle" : std::string(name_of(mode)) + " swizzle";
}
std::string wgmma_layout_words(WgmmaLayout layout) {
  return std::string(layout.k_major ? "K-major, " : "MN-major, ") + swizzle_words(layout.swizzle);
}

std::vector<WgmmaOperandRow> wgmma_operand_rows(const MmaAtom& atom) {
  std::vector<WgmmaOperandRow> rows;
  for (const WgmmaLayout& layout : kWgmmaLayouts) {
    if (!wgmma_takes(layout, atom.type_b)) continue;
    const SharedTile tile = wgmma_tile(layout, atom.n, atom.type_b);
    const unsigned long long descriptor = wgmma_descriptor(tile);
    rows.push_back({layout, tile.size_bytes(), wgmma_leading_bytes(descriptor),
                    wgmma_stride_bytes(descriptor), descriptor});
  }
  return rows;
}

}  // namespace tilescope::model
