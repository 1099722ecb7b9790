// What is opened in the window or the page: states, links, a person's own cards.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/common/own_cards.h"
#include "app/state/edit.h"
#include "app/state/session.h"
#include "app/state/state_link.h"
#include "core/files/packed_text.h"
#include "core/files/scratch_folder.h"
#include "data_target.h"

namespace tilescope::fuzz {
namespace {

AppState fresh() {
  static const AppState kFresh = initial_state();
  return kFresh;
}

/// What would be saved of it opens, and is the same.
bool opens_again(const AppState& state) {
  const std::string saved = shown_json(state).dump();
  AppState again = fresh();
  std::string error;
  if (!open_state_text(again, saved, &error)) throw Found(error + "\n" + saved);
  if (const std::string twice = shown_json(again).dump(); twice != saved) {
    throw Found("another state when it is opened again:\n" + saved + "\n" + twice);
  }
  return true;
}

bool read_state(std::string_view bytes) {
  AppState state = fresh();
  std::string error;
  if (open_state_text(state, std::string(bytes), &error)) return opens_again(state);
  if (error.empty()) throw Found("refused without a word");
  return change_state(state, std::string(bytes), &error);
}

/// The JSON that is packed, or the line itself.
bool read_link(std::string_view bytes) {
  const bool packed = bytes.starts_with('{');
  const std::string line = packed ? "tilescope:1." + files::pack_text(bytes) : std::string(bytes);
  AppState state = fresh();
  std::string error;
  if (open_link(state, line, &error)) return opens_again(state);
  if (error.empty()) throw Found("refused without a word");
  return false;
}

bool read_cards(std::string_view bytes) {
  static const files::ScratchFolder kScratch;
  const std::string file = (std::filesystem::path(kScratch.path()) / "cards.json").string();
  std::ofstream(file, std::ios::binary) << bytes;
  const bool taken = read_own_cards(file).empty();
  if (const std::string why = write_own_cards(file); !why.empty()) throw Found(why);
  if (const std::string why = read_own_cards(file); !why.empty())
    throw Found("written by us: " + why);
  std::filesystem::remove_all(kScratch.path());
  std::filesystem::create_directories(kScratch.path());
  return taken;
}

}  // namespace

std::vector<DataTarget> state_targets() {
  return {
      {"states", 20000, read_state, state_seeds},
      {"links", 20000, read_link, link_seeds},
      {"cards", 8000, read_cards, card_seeds},
  };
}

}  // namespace tilescope::fuzz
