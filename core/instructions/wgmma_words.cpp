#include "core/instructions/wgmma_words.h"

#include <algorithm>

#include "core/model/names.h"

namespace tilescope::model {

std::string wgmma_layout_words(WgmmaLayout layout) {
  const std::string major = layout.k_major ? "K-major, " : "MN-major, ";
  if (layout.swizzle == Swizzle::none) return major + "no swizzle";
  return major + name_of(layout.swizzle) + " swizzle";
}

std::vector<WgmmaOperandRow> wgmma_operand_rows(const MmaAtom& atom) {
  std::vector<WgmmaOperandRow> rows;
  const int bits = element_bits(atom.type_b);
  for (const WgmmaLayout& layout : kWgmmaLayouts) {
    if (!wgmma_takes(layout, bits)) continue;
    const SharedTile tile = wgmma_tile(layout, atom.n, std::max(1, bits / 8));
    const unsigned long long descriptor = wgmma_descriptor(tile);
    rows.push_back({layout, tile.size_bytes(), wgmma_leading_bytes(descriptor),
                    wgmma_stride_bytes(descriptor), descriptor});
  }
  return rows;
}

}  // namespace tilescope::model
