// Files that somebody else may have named: nothing is opened that waits for a writer, never ends or
// is a device.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace tilescope::worker {

/// What lies at a path, behind its symbolic links.
enum class FileThere : unsigned char { nothing, regular, folder, other };
FileThere file_there(const std::string& path);

/// As files::read_file(), of a regular file alone: pipes, sockets and devices are refused without a
/// wait, with a sentence.
std::optional<std::string> read_regular_file(const std::string& path, uint64_t limit,
                                             std::string* why_not);

/// True if a name may stand in the text of a program between quotes: without a quote, a backslash
/// or a control character, each of which would end it early.
bool is_plain_name(const std::string& name);
/// For a sentence: control characters become `?`, what is long is cut.
std::string shown_name(const std::string& name);

}  // namespace tilescope::worker
