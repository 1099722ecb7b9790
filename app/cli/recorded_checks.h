// What recorded proofs say of instructions, for the comment of exported maps.
#pragma once
#include <map>
#include <string>

namespace tilescope::cli {

/// PTX name → "checked element by element on NVIDIA H200, …", of those whose recorded proof found
/// the map right. Asks the worker; empty if it has none.
std::map<std::string, std::string> recorded_checks();

}  // namespace tilescope::cli
