#include "app/state/feature.h"

namespace tilescope {

extern const Feature output_feature{};

}  // namespace tilescope
