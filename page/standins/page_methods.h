// What the Web Workers of a page answer.
#pragma once
#include <string_view>

#include "worker/service.h"

namespace tilescope::web {

/// `role`: "compiler", "store" or "emulator", as worker/messages/roles.h names the processes.
worker::MethodTable page_methods(std::string_view role);

}  // namespace tilescope::web
