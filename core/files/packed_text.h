// A text in fewer characters, all of which an address, a file's name and a terminal let pass.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope::files {

/// Deflated (RFC 1950, with a checksum), then base64url.
std::string pack_text(std::string_view text);

/// Nothing if it is damaged, or more than `most` bytes would come out of it.
std::optional<std::string> unpack_text(std::string_view packed, size_t most);

}  // namespace tilescope::files
