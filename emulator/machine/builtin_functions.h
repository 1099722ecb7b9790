// Functions that CUDA's device runtime brings and no PTX file has: rows of isa/rows_external.cpp.
#pragma once
#include "emulator/machine/context.h"

namespace tilescope::emulator {

/// vprintf(format, arguments): the text of each active lane, in order. Operands: addresses of the
/// result, the format and the arguments' block, all in local memory.
void call_vprintf(Context&, const Inst&);
/// __assertfail(message, file, line, function, character size): says so, and traps.
void call_assertfail(Context&, const Inst&);

}  // namespace tilescope::emulator
