// Of what the command `step` prints: who wrote shared memory, and what the checks have found.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/step_output.h"

namespace tilescope::cli {

/// null for 0: no line is known.
Json line_json(int line);
/// "all", or the mask in hexadecimal.
std::string lanes_text(uint32_t lanes);

/// Who wrote the bytes of shared memory that are shown last; all of it where none are.
Json writers_json(const emulator::StepState& state, const std::vector<ShownBytes>& shown);
void print_writers(const emulator::StepState& state, const std::vector<ShownBytes>& shown);

Json checks_json(const worker::StepChecks& checks);
void print_checks(const worker::StepChecks& checks);

}  // namespace tilescope::cli
