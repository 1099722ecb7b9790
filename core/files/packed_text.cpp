#include "core/files/packed_text.h"

#include <zlib.h>

#include <new>
#include <span>
#include <vector>

#include "core/files/base64.h"

namespace tilescope::files {

std::string pack_text(std::string_view text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::vector<Bytef> bytes(size);
  if (compress2(bytes.data(), &size, reinterpret_cast<const Bytef*>(text.data()),
                static_cast<uLong>(text.size()), Z_BEST_COMPRESSION) != Z_OK) {
    throw std::bad_alloc();  // there is room for what comes out: zlib had none for itself
  }
  return base64url(std::as_bytes(std::span(bytes).first(size)));
}

std::optional<std::string> unpack_text(std::string_view packed, size_t most) {
  const auto bytes = from_base64url(packed);
  if (!bytes) return std::nullopt;
  std::string text(most, '\0');
  uLongf size = text.size();
  if (uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                 reinterpret_cast<const Bytef*>(bytes->data()),
                 static_cast<uLong>(bytes->size())) != Z_OK) {
    return std::nullopt;
  }
  text.resize(size);
  return text;
}

}  // namespace tilescope::files
