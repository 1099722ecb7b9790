// The session file: what was being looked at, restored at the next start. The same JSON is a state
// file (--state) and a shared link's content.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/common/kept_files.h"
#include "app/state/app_state.h"

namespace tilescope {

constexpr int kSessionSchema = kKeptSession.version;

nlohmann::json to_json(const AppState& state);
/// Of that what somebody else is to see: no history, no pins, nothing personal.
nlohmann::json shown_json(const AppState& state);

/// Takes over what `json` holds; unknown keys are ignored, wrong ones keep the present value.
/// False: nothing was changed and `error` is one sentence.
bool from_json(AppState& state, const nlohmann::json& json, std::string* error);

/// Writes beside the file, syncs, renames: a crash leaves the old file or the new one, never half.
bool save_session(const AppState& state, const std::string& file, std::string* error);

/// What is looked at, without the history and the pins of the session: whoever opens it keeps their
/// own. Empty, or why not, in a sentence.
std::string save_state_file(const AppState& state, const std::string& file);

/// A damaged file is renamed FILE.corrupt-TIME and `notice` says so; a missing one is no error. One
/// of a newer version is left where it is, and must not be written over. Says, too, if nothing can
/// be saved there.
bool load_session(AppState& state, const std::string& file, std::string* notice);

/// Puts JSON over the state as a session file has it (RFC 7396): what it does not name stays.
bool change_state(AppState& state, const std::string& text, std::string* error);

/// What `session` says of what is a person's own (paths, progress) gives way to what this one has;
/// with `history`, also of the history and the pins.
void keep_personal(const AppState& state, nlohmann::json& session, bool history);

/// A state file that the person named: an error is an error, and the file is left alone. Files that
/// it names are opened where they lie below its own folder, or were opened by the person before
/// (trusted_files.h); else a sentence is said. `own`: it was kept by this window, and may name any.
bool open_state_file(AppState& state, const std::string& file, std::string* error,
                     bool own = false);

/// A state that was copied as text, or a link (state_link.h). It has no folder.
bool open_state_text(AppState& state, const std::string& text, std::string* error);

}  // namespace tilescope
