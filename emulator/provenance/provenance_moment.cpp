#include <algorithm>

#include "emulator/machine/memory_impl.h"
#include "emulator/provenance.h"

namespace tilescope::emulator {

std::optional<Provenance::Moment> Provenance::find_moment(const Program& program,
                                                          std::string_view entry,
                                                          const Launch& launch, Memory& memory,
                                                          Dim3 cta, uint32_t warp, int ptx_line,
                                                          uint64_t times) {
  RunOptions options;
  options.ctas = {cta};
  options.trace.emplace();
  options.trace->cta = cta;
  options.trace->fma = true;
  options.trace->keep = [warp](const TraceClock& clock) { return clock.warp == warp; };
  std::vector<std::vector<std::byte>> before;  // what the CTA finds may decide where it goes
  for (const Memory::Impl::Buffer& b : memory.impl().buffers) {
    before.emplace_back(b.data.get(), b.data.get() + (b.read_only ? 0 : b.bytes));
  }
  const RunResult ran = run(program, entry, launch, memory, options);
  for (size_t i = 0; i < before.size(); ++i) {
    std::copy(before[i].begin(), before[i].end(), memory.impl().buffers[i].data.get());
  }
  if (!ran.trace) return std::nullopt;
  uint64_t seen = 0;
  for (const Event& e : ran.trace->events) {
    if (e.ptx_line == ptx_line && e.warp == warp && ++seen == times) {
      return Moment{cta, warp, e.step};
    }
  }
  return std::nullopt;
}

}  // namespace tilescope::emulator
