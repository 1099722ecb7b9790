#include "app/features/source/exporter.h"

#include <fstream>
#include <string>
#include <utility>

#include "app/features/source/export.h"
#include "core/files/whole_file.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

/// Empty if the file was written, else why not.
std::string write(const std::string& file, const std::string& text) {
  const std::string why_not = files::replace_file(file, text);
  return why_not.empty() ? why_not : wording("{} Choose another folder.", why_not);
}

}  // namespace

void Exporter::update(AppState& state, const Surroundings&) {
  Export& e = state.of<Export>();
  if (e.wanted.empty() || !e.running.empty()) return;
  e.running = std::exchange(e.wanted, {});
  e.error.clear();
  calls_.ask<worker::calls::Standalone>(
      {kernel_of(state, state.edit)},
      {.done =
           [](AppState& s, const worker::calls::Standalone::Answer& answer) {
             Export& mine = s.of<Export>();
             const std::string file = std::exchange(mine.running, {});
             mine.error = write(file, answer.source);
             if (mine.error.empty()) mine.written = file;
           },
       .failed =
           [](AppState& s, const worker::CallError& error) {
             s.of<Export>().running.clear();
             s.of<Export>().error = error.message;
           }});
}

void Exporter::without_worker(AppState& state, const std::string& why) {
  if (!std::exchange(state.of<Export>().wanted, {}).empty()) state.of<Export>().error = why;
}

Busy Exporter::busy(const AppState& state) const {
  const Export& e = state.of<Export>();
  return e.running.empty() && e.wanted.empty() ? Busy::no : Busy::awaited;
}

void Exporter::drop(AppState& state, Lost what) {
  if (what != Lost::worker) return;
  calls_.drop();
  // It is made by the worker that comes.
  if (!state.of<Export>().running.empty())
    state.of<Export>().wanted = std::exchange(state.of<Export>().running, {});
}

}  // namespace tilescope
