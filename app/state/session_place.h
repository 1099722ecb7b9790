// Which file a window keeps its session in: two windows never write one.
#pragma once
#include <optional>
#include <string>

#include "core/files/locked_file.h"

namespace tilescope {

struct SessionPlace {
  std::string file;    // "…/session.json", of a second window "…/session-2.json"
  std::string ending;  // "-2" of that, for what else each window has of its own
  std::string notice;  // a sentence where it is another than the first; else empty
  std::optional<files::LockedFile> lock;  // goes with this object, or with the process
};

/// The first of the folder's sessions that no other window has. A folder that knows no locks gives
/// the first one to everybody.
SessionPlace session_place(const std::string& folder);

}  // namespace tilescope
