// Functions without a body that the emulator has: a row each, named $ and the function's name. Its
// operands are the call's .param variables, results first.
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"
#include "emulator/machine/builtin_functions.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

const Row kRows[] = {
    warp_row("$vprintf", "AAA", &call_vprintf),
    warp_row("$__assertfail", "AAAAA", &call_assertfail),
};

}  // namespace

RowSpan external_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
