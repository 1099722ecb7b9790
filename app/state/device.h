// Where the kernel is measured: a card, a recording or the emulator. One choice; what is measured,
// the limits, the roofs and the model follow from it. The picture does not: it is always what the
// emulator sees the kernel's PTX do.
#pragma once
#include <string>
#include <vector>

#include "app/common/device_row.h"
#include "app/state/app_state.h"

namespace tilescope {

inline constexpr const char* kEmulator = "emulator";

struct DeviceChoice {
  std::string id;     // "cuda:0", "recorded:NVIDIA H200", "own:NVIDIA H200", "emulator"
  std::string title;  // "NVIDIA H200 (cuda:0)"
  std::string tip;    // what choosing it means, or why it cannot be chosen
  bool available = true;
};
/// Cards, recordings, what was measured here on cards that are not there now, the emulator.
std::vector<DeviceChoice> device_choices(const AppState& state);
/// "NVIDIA H200 (cuda:0)"; the id where nothing is known of it.
std::string device_title(const AppState& state, const std::string& id);

/// A person's choice: kept in the session.
void choose_device(AppState& state, const std::string& id);
/// A row of the device table for the emulator, which has no limits of its own.
void choose_gpu_of_emulator(AppState& state, const std::string& name);

/// What the worker found, once both are known: the device that was chosen, else the first card,
/// else the first recording, else the emulator. Says so if the chosen one is not there.
void devices_found(AppState& state, std::vector<worker::DeviceInfo> devices);
void recordings_found(AppState& state, std::vector<RecordedCard> recordings);

bool is_card(const std::string& device);
/// True of a recording: results of another machine's card, or of a card that this machine had.
bool is_recording(const std::string& device);
bool is_own_recording(const std::string& device);
/// The card that is measured on; null if it is none.
const worker::DeviceInfo* card_of(const AppState& state);
/// What the kernel is compiled for: "sm_90"; empty: the worker's default.
std::string arch_of(const AppState& state);

/// The GPU that limits, roofs and model are of. Called by derive().
model::DeviceRow gpu_of(const AppState& state);

}  // namespace tilescope
