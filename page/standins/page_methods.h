// What the Web Workers of a page answer.
#pragma once
#include <string_view>

#include "worker/service.h"

namespace tilescope::web {

/// `role`: of page/calls/page_roles.h.
worker::MethodTable page_methods(std::string_view role);

}  // namespace tilescope::web
