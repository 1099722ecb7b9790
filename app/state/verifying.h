// Whether C is right, and how much of it is known to be: what the emulator has compared part by
// part, and the result of a card, which compares all of C at once.
#pragma once
#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace tilescope {

/// Whether the emulator has parts of C still to compare, which it does while nothing else runs.
bool verification_due(const AppState& state);
/// Starts verifying the rest of C, however long that takes, even if Stop had ended it before.
void verify_rest(AppState& state);
bool can_verify_rest(const AppState& state);
/// Stops verifying further parts.
void stop_verifying(AppState& state);

/// The groups of CTAs that come next: what the selection shows, first.
std::vector<int> next_groups(AppState& state);
/// Adds the comparison of some groups. After a wrong one no further parts are compared.
void take_part(AppState& state, const std::vector<int>& groups, const worker::VerifiedPart& part);

struct Verdict {
  enum class Kind { none, wrong, partial, whole } kind = Kind::none;
  std::string text;  // "4 of 1,024 CTAs right so far"
  std::string tip;
  double norm = 0;
};
/// Of the present edit; none if nothing has been compared.
Verdict verdict_of(const AppState& state);

/// How much the checks have looked at.
std::string checked_words(const worker::CheckResult& checks, const Problem& problem);

}  // namespace tilescope
