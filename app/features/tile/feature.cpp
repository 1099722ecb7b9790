#include "app/state/feature.h"
#include "app/features/tile/tile_answers.h"

namespace tilescope {

extern const Feature tile_feature{.answers = tile_answers};

}  // namespace tilescope
