// What the buffers of a launch sheet hold before the run.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/sheet/argument_spec.h"

namespace tilescope::worker {

/// A buffer's size, and where its contents begin in its file.
struct SheetBuffer {
  std::string label;  // "Argument 2 (in:a.bin)", for sentences
  uint64_t bytes = 0, data_at = 0;
  bool by_rows = true;       // of a .npy file
  std::string content = {};  // of a pipe, which can be read but once
};

/// Looks at the file, if it has one. Throws sheet::SheetError if that cannot be read or has another
/// size, type or shape than the SPEC.
SheetBuffer open_buffer(const sheet::BufferSpec& spec, const std::string& label);

/// Fills a buffer of these bytes. An element that is random follows from seed, argument and index
/// alone.
void fill_buffer(const sheet::BufferSpec& spec, const SheetBuffer& buffer, size_t argument,
                 uint64_t seed, std::span<std::byte> to);

}  // namespace tilescope::worker
