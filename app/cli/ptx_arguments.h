// SPECs of emulate --arg → the parameter block of a PTX entry and the buffers behind it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/emulator.h"

namespace tilescope::cli {

struct PtxArgument {
  std::vector<std::byte> bytes;  // as they lie in the parameter block
  uint64_t buffer = 0;           // device address of its buffer; 0 = a value
  struct Pointer {
    size_t offset, index;  // in `bytes`; the argument whose buffer's address belongs there
  };
  std::vector<Pointer> pointers = {};  // of bytes:
  bool read_only = false;              // of its buffer
  bool given = false;                  // its buffer's contents are; else it is zero
};

/// SPEC: i32: u32: i64: u64: f16: f32: f64: value, in:FILE, out:BYTES, inout:FILE, bytes:HEX, with
/// commas between parts, of which each may be @INDEX, the 8 bytes of that argument's address.
/// Buffers are allocated in `memory`. `index` names the argument in errors.
PtxArgument read_argument(const std::string& spec, size_t index, emulator::Memory& memory);

/// Throws (exit code 2) if an argument has another size than its parameter, or the number differs;
/// buffers that an @INDEX names may come behind those of the parameters.
std::vector<std::byte> parameter_block(const std::vector<PtxArgument>& arguments,
                                       const emulator::EntryInfo& entry);

/// Whole file; throws (exit code 2) if it cannot be read.
std::vector<std::byte> read_file(const std::string& flag, const std::string& file);

/// IEEE half nearest to a value, ties to even.
uint16_t to_half(double value);

}  // namespace tilescope::cli
