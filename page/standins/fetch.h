// A file beside the page, as the server has it, fetched while the call that needs it waits: a Web
// Worker may. Under node, from the folder that TILESCOPE_PAGE names.
#pragma once
#include <optional>
#include <string>

namespace tilescope::web {

/// `path` below the page, "packs/naive/32x32.pack". Nothing if there is no such file; fails with a
/// sentence if the server cannot be reached, or refuses.
std::optional<std::string> fetch(const std::string& path);

}  // namespace tilescope::web
