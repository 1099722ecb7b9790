// Results measured earlier: files of assets/recordings, a line of JSON each, as `bench` prints
// them.
#pragma once
#include <string>

#include "app/cli/output.h"

namespace tilescope::cli {

/// The newest recording of this kernel, tile, size, types and layout; `device`: part of a device's
/// name, empty = any. Throws CliError (exit code 3) if there is none.
Json find_recording(const Json& request, const std::string& device);

}  // namespace tilescope::cli
