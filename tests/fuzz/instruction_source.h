// Instructions made from the table of rows: nothing about opcodes is written down here.
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "emulator/compile/row.h"

namespace tilescope::emulator::fuzz {

using Random = std::mt19937;

/// One of a row's mnemonics: each word one of its alternatives, some of those that may be missing.
std::string mnemonic(const Row& row, Random& random);
/// An instruction of a row on the registers and variables of frame() (targets.h), with its ';'.
std::string instruction(uint32_t row, Random& random);
/// Several lines that go together: loops, addresses, barriers that some pass, copies and waits.
std::string snippet(Random& random);
/// What may stand in an operand's place.
std::string any_operand(Random& random);
/// Each word of each mnemonic, once, and the words of directives.
std::vector<std::string> words();

}  // namespace tilescope::emulator::fuzz
