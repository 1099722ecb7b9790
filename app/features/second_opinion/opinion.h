// nvMatmulHeuristics's word on the present problem and tile, and its tiles as presets of the
// present kernel.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/state/presets.h"
#include "worker/messages/second_opinion.h"

namespace tilescope {

/// What nvMatmulHeuristics is asked of.
struct OpinionQuestion {
  std::string kernel;
  TileConfig tile;
  Problem problem;
  int sms = 0;
  std::string gpu;
  bool same_problem(const OpinionQuestion& o) const {
    return kernel == o.kernel && problem == o.problem && sms == o.sms && gpu == o.gpu;
  }
  bool operator==(const OpinionQuestion& o) const { return same_problem(o) && tile == o.tile; }
};
/// Its answer, asked for while somebody looks.
struct Opinion {
  bool wanted = false;                // this frame's
  std::optional<OpinionQuestion> of;  // what `answer` or `error` is of
  std::shared_ptr<const worker::SecondOpinion> answer = nullptr;
  std::string error = {};  // why there is none, one sentence
};

/// What is asked now: of the present tile, for the chosen GPU.
OpinionQuestion opinion_question(const AppState& state);
/// One sentence if there is nothing to ask; empty if there is.
std::string why_no_opinion(const AppState& state);

/// Of the present problem, kernel and GPU: its own tiles are right while sliders move. Null until
/// it is there.
const worker::SecondOpinion* opinion_of_problem(const AppState& state);
/// Of the present tile, too.
const worker::SecondOpinion* opinion_of_tile(const AppState& state);
/// Why there is none of this problem, as the worker said; empty if it said nothing.
std::string opinion_error(const AppState& state);

struct Suggestions {
  std::vector<Preset> presets;  // in the library's order
  std::string left_out;         // one sentence of those that this kernel cannot have; empty: none
};
/// Its tiles as far as the present kernel has them: block and warp tile as they are, the rest on
/// the nearest value, which is said.
Suggestions suggested_tiles(const AppState& state);

}  // namespace tilescope
