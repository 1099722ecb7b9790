// Why a tile cannot be launched: data, not text. core/model/sentences.h makes the sentence.
#pragma once
#include "core/layout/tile_config.h"

namespace tilescope {

enum class Rule : int {
  none,
  extent_range,        // m, n or k: value, limit = kMaxExtent
  types,               // value: the TypeBits that the kernel computes
  order,               // the kernel does not take this operand order
  leading_dimension,   // value; limit = the least that a line needs, or the most there can be
  device_too_old,      // value = the device's sm, limit = the kernel's
  device_too_new,      // the same, where only the limit's architecture has the instructions
  value_not_offered,   // field, value; limit = nearest value offered
  not_divisible,       // field (value) is not a multiple of field2 (limit)
  warp_too_small,      // field (value) has no room for 32 lanes' thread tiles (limit), by field2
  threads_too_many,    // value, limit
  threads_too_few,     // value, limit
  shared_too_large,    // value, limit in bytes
  registers_too_many,  // value (estimated, per thread), limit
  product_registers,   // that the assembler needs for one wgmma (value); a thread begins with limit
  ctas_by_threads,     // CTAs per SM: value; limit = those that its threads suffice for
  ctas_by_shared,      // the same of its shared memory
  grid_too_large,      // value, limit
  cluster_too_large,   // value, limit
  cluster_cuts_k,      // CTAs of a cluster (value) that would each have a part of k
  part_too_low,        // lines of a tile (value) that field2 CTAs (limit) cannot share, by field
};

struct Violation {
  Rule rule = Rule::none;
  long long value = 0;
  long long limit = 0;
  TileFieldId field = TileFieldId::none;   // the slider to mark
  TileFieldId field2 = TileFieldId::none;  // its partner in the rule
  int operand = -1;  // of order, leading_dimension: Operand; of extent_range: 0 m, 1 n, 2 k

  constexpr bool legal() const { return rule == Rule::none; }
};

}  // namespace tilescope
