// The place of a stepped run that a session keeps: where one stood, and of what that was.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "app/state/app_state.h"

namespace tilescope {

struct StepView;

struct KeptPlace {
  std::string of = {};      // as Breakpoint::of
  std::string launch = {};  // tile, problem or sheet: of another launch a place says nothing
  std::string revision = {};
  BlockIndex cta;
  bool whole_grid = false;
  int warp = 0;
  int64_t step = 0, tick = 0;
  bool ended = false;  // nothing ran behind it
  bool asked = true;   // somebody stepped; else a panel was in view
  bool operator==(const KeptPlace&) const = default;
};

/// Where the present subject's run stands; what is still to be restored; nothing where neither is.
std::optional<KeptPlace> place_to_keep(const AppState& state);
nlohmann::json kept_place_json(const KeptPlace& place);
/// Bears anything; nothing for what is no place.
std::optional<KeptPlace> kept_place_from(const nlohmann::json& file);

/// The run has begun anew: goes to the kept place where that is of this launch; says so in `note`
/// where the kernel has changed since. Once.
void restore_place(AppState& state, StepView& view);

}  // namespace tilescope
