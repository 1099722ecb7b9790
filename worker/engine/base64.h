// Bytes in JSON.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::worker {

std::string base64(std::span<const std::byte> bytes);
/// Nothing if the text is no base64.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);

}  // namespace tilescope::worker
