// Inputs of a probe as bytes: an operand's places, and images that give each a number.
#pragma once
#include <vector>

#include "core/layout/mma.h"
#include "worker/engine/probe/probe_codes.h"
#include "worker/engine/probe/probe_machine.h"
#include "worker/engine/probe/probe_text.h"

namespace tilescope::worker {

/// One element in an operand's bytes. Operands of groups of lanes (m8n8k4) lie behind each other.
struct ProbePlace {
  uint32_t bit = 0;  // from the start of the image
  int thread = 0;    // of the block; -1: in memory
  int value = 0;
  int group = 0, row = 0, col = 0;
};

struct ProbeSide {
  ElementType type = ElementType::f16;
  int rows = 0, cols = 0, groups = 1;
  size_t bytes = 0;   // of an image
  uint64_t head = 0;  // what it begins with, of wgmma's operands in shared memory
  std::vector<ProbePlace> places;

  int64_t elements() const { return int64_t{1} * groups * rows * cols; }
  int64_t index(int group, int row, int col) const {
    return (int64_t{1} * group * rows + row) * cols + col;
  }
  int64_t index(const ProbePlace& p) const { return index(p.group, p.row, p.col); }
  /// "A[3,5]", with the group if there are several.
  std::string words(const char* name, int64_t element) const;
};

/// A fragment's registers, thread after thread.
ProbeSide register_side(const MmaAtom& atom, const FragmentLayout& f, ElementType type);
/// The same of one warp whose lanes are the fragment's threads.
ProbeSide register_side(const FragmentLayout& f, ElementType type);
/// A dense matrix in memory.
ProbeSide memory_side(int rows, int cols, ElementType type, Order order);
/// A or B of wgmma in shared memory.
ProbeSide wgmma_side(const MmaAtom& atom, Operand operand, const WgmmaPlace& place);

/// Writes `bits` as the element at `place` of the image that starts at `image`.
void put_bits(std::byte* image, uint32_t bit, int bits, uint64_t value);

/// Appends an image of zeros.
std::byte* new_image(ProbeImages& images, const ProbeSide& side);

/// One image more: number_of(place) at each place, zeros elsewhere.
template <class Number>
void add_image(ProbeImages& images, const ProbeSide& side, const Number& number_of) {
  std::byte* image = new_image(images, side);
  const int bits = element_bits(side.type);
  for (const ProbePlace& p : side.places) {
    if (const int64_t number = number_of(p); number != 0) {
      put_bits(image, p.bit, bits, code_bits(side.type, number));
    }
  }
}

}  // namespace tilescope::worker
