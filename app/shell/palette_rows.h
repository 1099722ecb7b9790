// What the palette lists for what is typed: the commands, and what the features answer. No ImGui.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "app/state/answer.h"
#include "app/window_command.h"

namespace tilescope {

inline constexpr size_t kMostRecentRows = 20;  // kept

struct PaletteRow {
  const Command* command = nullptr;  // null: an answer of a feature
  Answer answer;                     // of a command: its title and score alone
};

/// Best first: whole words, then beginnings, then letters; of rows that match alike, what was used
/// last (`recent`: titles, last first). Where nothing is typed: what was used last, then the
/// commands in their order. Lives no longer than `commands` stay as they are.
std::vector<PaletteRow> palette_rows(const std::vector<Command>& commands, const AppState* state,
                                     const std::vector<std::string>& recent,
                                     std::string_view typed);

/// What a command or an answer is called, as its English title says: "Panel: Tiling" is a word of
/// ours and a name, which may be one, too.
std::string said_title(const std::string& title);
/// The same for ImGui, which knows it by its English title: "中文###English".
std::string title_id(const std::string& title);

/// `title` as the one used last.
void use_row(std::vector<std::string>* recent, const std::string& title);

/// The open list, and what it was made for: while that stays, it is not made again.
struct Palette {
  std::string typed;
  int row = 0;
  std::vector<PaletteRow> rows;
  std::string made_for;
  uint64_t made_serial = 0;  // of the edit; 0: not made
};

}  // namespace tilescope
