// What is hovered in Source and Timeline, as accesses; and the element under the pointer here, as
// the lines and steps that touch it.
#pragma once
#include <memory>

#include "app/features/access/access_view.h"

namespace tilescope {

/// The accesses of the line or the event under the pointer elsewhere. Nothing set: there are none.
AccessLight hovered_light(const AppState& state, const AccessData& data);

/// Who touches an element, of what is looked at.
std::shared_ptr<const Touchers> touchers_of(const AppState& state, const AccessData& data,
                                            const AccessElement& element);

}  // namespace tilescope
