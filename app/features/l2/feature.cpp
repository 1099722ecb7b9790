#include "app/state/feature.h"

namespace tilescope {

extern const Feature l2_feature{};

}  // namespace tilescope
