#include "app/live/sass_reader.h"

#include <memory>
#include <utility>

namespace tilescope {

using nlohmann::json;

void SassReader::update(AppState& state, const json& params, bool compiled) {
  Disassembly& d = state.disassembly;
  const bool wanted = std::exchange(d.wanted, false);
  if (!wanted || !compiled || d.running || d.listing || !d.error.empty()) return;
  d.running = true;
  json call = params;
  call["slot"] = "sass";
  calls_.ask("compiler", "disassemble", std::move(call),
             {.done =
                  [this](const json& result) {
                    Disassembly& mine = state_->disassembly;
                    mine.running = false;
                    mine.listing = std::make_shared<const worker::SassListing>(
                        result.get<worker::SassListing>());
                  },
              .failed =
                  [this](const worker::RpcError& error) {
                    Disassembly& mine = state_->disassembly;
                    mine.running = false;
                    mine.error = error.message;
                    if (error.data.is_object()) {
                      mine.error_details = error.data.value("log", std::string());
                    }
                  },
              .progress = {},
              .binary = {}});
}

void SassReader::drop(AppState& state) {
  calls_.drop();
  state.disassembly = {};
}

}  // namespace tilescope
