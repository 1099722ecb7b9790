#include "app/live/sass_reader.h"

#include <memory>
#include <utility>

namespace tilescope {

void SassReader::update(AppState& state, const Surroundings&) {
  Disassembly& d = state.disassembly;
  const bool wanted = std::exchange(d.wanted, false);
  // Once its PTX is there, its machine code can be.
  const bool compiled = state.results.compile && state.results.edit_serial == state.edit_serial;
  if (!wanted || !compiled || d.running || d.listing || !d.error.empty()) return;
  d.running = true;
  calls_.ask<worker::calls::Disassemble>(
      {kernel_of(state, state.edit)},
      {.done =
           [](AppState& s, worker::SassListing listing) {
             Disassembly& mine = s.disassembly;
             mine.running = false;
             mine.listing = std::make_shared<const worker::SassListing>(std::move(listing));
           },
       .failed =
           [](AppState& s, const worker::CallError& error) {
             Disassembly& mine = s.disassembly;
             mine.running = false;
             mine.error = error.message;
             mine.error_details = error.log;
           }},
      {.slot = "sass"});
}

void SassReader::without_worker(AppState& state, const std::string& why) {
  if (std::exchange(state.disassembly.wanted, false)) state.disassembly.error = why;
}

Busy SassReader::busy(const AppState& state) const {
  return state.disassembly.running ? Busy::awaited : Busy::no;
}

void SassReader::drop(AppState& state, Lost what) {
  if (what == Lost::stopped || what == Lost::device) return;
  // The code is another one, or is to be compiled again.
  calls_.drop();
  state.disassembly = {};
}

}  // namespace tilescope
