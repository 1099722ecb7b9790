#include "app/state/feature.h"

namespace tilescope {

extern const Feature occupancy_feature{};

}  // namespace tilescope
