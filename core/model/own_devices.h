// GPUs that somebody has added by their data sheet: rows of the device table like the others, for
// the model and for the emulator's limits. Their figures are what the sheet says, and nobody's
// measurement.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/model/device_table.h"

namespace tilescope::model {

/// One figure of a row that a sheet tells, in the unit that it is told in.
struct DeviceField {
  const char* key;    // "sm_count", in files
  const char* label;  // "SMs"
  const char* unit;   // "KiB"; may be empty
  const char* tip;
  bool whole;  // no fraction
  double least, most;
  double (*get)(const DeviceRow&);
  void (*set)(DeviceRow&, double);
};
std::span<const DeviceField> device_fields();

struct OwnDevice {
  std::string name;
  std::string like;  // the known device that gave what is not among the fields
  DeviceRow row;     // whose name is not looked at
};

/// As a known device is; nothing of it is its own yet.
OwnDevice device_like(const DeviceRow& known);
/// Empty, or what is wrong with it, in a sentence that names the value and the limit.
std::string why_no_device(const OwnDevice& device);

/// In the place of those that were there. Safe while others read the table: what they have of it
/// stays.
void set_own_devices(const std::vector<OwnDevice>& devices);
std::vector<OwnDevice> own_devices();

}  // namespace tilescope::model
