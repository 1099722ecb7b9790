// emulate --ask SPEC: where one value came from.
#pragma once
#include <cstdint>
#include <string>

#include "worker/messages/messages.h"

namespace tilescope::cli {

/// C[ROW,COL], an element of C at the end; wWARP.lLANE.%NAME, a register (with .lo or .hi: half of
/// it), or s+BYTE, two bytes of shared memory (s+BYTE:4 four), at the end of the CTA or, with
/// @LINE or @LINE#N, just after the warp ran that PTX line for the first or N-th time.
struct Ask {
  enum class Of { element, register_, shared } of = Of::element;
  int row = 0, col = 0;
  int warp = 0, lane = 0;
  std::string name;  // with its %
  int half = -1;
  uint64_t offset = 0;
  int bytes = 2;
  int ptx_line = 0;  // 0 = the end
  uint64_t times = 1;
};
/// Throws (exit code 2) with the forms that there are.
Ask parse_ask(const std::string& spec);

/// In the worker's words; the CTA is left to whoever asks.
worker::OriginQuestion question_of(const Ask& ask);

}  // namespace tilescope::cli
