#include "app/state/feature.h"

namespace tilescope {

extern const Feature findings_feature{};

}  // namespace tilescope
