#include "app/state/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "app/state/edit.h"
#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/model/card_row.h"

namespace tilescope {
namespace {

constexpr std::string_view kRecorded = "recorded:", kOwn = "own:";

std::string id_of(const RecordedCard& card) {
  return std::string(card.own ? kOwn : kRecorded) + card.name;
}
/// The card's name in the id of a recording.
std::string card_in(const std::string& id) { return id.substr(id.find(':') + 1); }

/// An available card by its name: its own results are shown as measured.
const worker::DeviceInfo* card_named(const AppState& state, const std::string& name) {
  const auto at = std::ranges::find_if(state.devices, [&](const worker::DeviceInfo& d) {
    return is_card(d.id) && d.available && d.name == name;
  });
  return at == state.devices.end() ? nullptr : &*at;
}

const worker::DeviceInfo* find_card(const AppState& state, const std::string& id) {
  for (const worker::DeviceInfo& d : state.devices) {
    if (d.id == id && is_card(id)) return &d;
  }
  return nullptr;
}

bool is_there(const AppState& state, const std::string& id) {
  if (id == kEmulator) return true;
  if (const worker::DeviceInfo* card = find_card(state, id)) return card->available;
  return std::any_of(state.recordings.begin(), state.recordings.end(),
                     [&](const RecordedCard& r) { return id == id_of(r); });
}

std::string best_device(const AppState& state) {
  for (const worker::DeviceInfo& d : state.devices) {
    if (is_card(d.id) && d.available) return d.id;
  }
  if (!state.recordings.empty()) return id_of(state.recordings.front());
  return kEmulator;
}

void use(AppState& state, const std::string& id) {
  if (state.device == id) return;
  state.device = id;
  ++state.device_serial;
  derive(state);
}

/// As a session keeps it, in whatever language it is said.
std::string kept_title(const AppState& state, const std::string& id) {
  if (is_own_recording(id)) return "measured here on " + card_in(id);
  if (is_recording(id)) return "recorded on " + card_in(id);
  return device_title(state, id);
}

/// "measuring on …", "showing what was recorded on …", "with the emulator's counts alone".
std::string instead(const AppState& state, const std::string& id) {
  if (is_card(id)) return wording("measuring on {}", device_title(state, id));
  if (is_own_recording(id)) {
    return wording("showing what this machine's {} measured", card_in(id));
  }
  if (is_recording(id)) return wording("showing what was recorded on {}", card_in(id));
  return tr("nothing is measured, the emulator counts");
}

void settle(AppState& state) {
  if (!state.devices_known || !state.recordings_known) return;
  // What was chosen by hand, else the card that is measured on already.
  std::string wish = state.view.device;
  if (wish.empty() && is_card(state.device)) wish = state.device;
  // One that is there again measures.
  if (is_own_recording(wish)) {
    if (const worker::DeviceInfo* back = card_named(state, card_in(wish))) wish = back->id;
  }
  const std::string best = best_device(state);
  if (wish.empty() || is_there(state, wish)) {
    if (!wish.empty() || is_card(best)) state.device_notice.clear();
    return use(state, wish.empty() ? best : wish);
  }
  const worker::DeviceInfo* card = find_card(state, wish);
  std::string title = device_title(state, wish);
  if (title == wish && !state.view.device_title.empty()) title = state.view.device_title;
  state.device_notice = wording("{} is not there any more; {}.", title, instead(state, best));
  if (card && !card->why_not.empty()) state.device_notice += " " + retold(card->why_not);
  use(state, best);
}

}  // namespace

bool is_card(const std::string& device) { return device.starts_with("cuda:"); }
bool is_own_recording(const std::string& device) { return device.starts_with(kOwn); }
bool is_recording(const std::string& device) {
  return device.starts_with(kRecorded) || is_own_recording(device);
}

std::string device_title(const AppState& state, const std::string& id) {
  if (const worker::DeviceInfo* card = find_card(state, id))
    return fmt::format("{} ({})", card->name, id);
  if (is_own_recording(id)) return wording("measured here on {}", card_in(id));
  if (is_recording(id)) return wording("recorded on {}", card_in(id));
  return id;
}

std::vector<DeviceChoice> device_choices(const AppState& state) {
  std::vector<DeviceChoice> choices;
  for (const worker::DeviceInfo& d : state.devices) {
    if (!is_card(d.id)) continue;
    choices.push_back(
        {d.id, device_title(state, d.id),
         d.available ? "The kernel is verified and measured on this card." : d.why_not,
         d.available});
  }
  for (const RecordedCard& r : state.recordings) {
    if (r.own && card_named(state, r.name)) continue;
    choices.push_back(
        {id_of(r), device_title(state, id_of(r)),
         r.own ? wording("{} results measured on this machine's {}, which is not there now, the "
                         "newest of {}. Other tiles are modelled.",
                         r.count, r.name, r.date)
               : wording("{} results measured on a {}, the newest of {}. Other tiles are modelled.",
                         r.count, r.name, r.date)});
  }
  choices.push_back({kEmulator, kEmulator,
                     wording("Nothing is measured: the emulator verifies and counts, and the "
                             "time is modelled for a {}.",
                             state.view.gpu)});
  return choices;
}

void choose_device(AppState& state, const std::string& id) {
  state.view.device = id;
  state.view.device_title = kept_title(state, id);
  settle(state);
}

void choose_gpu_of_emulator(AppState& state, const std::string& name) {
  state.view.gpu = name;
  choose_device(state, kEmulator);
  ++state.device_serial;  // of another row, perhaps on the same device
  derive(state);
}

void devices_found(AppState& state, std::vector<worker::DeviceInfo> devices) {
  state.devices = std::move(devices);
  state.devices_known = true;
  settle(state);
}

void recordings_found(AppState& state, std::vector<RecordedCard> recordings) {
  state.recordings = std::move(recordings);
  state.recordings_known = true;
  settle(state);
}

const worker::DeviceInfo* card_of(const AppState& state) { return find_card(state, state.device); }

std::string arch_of(const AppState& state) {
  const worker::DeviceInfo* card = card_of(state);
  return card ? fmt::format("sm_{}", card->limits.sm) : "";
}

model::DeviceRow gpu_of(const AppState& state) {
  if (const worker::DeviceInfo* card = card_of(state)) return model_row(*card);
  if (is_recording(state.device)) {
    const std::string name = card_in(state.device);
    if (const model::DeviceRow* row = model::find_device(name)) return *row;
    return model::row_of_card({.name = name, .limits = model::device_table().front().limits});
  }
  const model::DeviceRow* row = model::find_device(state.view.gpu);
  return row ? *row : model::device_table().front();
}

}  // namespace tilescope
