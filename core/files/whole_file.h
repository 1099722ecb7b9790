// A file as one value: read whole within a limit, written so that it is there whole or not at all.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::files {

/// More than any text that is read whole: results of a long sweep, PTX, a kernel's source.
inline constexpr uint64_t kMostBytes = 1ull << 30;

/// All bytes of a file, a pipe or the like. Nothing if it cannot be read or has more than `limit`;
/// then `why_not` gets that as a sentence: "PATH has 5 bytes; at most 4 are read."
std::optional<std::string> read_file(const std::string& path, uint64_t limit = kMostBytes,
                                     std::string* why_not = nullptr);

/// What lies at a path, behind its symbolic links.
enum class FileThere : unsigned char { nothing, regular, folder, other };
FileThere file_there(const std::string& path);

/// As read_file(), where somebody else may have named the file: pipes, sockets and devices are
/// refused without a wait, with a sentence.
std::optional<std::string> read_regular_file(const std::string& path, uint64_t limit,
                                             std::string* why_not = nullptr);

/// A text's lines without their ends; one that was cut short is a line, too.
std::vector<std::string_view> lines_of(std::string_view text);

/// Takes the place of the file at once and for good: written beside it, synced, renamed, so that
/// whoever is killed leaves the file as it was or as it shall be. Folders that are missing are not
/// made; a link stays one, and so do the file's permissions. What is no file (a pipe, a terminal)
/// is written to. Empty, or why not, in a sentence: "PATH cannot be written (No space left on
/// device)."
std::string replace_file(const std::string& path, std::string_view bytes);

/// In the name of what replace_file() writes, behind that of the file.
inline constexpr const char* kUnfinished = ".new-";

/// Removes what writers that were killed in replace_file() have left beside the file. For who knows
/// that nobody is writing it.
void remove_unfinished(const std::string& path);

/// Renames a damaged file to PATH.WORD-SECONDS, so that a new one can be written and the old one
/// looked into. Before it go the files that belong to it, whose names are its own with one of
/// `endings`: none of them may stand beside the new one. The new name; empty if it cannot be
/// renamed.
std::string set_aside(const std::string& path, std::string_view word,
                      const std::vector<std::string>& endings = {});

}  // namespace tilescope::files
