// The fields of a launch sheet: grid, block, shared bytes and what each parameter is given.
#pragma once
#include "app/panel.h"
#include "core/sheet/launch_sheet.h"

namespace tilescope {

/// A sheet is read from left to right: no wider than its fields need.
float sheet_width(const AppContext& context);

/// True when one was changed. What is guessed has a ~ until it is.
bool sheet_fields(const AppContext& context, const sheet::Signature& signature,
                  sheet::LaunchSheet& sheet);

}  // namespace tilescope
