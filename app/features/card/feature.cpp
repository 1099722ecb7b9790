#include "app/state/feature.h"

namespace tilescope {

extern const Feature card_feature{};

}  // namespace tilescope
