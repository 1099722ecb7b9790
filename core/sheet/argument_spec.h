// SPECs: what a parameter of a kernel is given, in the words of docs/cli.md ("f32:1.5",
// "buf:f32:128x64:random:in"). The command line, the window and sheets read them here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/sheet/tensor_spec.h"
#include "core/sheet/value_type.h"

namespace tilescope::sheet {

/// 64 GiB: more than a host has to spare.
inline constexpr uint64_t kMostBufferBytes = uint64_t{1} << 36;

/// A number by value.
struct ValueSpec {
  const ValueType* type = nullptr;
  std::vector<std::byte> bytes;
};

/// A struct by value. An address in it is that of another argument's buffer.
struct StructSpec {
  std::vector<std::byte> bytes;
  struct Pointer {
    size_t offset = 0, argument = 0;
  };
  std::vector<Pointer> pointers = {};
};

/// What a buffer holds before the run. Random: reals uniform in [−1, 1), integers −8…8 (unsigned
/// 0…16), from a seed, the argument's number and the element's alone. Index: the element's number
/// by rows.
enum class Fill { zeros, random, index, file };
/// Who writes it: `in` must not be written by the kernel, `out` is to be written before it is read.
enum class Direction { in, out, inout };

struct BufferSpec {
  const ValueType* type = nullptr;  // null: bytes alone, of in:, out: and inout:
  uint64_t rows = 1, cols = 0;      // of bytes: 1 row; 0 columns: as many as the file has
  Fill fill = Fill::zeros;
  Direction direction = Direction::inout;
  std::string file = {};

  /// 0: as many as the file has.
  uint64_t bytes() const { return rows * cols * (type ? type->bytes : 1); }
};

using ArgumentSpec = std::variant<ValueSpec, StructSpec, BufferSpec, TensorMapSpec>;

/// Throws SheetError, without the SPEC itself: "'x' is not one of i8 u8 …".
ArgumentSpec parse_spec(const std::string& text);

/// "buf:f32:128x64:random:in".
std::string buffer_spec(const std::string& type, uint64_t rows, uint64_t cols,
                        const std::string& fill, const std::string& direction);

/// The forms, for --help and errors: "i8 u8 … in out inout bytes buf".
std::string spec_kinds();

}  // namespace tilescope::sheet
