// For the sentences about instructions that are not known: the nearest ones that are, and what
// differs.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::emulator {

/// "; the nearest is 'ld.global.b32', with '.b32' in place of '.b128'": of a mnemonic that no row
/// has. Empty if nothing is near.
std::string nearest_mnemonics(std::string_view mnemonic);

/// "one of Hopper's wgmma, which the emulator does not have yet": of a mnemonic of a family that is
/// left out as a whole. Else empty.
std::string missing_family(std::string_view mnemonic);

/// "'ld.global.b32 r32, [address]' and 'ld.global.b32 r64, [address]'": how the rows are written
/// with that mnemonic, at most three.
std::string forms_of(std::string_view mnemonic, const std::vector<uint16_t>& rows);

}  // namespace tilescope::emulator
