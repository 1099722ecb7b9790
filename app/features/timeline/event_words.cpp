#include "app/features/timeline/event_words.h"

#include <fmt/format.h>

#include <bit>

#include "core/model/format.h"
#include "core/model/names.h"

namespace tilescope {
namespace {

using worker::RawAccess;
using worker::TraceEvent;

/// "16 B per lane of A, slice 3": what an access moves.
std::string data_of(const TraceEvent& e, const RawAccess* raw) {
  std::string text = raw && raw->bytes > 0 ? fmt::format("{} B per lane", raw->bytes) : "data";
  const int lanes = std::popcount(e.lanes);
  if (lanes < 32) text += fmt::format(" in {} {}", lanes, lanes == 1 ? "lane" : "lanes");
  if (e.matrix >= 0 && e.matrix <= 2) {
    text += std::string(" of ") + model::name_of(static_cast<Operand>(e.matrix));
  }
  if (e.k_step >= 0) text += ", slice " + model::grouped(e.k_step);
  return text;
}

std::string place_of(const TraceEvent& e) {
  if (e.stage >= 0) return fmt::format("stage {}", e.stage);
  return e.shared ? "shared memory" : "global memory";
}

}  // namespace

std::string event_words(const TraceEvent* present, const RawAccess* raw) {
  if (!present) return {};
  const TraceEvent& e = *present;
  std::string text = fmt::format("warp {} ", e.warp);
  const std::string slice = e.k_step >= 0 ? ", slice " + model::grouped(e.k_step) : "";
  switch (e.kind) {
    case TraceEvent::Kind::copy:
      return text + "copies " + data_of(e, raw) + ", to " + place_of(e);
    case TraceEvent::Kind::wait:
      return text + fmt::format("waits until {} of its groups of copies have arrived",
                                model::grouped(e.groups_done));
    case TraceEvent::Kind::barrier:
      return text + "waits for the other warps of the CTA";
    case TraceEvent::Kind::load:
      return text + "reads " + data_of(e, raw) + ", from " + place_of(e) + " into registers";
    case TraceEvent::Kind::mma:
      if (raw && raw->mma_m >= 0 && raw->mma_n >= 0) {
        text += fmt::format("multiplies mma tile {},{}", raw->mma_m, raw->mma_n);
        return text + slice + (raw->mma_k >= 0 ? fmt::format(", k step {}", raw->mma_k) : "");
      }
      return text + "multiplies fragments" + slice;
    case TraceEvent::Kind::fma:
      return text + fmt::format("multiplies and adds, {} times per lane", model::grouped(e.count)) +
             slice;
    case TraceEvent::Kind::store:
      break;
  }
  return text + "writes " + data_of(e, raw) + ", to " + place_of(e);
}

std::string event_words(const AppState& state) {
  const Moment moment = moment_of(state);
  return event_words(moment.present, moment.raw);
}

}  // namespace tilescope
