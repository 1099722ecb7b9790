// Where the value under the pointer came from: what is asked, and what is said of the answer.
#pragma once
#include <optional>
#include <string>

#include "app/state/app_state.h"

namespace tilescope {

/// The question that a pick stands for: a register of the mma or thread that is shown, an element
/// of C at the end of its CTA, one of A or B in shared memory at the present moment; nothing if the
/// trace cannot tell.
std::optional<worker::OriginQuestion> question_of(const AppState& state, const viz::Pick& pick);

/// What a tooltip says to a pick: the answer, as far as there is one; asks for it otherwise. Empty
/// if there is nothing to be asked.
std::string origin_words(AppState& state, const viz::Pick& pick);
/// The same to a question of any other place: a register of a stepped warp, for example.
std::string origin_words(AppState& state, const worker::OriginQuestion& question);

}  // namespace tilescope
