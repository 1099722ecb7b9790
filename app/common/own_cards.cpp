#include "app/common/own_cards.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/common/kept_files.h"
#include "core/files/json_file.h"
#include "core/files/whole_file.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

using model::OwnDevice;
using nlohmann::json;

/// Nothing: it has no name, or is like no card that this version knows.
std::optional<OwnDevice> card_from(const json& entry) {
  if (!entry.is_object()) return {};
  const auto text = [&](const char* key) {
    const auto at = entry.find(key);
    return at != entry.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  const std::string like = text("like");
  const auto known = std::ranges::find_if(
      model::known_devices(), [&](const model::DeviceRow& row) { return like == row.name; });
  if (known == model::known_devices().end()) return {};
  OwnDevice card = model::device_like(*known);
  card.name = text("name");
  for (const model::DeviceField& field : model::device_fields()) {
    const auto at = entry.find(field.key);
    if (at == entry.end() || !at->is_number()) continue;
    const double value = at->get<double>();
    // What no int holds is no limit of a card either.
    if (!(std::abs(value) <= 1e6) || (field.whole && value != std::floor(value))) return {};
    if (value != field.get(card.row)) field.set(card.row, value);
  }
  if (!model::why_no_device(card).empty()) return {};
  return card;
}

json card_to(const OwnDevice& card) {
  json entry = {{"name", card.name}, {"like", card.like}};
  for (const model::DeviceField& field : model::device_fields()) {
    entry[field.key] = field.get(card.row);
  }
  return entry;
}

/// What a file holds, and how much of it is no card of ours.
struct CardsFile {
  std::vector<OwnDevice> cards;
  size_t left_out = 0, in_all = 0;
  std::string why;  // it could not be read at all
};

CardsFile cards_in(const std::string& file) {
  CardsFile found;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return found;
  const auto read = files::read_json(file, kKeptCards.limits, &found.why);
  if (!read) return found;
  if (!read->is_array()) {
    found.why = wording("{} is no list of cards.", file);
    return found;
  }
  found.in_all = read->size();
  for (const json& entry : *read) {
    std::optional<OwnDevice> card = card_from(entry);
    const bool twice = card && std::ranges::any_of(found.cards, [&](const OwnDevice& c) {
                         return c.name == card->name;
                       });
    if (!card || twice || found.cards.size() == kMostOwnCards) {
      ++found.left_out;
    } else {
      found.cards.push_back(std::move(*card));
    }
  }
  return found;
}

}  // namespace

std::string read_own_cards(const std::string& file) {
  const CardsFile found = cards_in(file);
  if (!found.why.empty()) return found.why;
  if (found.in_all > 0) model::set_own_devices(found.cards);
  if (found.left_out == 0) return {};
  return wording("{}: {} of {} cards cannot be, and were left out.", file, found.left_out,
                 found.in_all);
}

std::string write_own_cards(const std::string& file) {
  // What we did not take of it is not ours to lose.
  const CardsFile found = cards_in(file);
  if (!found.why.empty() || found.left_out > 0) files::set_aside(file, "corrupt");
  json all = json::array();
  for (const OwnDevice& card : model::own_devices()) all.push_back(card_to(card));
  return files::replace_file(file, all.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

std::string add_own_card(const OwnDevice& card, const std::string& file) {
  if (std::string why = model::why_no_device(card); !why.empty()) return why;
  const std::vector<OwnDevice> before = model::own_devices();
  std::vector<OwnDevice> cards = before;
  std::erase_if(cards, [&](const OwnDevice& one) { return one.name == card.name; });
  if (cards.size() >= kMostOwnCards) {
    return wording("There are {} cards of yours already, which is as many as are kept.",
                   cards.size());
  }
  cards.push_back(card);
  model::set_own_devices(cards);
  if (file.empty()) return {};
  std::string why = write_own_cards(file);
  if (!why.empty()) model::set_own_devices(before);
  return why;
}

std::string forget_own_card(const std::string& name, const std::string& file) {
  const std::vector<OwnDevice> before = model::own_devices();
  std::vector<OwnDevice> cards = before;
  std::erase_if(cards, [&](const OwnDevice& one) { return one.name == name; });
  model::set_own_devices(cards);
  if (file.empty()) return {};
  std::string why = write_own_cards(file);
  if (!why.empty()) model::set_own_devices(before);
  return why;
}

}  // namespace tilescope
