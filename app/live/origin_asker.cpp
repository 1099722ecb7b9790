#include "app/live/origin_asker.h"

#include <nlohmann/json.hpp>

#include "worker/messages/messages_json.h"
#include "worker/messages/messages_origin.h"

namespace tilescope {

using nlohmann::json;
using worker::OriginResult;

void OriginAsker::update(AppState& state, const Surroundings&) {
  Origins& o = state.origins;
  if (o.serial != state.edit_serial && !o.running) o.asked.reset(), o.answer.reset();
  const bool fresh = o.wanted && (o.wanted != o.asked || o.serial != state.edit_serial);
  if (fresh && !o.running && state.results.compile) ask(state);
  // Nobody points any more: what was lit goes out.
  if (!o.wanted && o.answer) {
    o.asked.reset(), o.answer.reset(), o.error.clear();
  }
  o.wanted.reset();
}

void OriginAsker::without_worker(AppState& state, const std::string&) {
  state.origins.wanted.reset();
}

Busy OriginAsker::busy(const AppState& state) const {
  return state.origins.running ? Busy::awaited : Busy::no;
}

void OriginAsker::drop(AppState& state, Lost what) {
  if (what != Lost::worker) return;
  calls_.drop();
  state.origins.running = false;
}

void OriginAsker::ask(AppState& state) {
  Origins& o = state.origins;
  o.asked = o.wanted;
  o.serial = state.edit_serial;
  o.running = true;
  o.answer.reset();
  o.error.clear();
  json params = request_of(state.edit, state.limits.sm_count);
  params.update(json(*o.asked));
  params["ptx"] = state.results.compile->ptx;
  calls_.ask("emulator", "origin", std::move(params),
             {.done =
                  [](AppState& s, const json& result) {
                    s.origins.running = false;
                    s.origins.answer = result.get<OriginResult>();
                  },
              .failed =
                  [](AppState& s, const worker::RpcError& error) {
                    s.origins.running = false;
                    s.origins.error = error.message;
                  }});
}

}  // namespace tilescope
