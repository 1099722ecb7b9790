#include "app/live/exporter.h"

#include <fstream>
#include <string>
#include <utility>

namespace tilescope {
namespace {

/// Empty if the file was written, else why not.
std::string write(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  return out ? std::string() : file + " cannot be written: choose another folder.";
}

}  // namespace

void Exporter::update(AppState& state, worker::Client& client, const nlohmann::json& params) {
  state_ = &state;
  Export& e = state.take_away;
  if (e.wanted.empty() || !e.running.empty()) return;
  e.running = std::exchange(e.wanted, {});
  e.error.clear();
  client.request("compiler", "standalone", params,
                 {.done =
                      [this](const nlohmann::json& result) {
                        Export& mine = state_->take_away;
                        const std::string file = std::exchange(mine.running, {});
                        mine.error = write(file, result.at("source").get<std::string>());
                        if (mine.error.empty()) mine.written = file;
                      },
                  .failed =
                      [this](const worker::RpcError& error) {
                        state_->take_away.running.clear();
                        state_->take_away.error = error.message;
                      },
                  .progress = {},
                  .binary = {}});
}

}  // namespace tilescope
