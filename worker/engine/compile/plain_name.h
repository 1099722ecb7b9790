// Names of files and macros that somebody else may have chosen.
#pragma once
#include <string>

namespace tilescope::worker {

/// True if a name may stand in the text of a program between quotes: without a quote, a backslash
/// or a control character, each of which would end it early.
bool is_plain_name(const std::string& name);
/// For a sentence: control characters become `?`, what is long is cut.
std::string shown_name(const std::string& name);

}  // namespace tilescope::worker
