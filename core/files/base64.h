// Bytes as text: in JSON, and in a link's address.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::files {

/// RFC 4648, section 4: with + and /, padded.
std::string base64(std::span<const std::byte> bytes);
/// Nothing if the text is no base64.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);

/// Section 5, for file names and addresses: with - and _, not padded.
std::string base64url(std::span<const std::byte> bytes);
/// Nothing if the text is none.
std::optional<std::vector<std::byte>> from_base64url(std::string_view text);

}  // namespace tilescope::files
