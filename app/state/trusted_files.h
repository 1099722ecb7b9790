// What a state file, a state as text or a link may have opened: whoever sends one must not choose
// which of a person's files are read (docs/security.md).
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace tilescope {

/// Nothing but what lies below the folder is looked at on the disk. A folder without a name has
/// nothing in it.
bool lies_below(const std::string& file, const std::string& folder);

class TrustedFiles {
 public:
  /// Those below `folder` (of the state file; empty: none), below the kernels' folder of the
  /// command line and the window's own copies, and those that the person has opened.
  TrustedFiles(const AppState& state, const std::string& folder);

  bool has(const std::string& file) const;
  /// Takes out of the kernel's sheet what names other files: SPECs are emptied, expectations left
  /// out. What lies below the folder of the kernel's file, which is trusted, may stay. The first
  /// that was taken out; empty: none.
  std::string clean(OwnKernel& kernel) const;

 private:
  std::vector<std::string> folders_, files_;
};

struct LeftOut {
  OwnKernel awaited;     // that was shown, by its file's name, for AppState::awaited
  std::string sentence;  // names the file, and how it is opened; empty: nothing was left out
};
/// Of a session's JSON that somebody else may have made: the kernel's file and those of its launch
/// sheet, of the edit that is shown and of all others in it. Points of other files are left out.
LeftOut leave_out_others_files(nlohmann::json& session, const TrustedFiles& trusted);

/// What is said of a file that a sheet names and that was taken out of it.
std::string sheet_file_words(const std::string& file);

}  // namespace tilescope
