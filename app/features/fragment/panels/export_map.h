// "Copy as": the shown instruction's map as a table or as a C++ function, and the picture as a
// file.
#pragma once
#include <functional>

#include "app/panel.h"
#include "core/instructions/instructions.h"
#include "viz/scene/scene.h"

namespace tilescope::widgets {

/// A button with a menu. `scene`: the picture of exactly the view, asked for when it is saved.
void export_map(AppContext& context, const model::Instruction& instruction,
                const std::function<viz::Scene(const viz::TextMeasure&)>& scene);

}  // namespace tilescope::widgets
