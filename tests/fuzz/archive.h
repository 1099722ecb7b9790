// The corpus: one tar archive a target, made by tests/fuzz/fuzz and read here without unpacking.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "seed_inputs.h"

namespace tilescope::emulator::fuzz {

/// The files of a tar archive whose names have at most 100 bytes. Throws a sentence where it is
/// damaged or cut off.
std::vector<Seed> files_of_archive(std::string_view bytes);

}  // namespace tilescope::emulator::fuzz
