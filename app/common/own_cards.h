// The cards that somebody has added, in a file of the configuration's folder: the window writes it,
// the command line and the worker read it, too.
#pragma once
#include <string>
#include <vector>

#include "core/model/own_devices.h"

namespace tilescope {

inline constexpr const char* kCardsFile = "cards.json";
inline constexpr size_t kMostOwnCards = 32;

/// Into the device table. A file that is not there is no error; of what cannot be in it a sentence
/// says what was left out.
std::string read_own_cards(const std::string& file);
/// Of what the device table has. A file that was damaged, or holds cards that were left out, is set
/// aside first. Empty, or why not, in a sentence.
std::string write_own_cards(const std::string& file);

/// Adds one, in place of one of its name, and writes all. Empty, or why not, in a sentence: then
/// nothing has changed.
std::string add_own_card(const model::OwnDevice& card, const std::string& file);
std::string forget_own_card(const std::string& name, const std::string& file);

}  // namespace tilescope
