#include "app/state/session_place.h"

#include <filesystem>

#include "app/common/config_folder.h"
#include "core/language/language.h"

namespace tilescope {

SessionPlace session_place(const std::string& folder) {
  constexpr int kMostWindows = 99;
  const std::filesystem::path in(folder);
  SessionPlace place;
  place.file = (in / kSessionFile).string();
  std::error_code error;
  std::filesystem::create_directories(in, error);
  for (int i = 1; i <= kMostWindows; ++i) {
    const std::string ending = i > 1 ? "-" + std::to_string(i) : "";
    const std::filesystem::path first(kSessionFile);
    const std::string own = first.stem().string() + ending + first.extension().string();
    std::string why_not;
    place.lock = files::LockedFile::open((in / ("." + own + ".lock")).string(),
                                         files::LockedFile::Lock::alone_or_none, &why_not);
    if (!place.lock && why_not.empty()) continue;  // another window's
    if (!place.lock) return place;                 // no locks here
    place.file = (in / own).string();
    place.ending = ending;
    if (i > 1) {
      place.notice = wording("Another window has the session: this one keeps its own, {}.", own);
    }
    return place;
  }
  return place;
}

}  // namespace tilescope
