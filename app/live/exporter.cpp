#include "app/live/exporter.h"

#include <fstream>
#include <nlohmann/json.hpp>
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

void Exporter::update(AppState& state, const Surroundings&) {
  Export& e = state.take_away;
  if (e.wanted.empty() || !e.running.empty()) return;
  e.running = std::exchange(e.wanted, {});
  e.error.clear();
  calls_.ask("compiler", "standalone", call_params(state, state.edit),
             {.done =
                  [](AppState& s, const nlohmann::json& result) {
                    Export& mine = s.take_away;
                    const std::string file = std::exchange(mine.running, {});
                    mine.error = write(file, result.at("source").get<std::string>());
                    if (mine.error.empty()) mine.written = file;
                  },
              .failed =
                  [](AppState& s, const worker::RpcError& error) {
                    s.take_away.running.clear();
                    s.take_away.error = error.message;
                  }});
}

void Exporter::without_worker(AppState& state, const std::string& why) {
  if (!std::exchange(state.take_away.wanted, {}).empty()) state.take_away.error = why;
}

Busy Exporter::busy(const AppState& state) const {
  const Export& e = state.take_away;
  return e.running.empty() && e.wanted.empty() ? Busy::no : Busy::awaited;
}

void Exporter::drop(AppState& state, Lost what) {
  if (what != Lost::worker) return;
  calls_.drop();
  // It is made by the worker that comes.
  if (!state.take_away.running.empty())
    state.take_away.wanted = std::exchange(state.take_away.running, {});
}

}  // namespace tilescope
