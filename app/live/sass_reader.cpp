#include "app/live/sass_reader.h"

#include <memory>
#include <utility>

#include "app/state/own_sheet.h"

namespace tilescope {
namespace {

worker::calls::Disassemble::Request present_code(const AppState& state) {
  const OwnKernel* own = state.edit.own();
  if (!own) return {.of = kernel_of(state, state.edit)};
  return {.own = open_request(state, *own), .entry = state.own_launch->sheet->entry};
}

}  // namespace

void SassReader::update(AppState& state, const Surroundings&) {
  // A file of one's own that was saved has other code, though nothing was edited here.
  if (own_ != state.own_launch) {
    own_ = state.own_launch;
    calls_.drop();
    const bool wanted = state.disassembly.wanted;
    state.disassembly = {};
    state.disassembly.wanted = wanted;
  }
  Disassembly& d = state.disassembly;
  const bool wanted = std::exchange(d.wanted, false);
  // Once its PTX is there, its machine code can be.
  const bool compiled = state.results.compile && state.results.edit_serial == state.edit_serial;
  const bool known = !state.edit.own() || own_;
  if (!wanted || !known || !compiled || d.running || d.listing || !d.error.empty()) return;
  d.running = true;
  calls_.ask<worker::calls::Disassemble>(
      present_code(state),
      {.done =
           [](AppState& s, worker::SassListing listing) {
             Disassembly& mine = s.disassembly;
             mine.running = false;
             // Of a rung they are asked for beside its trace.
             if (auto& compiled = s.results.compile; s.edit.own() && compiled) {
               compiled->registers = listing.registers;
               compiled->spill_bytes = listing.spill_bytes;
             }
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
