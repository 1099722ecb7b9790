// The text that Source shows, where it can be changed: a rung's in a private copy (the ladder's own
// sources stay as they are), a file of somebody's own, or one of --kernel-dir, in itself.
#pragma once
#include <string>

#include "app/state/app_state.h"

namespace tilescope {

/// Where the present kernel's sources are read from before those built in: the folder of its
/// private copy, else --kernel-dir; empty: built in alone.
std::string sources_folder(const AppState& state);

/// A rung is looked at as somebody has changed it.
bool has_private_copy(const AppState& state);

/// The file that is looked at, by a name that tells it from all others; empty: none that can be
/// changed.
std::string file_identity(const AppState& state);
/// As it is compiled now.
std::string saved_text(const AppState& state);
/// A rung's as the ladder (or --kernel-dir) has it; empty for a kernel of one's own.
std::string original_text(const AppState& state);

/// Makes `text` what is compiled, checked and run from now on; the original's own text ends the
/// private copy. Empty, or why it was not written, in one sentence.
std::string save_text(AppState& state, const std::string& text);
/// Writes `text` of a kernel of one's own to another file, which is looked at from now on, with the
/// same sheet. Empty, or why not, in one sentence: then nothing has changed.
std::string save_text_as(AppState& state, const std::string& text, const std::string& path);
/// Whether the file is as the window itself wrote it last: no news to whoever watches it.
bool is_as_written(const PrivateCopies& copies, const std::string& file);
/// Back to the ladder's own source.
void leave_private_copy(AppState& state);

}  // namespace tilescope
