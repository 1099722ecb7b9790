// The notes' tables (core/model/notes) as a sheet, and the sliders that a row stands for.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "core/model/notes.h"

namespace tilescope {

struct NotesRow {
  std::vector<std::string> cells;
  // What of the sliders it names; an extent of 0: nothing.
  model::notes::Shape block, warp, problem;
};
struct NotesSheet {
  std::vector<std::string> heads;
  int words = 0;  // leading columns that are no figures
  std::vector<NotesRow> rows;
};

struct NotesTable {
  const char* name;  // "registers"
  const char* what;
  NotesSheet (*sheet)(model::Count);
};
std::span<const NotesTable> notes_tables();

/// Whether the sliders stand where a row does.
bool stands_at(const AppState& state, const NotesRow& row);
/// Sets what the row names, of the present kernel, or, if that has no warp tiles, of the first that
/// has; values that are not offered become the nearest. Says so in the status bar.
void go_to(AppState& state, const NotesRow& row);

}  // namespace tilescope
