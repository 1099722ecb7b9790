// Files that films are, for those that make none themselves, too.
#pragma once

namespace tilescope::viz {

/// The first needs nothing else.
inline constexpr const char* kFilmEndings[] = {".webp", ".mp4"};

}  // namespace tilescope::viz
