#include "worker/engine/probe/probe_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tilescope::worker {

std::string ProbeSide::words(const char* name, int64_t element) const {
  if (element < 0 || element >= elements()) return fmt::format("no element of {}", name);
  const int64_t col = element % cols, row = element / cols % rows, group = element / cols / rows;
  std::string text = fmt::format("{}[{},{}]", name, row, col);
  if (groups > 1) text += fmt::format(" of group {}", group);
  return text;
}

ProbeSide register_side(const MmaAtom& atom, const FragmentLayout& f, ElementType type) {
  ProbeSide side{type, f.rows, f.cols, atom.group.size(), 0, 0, {}};
  const auto thread_bits = static_cast<uint32_t>(8 * thread_bytes(f));
  for (int group = 0; group < side.groups; ++group) {
    for (int t = 0; t < f.threads(); ++t) {
      const int thread = atom.lanes(t) + atom.group(group);
      for (int v = 0; v < f.values(); ++v) {
        const Coord at = fragment_coord(f, t, v);
        side.places.push_back(
            {static_cast<uint32_t>(thread) * thread_bits + static_cast<uint32_t>(v * f.bits),
             thread, v, group, at.row, at.col});
      }
    }
  }
  side.bytes = static_cast<size_t>(atom.threads()) * thread_bits / 8;
  // In the order of the bytes, which is the order in which they are read and reported.
  std::sort(side.places.begin(), side.places.end(),
            [](const ProbePlace& a, const ProbePlace& b) { return a.bit < b.bit; });
  return side;
}

ProbeSide register_side(const FragmentLayout& f, ElementType type) {
  MmaAtom warp;
  warp.c = f;
  warp.lanes = make_layout({f.threads(), 1});
  return register_side(warp, f, type);
}

ProbeSide memory_side(int rows, int cols, ElementType type, Order order) {
  ProbeSide side{type, rows, cols, 1, 0, 0, {}};
  const int bits = element_bits(type), leading = order == Order::row_major ? cols : rows;
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      const long long index = element_index(order, leading, row, col);
      side.places.push_back({static_cast<uint32_t>(index * bits), -1, 0, 0, row, col});
    }
  }
  side.bytes = static_cast<size_t>(rows * cols * bits / 8);
  return side;
}

ProbeSide wgmma_side(const MmaAtom& atom, Operand operand, const WgmmaPlace& place) {
  const bool is_a = operand == Operand::a;
  const ElementType type = is_a ? atom.type_a : atom.type_b;
  const int bits = element_bits(type), outer = is_a ? atom.m : atom.n;
  const SharedTile tile = place.tile(atom, operand);
  ProbeSide side{type, is_a ? outer : atom.k, is_a ? atom.k : outer, 1, 0, 0, {}};
  side.bytes = static_cast<size_t>(kWgmmaHeadBytes + wgmma_room(atom, operand));
  side.head = place.descriptor(atom, operand);
  for (int line = 0; line < outer; ++line) {
    for (int k = 0; k < atom.k; ++k) {
      const int step_bits = 8 * wgmma_step_bytes(place.step) + k * bits;
      const int element = step_bits / (8 * tile.bytes_per_element);
      const int byte = kWgmmaHeadBytes + shared_offset(tile, line, element);
      const auto bit = static_cast<uint32_t>(8 * byte + step_bits % (8 * tile.bytes_per_element));
      side.places.push_back({bit, -1, 0, 0, is_a ? line : k, is_a ? k : line});
    }
  }
  return side;
}

std::byte* new_image(ProbeImages& images, const ProbeSide& side) {
  const size_t start = images.data.size();
  images.bytes = side.bytes;
  images.data.insert(images.data.end(), side.bytes, std::byte{0});
  if (side.head) std::memcpy(images.data.data() + start, &side.head, sizeof side.head);
  return images.data.data() + start;
}

void put_bits(std::byte* image, uint32_t bit, int bits, uint64_t value) {
  if (bits < 8) {
    image[bit / 8] |= static_cast<std::byte>(value << bit % 8);
  } else {
    std::memcpy(image + bit / 8, &value, static_cast<size_t>(bits / 8));
  }
}

}  // namespace tilescope::worker
