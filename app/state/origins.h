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
/// The same to a question of one's own, of a register or a byte of a kernel without a plan, too.
std::string origin_words(AppState& state, const worker::OriginQuestion& question);

/// Of a kernel without a plan: what the selected lane's result of a PTX line was made of, when the
/// selected warp ran it last before the playhead; nothing if the trace has not seen it there.
std::optional<worker::OriginQuestion> question_of_line(const AppState& state, int ptx_line);

}  // namespace tilescope
