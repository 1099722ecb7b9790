#include "app/features/timeline/event_words.h"

#include <bit>

#include "core/language/language.h"
#include "core/model/format.h"
#include "core/model/names.h"

namespace tilescope {
namespace {

using worker::RawAccess;
using worker::TraceEvent;
using worker::TraceResult;

/// "… , slice 3"; of a kernel without a plan it is an iteration of its main loop.
std::string with_slice(const TraceResult& trace, const TraceEvent& e, const std::string& what) {
  if (e.k_step < 0) return what;
  const bool plan = trace.buffers.empty() && trace.loops.empty();
  return plan ? wording("{}, slice {}", what, model::grouped(e.k_step))
              : wording("{}, iteration {}", what, model::grouped(e.k_step));
}

/// Empty: nobody knows.
std::string matrix_of(const TraceResult& trace, const TraceEvent& e) {
  if (e.matrix < 0) return {};
  const auto i = static_cast<size_t>(int{e.matrix});
  if (!trace.buffers.empty()) return i < trace.buffers.size() ? trace.buffers[i] : "";
  return i <= 2 ? std::string(model::name_of(static_cast<Operand>(e.matrix))) : "";
}

/// "16 B per lane of A, slice 3": what an access moves.
std::string data_of(const TraceResult& trace, const TraceEvent& e, const RawAccess* raw) {
  std::string text = raw && raw->bytes > 0 ? wording("{} B per lane", raw->bytes) : tr("data");
  const int lanes = std::popcount(e.lanes);
  if (lanes == 1) text = wording("{} in 1 lane", text);
  if (lanes != 1 && lanes < 32) text = wording("{} in {} lanes", text, lanes);
  if (const std::string matrix = matrix_of(trace, e); !matrix.empty()) {
    text = wording("{0} of {1}", text, matrix);
  }
  return with_slice(trace, e, text);
}

std::string place_of(const TraceEvent& e) {
  if (e.stage >= 0) return wording("stage {}", e.stage);
  return e.shared ? tr("shared memory") : tr("global memory");
}

}  // namespace

std::string event_words(const TraceEvent* present, const RawAccess* raw, const TraceResult& trace) {
  if (!present) return {};
  const TraceEvent& e = *present;
  switch (e.kind) {
    case TraceEvent::Kind::copy:
      return wording("warp {} copies {}, to {}", e.warp, data_of(trace, e, raw), place_of(e));
    case TraceEvent::Kind::wait:
      return wording("warp {} waits until {} of its groups of copies have arrived", e.warp,
                     model::grouped(e.groups_done));
    case TraceEvent::Kind::barrier:
      return wording("warp {} waits for the other warps of the CTA", e.warp);
    case TraceEvent::Kind::load:
      return wording("warp {} reads {}, from {} into registers", e.warp, data_of(trace, e, raw),
                     place_of(e));
    case TraceEvent::Kind::mma: {
      if (!raw || raw->mma_m < 0 || raw->mma_n < 0) {
        return with_slice(trace, e, wording("warp {} multiplies fragments", e.warp));
      }
      std::string text = with_slice(
          trace, e, wording("warp {} multiplies mma tile {},{}", e.warp, raw->mma_m, raw->mma_n));
      return raw->mma_k >= 0 ? wording("{}, k step {}", text, raw->mma_k) : text;
    }
    case TraceEvent::Kind::fma:
      return with_slice(trace, e,
                        e.count == 1 ? wording("warp {} multiplies and adds, once per lane", e.warp)
                                     : wording("warp {} multiplies and adds, {} times per lane",
                                               e.warp, model::grouped(e.count)));
    case TraceEvent::Kind::store:
      break;
  }
  return wording("warp {} writes {}, to {}", e.warp, data_of(trace, e, raw), place_of(e));
}

std::string event_words(const AppState& state) {
  const Moment moment = moment_of(state);
  if (!state.results.trace) return {};
  return event_words(moment.present, moment.raw, *state.results.trace);
}

}  // namespace tilescope
