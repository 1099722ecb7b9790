// What the window and the command line keep in the folder of the configuration: which files there
// are, whether each can still be read, and what is done about one that cannot.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/files/json_file.h"

namespace tilescope {

/// One kind of file that is kept: how it is told from a newer program's, and what is read of it at
/// most.
struct KeptKind {
  const char* what;         // as doctor names it
  const char* folder = "";  // in the folder of the configuration
  const char* begins;       // its name, up to ".json"
  const char* version_key;  // a number in the object; empty: the file is a list
  bool has_version = true;  // whether each has it
  int version = 0;          // that this program writes
  files::JsonLimits limits;
};
inline constexpr KeptKind kKeptSession = {.what = "session",
                                          .begins = "session",
                                          .version_key = "tilescope",
                                          .version = 1,
                                          .limits = {.bytes = 4u << 20, .depth = 32}};
inline constexpr KeptKind kKeptSettings = {.what = "settings",
                                           .begins = "window",
                                           .version_key = "version",
                                           .has_version = false,
                                           .version = 1,
                                           .limits = {.bytes = 4u << 20, .depth = 32}};
inline constexpr KeptKind kKeptCards = {.what = "own cards",
                                        .begins = "cards",
                                        .version_key = "",
                                        .limits = {.bytes = 1u << 20, .depth = 4}};

struct KeptFile {
  /// newer: of a newer program; unreadable: not ours to read, or larger than any that was written
  /// here. Both are left alone. unfinished: what a writer that was killed has left beside a file.
  /// report: of a window that crashed.
  enum class State : unsigned char { whole, newer, unreadable, damaged, unfinished, report };
  std::string what, file;
  State state = State::whole;
  std::string why;  // a sentence, unless it is whole
};

/// All that is there, by kind and name. A folder that is missing holds none.
std::vector<KeptFile> kept_files(const std::string& folder);

/// Sets a damaged file aside, removes an unfinished one, and leaves all else. What was done, or why
/// it could not be, in a sentence; empty: nothing.
std::string repair(const KeptFile& file);

}  // namespace tilescope
