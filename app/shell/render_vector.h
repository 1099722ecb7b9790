// `--render` of a picture that is a scene through and through: SVG, PDF, or a PNG of one that is in
// no panel. No display is needed for it.
#pragma once
#include "app/shell/options.h"

namespace tilescope {

bool is_drawn_as_vector(const Options& options);
/// The program's exit code.
int render_vector(const Options& options);

}  // namespace tilescope
