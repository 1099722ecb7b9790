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

/// ", slice 3"; of a kernel without a plan it is an iteration of its main loop.
std::string slice_of(const TraceResult& trace, const TraceEvent& e) {
  if (e.k_step < 0) return {};
  const bool plan = trace.buffers.empty() && trace.loops.empty();
  return (plan ? ", slice " : ", iteration ") + model::grouped(e.k_step);
}

std::string matrix_of(const TraceResult& trace, const TraceEvent& e) {
  if (e.matrix < 0) return {};
  const auto i = static_cast<size_t>(e.matrix);
  if (!trace.buffers.empty()) return i < trace.buffers.size() ? " of " + trace.buffers[i] : "";
  return i <= 2 ? std::string(" of ") + model::name_of(static_cast<Operand>(e.matrix)) : "";
}

/// "16 B per lane of A, slice 3": what an access moves.
std::string data_of(const TraceResult& trace, const TraceEvent& e, const RawAccess* raw) {
  std::string text = raw && raw->bytes > 0 ? wording("{} B per lane", raw->bytes) : "data";
  const int lanes = std::popcount(e.lanes);
  if (lanes < 32) text += wording(" in {} {}", lanes, lanes == 1 ? "lane" : "lanes");
  return text + matrix_of(trace, e) + slice_of(trace, e);
}

std::string place_of(const TraceEvent& e) {
  if (e.stage >= 0) return wording("stage {}", e.stage);
  return e.shared ? "shared memory" : "global memory";
}

}  // namespace

std::string event_words(const TraceEvent* present, const RawAccess* raw, const TraceResult& trace) {
  if (!present) return {};
  const TraceEvent& e = *present;
  std::string text = wording("warp {} ", e.warp);
  const std::string slice = slice_of(trace, e);
  switch (e.kind) {
    case TraceEvent::Kind::copy:
      return text + "copies " + data_of(trace, e, raw) + ", to " + place_of(e);
    case TraceEvent::Kind::wait:
      return text + wording("waits until {} of its groups of copies have arrived",
                            model::grouped(e.groups_done));
    case TraceEvent::Kind::barrier:
      return text + "waits for the other warps of the CTA";
    case TraceEvent::Kind::load:
      return text + "reads " + data_of(trace, e, raw) + ", from " + place_of(e) + " into registers";
    case TraceEvent::Kind::mma:
      if (raw && raw->mma_m >= 0 && raw->mma_n >= 0) {
        text += wording("multiplies mma tile {},{}", raw->mma_m, raw->mma_n);
        return text + slice + (raw->mma_k >= 0 ? wording(", k step {}", raw->mma_k) : "");
      }
      return text + "multiplies fragments" + slice;
    case TraceEvent::Kind::fma:
      return text + "multiplies and adds, " +
             (e.count == 1 ? "once" : model::grouped(e.count) + " times") + " per lane" + slice;
    case TraceEvent::Kind::store:
      break;
  }
  return text + "writes " + data_of(trace, e, raw) + ", to " + place_of(e);
}

std::string event_words(const AppState& state) {
  const Moment moment = moment_of(state);
  if (!state.results.trace) return {};
  return event_words(moment.present, moment.raw, *state.results.trace);
}

}  // namespace tilescope
