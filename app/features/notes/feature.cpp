#include "app/state/feature.h"

namespace tilescope {

extern const Feature notes_feature{};

}  // namespace tilescope
