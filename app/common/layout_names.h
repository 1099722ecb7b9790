// The layouts of the window, as they are listed.
#pragma once

namespace tilescope {

struct LayoutName {
  const char* id;     // "explore"
  const char* title;  // "Explore"
};
inline constexpr LayoutName kLayouts[] = {
    {"explore", "Explore"}, {"learn", "Learn"}, {"tune", "Tune"},      {"fragment", "Fragment"},
    {"layer", "Layer"},     {"step", "Step"},   {"compare", "Compare"}};

}  // namespace tilescope
