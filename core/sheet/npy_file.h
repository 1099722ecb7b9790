// The head of a .npy file, as numpy writes arrays.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/sheet/value_type.h"

namespace tilescope::sheet {

struct NpyHeader {
  const ValueType* type = nullptr;
  bool by_rows = true;  // C order, as numpy calls it
  std::vector<uint64_t> shape;
  uint64_t data_at = 0;  // byte of the first element
  uint64_t elements() const;
};

inline constexpr uint64_t kMostNpyHeader = 64 << 10;  // bytes; shapes take 118

/// Of a file's first bytes, as many as kMostNpyHeader if it has them. Throws SheetError: it is no
/// such file, or of a type that no SPEC has.
NpyHeader npy_header(std::string_view begin);

}  // namespace tilescope::sheet
