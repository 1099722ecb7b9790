#include "app/state/feature.h"

namespace tilescope {

extern const Feature tile_feature{};

}  // namespace tilescope
