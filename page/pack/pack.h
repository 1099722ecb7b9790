// Packs: files of named texts, compressed together. PTX of many tiles in one, since the tiles of a
// kernel differ little; recordings; whatever the page fetches in one go. Written by tools/ptx_pack,
// read in the page.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope::web {

/// A file's name → its bytes.
using Files = std::map<std::string, std::string>;

inline constexpr std::string_view kPackMagic = "tilescope pack 1\n";
/// What a pack may unpack to: a damaged one must not take the page's memory.
inline constexpr size_t kMostUnpacked = size_t{256} << 20;

/// The pack's text before compression: the magic line, how many files, a line "SIZE NAME" for each,
/// then their bytes.
std::string pack_text(const Files& files);
/// Nothing if the text is no pack, or is cut short.
std::optional<Files> files_of_text(std::string_view text);

/// zstd: as small as it gets, which takes seconds a megabyte.
std::string compressed(std::string_view text);
/// Nothing if it is damaged, or would be larger than kMostUnpacked.
std::optional<std::string> decompressed(std::string_view bytes);

}  // namespace tilescope::web
