// How a file is chosen: by its path and in its folder; on a page by the browser, which shows no
// folders.
#pragma once
#include <string>

#include "app/panel.h"

namespace tilescope {

/// Above all that is offered. True: `path` was chosen, of a file or of a folder.
bool choose_by_path(AppContext& context, std::string& path);
/// Below it. True: `path` of a file was chosen.
bool choose_in_folder(AppContext& context, std::string& path);
/// Chosen from, from now on.
void show_folder(const std::string& folder);

/// A row to click, as wide as the panel whatever its text is.
bool file_row(AppContext& context, const std::string& text, const std::string& id,
              const std::string& tip = {});

}  // namespace tilescope
