#include "app/shell/device_commands.h"

#include <fmt/format.h>

#include "app/common/own_cards.h"
#include "app/state/device.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

/// What can be measured on is known once the worker has said so, and changes: the menu has places
/// for it.
void add_devices(ShellState& shell, std::vector<Command>* list) {
  constexpr size_t kMostPlaces = 12;
  const auto choice = [&shell](size_t i) {
    DeviceChoice none{.id = {}, .title = {}, .tip = {}, .available = false};
    if (!shell.context.state) return none;
    std::vector<DeviceChoice> all = device_choices(*shell.context.state);
    return i < all.size() ? all[i] : none;
  };
  for (size_t i = 0; i < kMostPlaces; ++i) {
    list->push_back(
        {.id = fmt::format("device.choice.{}", i + 1),
         .title = wording("Device {}", i + 1),
         .menu = "Device/Measured on",
         .run = [choice, i](AppContext& c) { choose_device(*c.state, choice(i).id); },
         .enabled = [choice, i](AppContext&) { return choice(i).available; },
         .checked = [choice, i](AppContext& c) { return choice(i).id == c.state->device; },
         .also = "card recording emulator",
         .effect = [choice, i](AppContext&) { return choice(i).title; },
         .label =
             [choice, i] {
               const DeviceChoice one = choice(i);
               return one.title + (one.title.empty() || one.available ? "" : ": " + one.tip);
             }});
  }
}

/// Cards come and go, too, where somebody fills in their sheets.
void add_gpus(std::vector<Command>* list) {
  const auto name = [](size_t i) {
    const auto table = model::device_table();
    return i < table.size() ? std::string(table[i].name) : std::string();
  };
  for (size_t i = 0; i < model::known_devices().size() + kMostOwnCards; ++i) {
    list->push_back(
        {.id = fmt::format("device.model.{}", i + 1),
         .title = wording("Emulator, as card {}", i + 1),
         .menu = "Device/Emulator, as a card",
         .run = [name, i](AppContext& c) { choose_gpu_of_emulator(*c.state, name(i)); },
         .enabled = [name, i](AppContext&) { return !name(i).empty(); },
         .checked =
             [name, i](AppContext& c) {
               return c.state->device == kEmulator && c.state->view.gpu == name(i);
             },
         .also = "limits rates gpu",
         .effect = [name, i](AppContext&) { return wording("limits and rates of {}", name(i)); },
         .label = [name, i] { return name(i); }});
  }
}

}  // namespace

std::vector<Command> device_commands(ShellState& shell) {
  std::vector<Command> commands;
  add_devices(shell, &commands);
  add_gpus(&commands);
  return commands;
}

}  // namespace tilescope
