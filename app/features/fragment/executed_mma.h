// Of a kernel of one's own: the tensor-core instruction that a warp has executed, as its PTX and
// the trace tell. Nothing of the ladder's plans is in it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "app/state/app_state.h"
#include "core/instructions/instructions.h"
#include "viz/scene/fragment/fragment_scene.h"

namespace tilescope {

struct ExecutedMma {
  const model::Instruction* instruction = nullptr;  // null: none of those whose lanes are known
  std::string opcode;                               // as the PTX has it
  int line = 0, ptx_line = 0;
  BlockIndex cta;
  int warp = 0;
  uint64_t step = 0;         // of the warp
  uint32_t lanes = ~0u;      // that run it
  bool is_next = false;      // the stepped run stands before it
  bool comes_later = false;  // the first of the warp, which it has not come to
};
/// Where the run is stepped, of the warp that stands there: the one that runs next, or has run
/// last. Else of the chosen warp, the last up to the playhead. Nothing: there is none.
std::optional<ExecutedMma> executed_mma(const AppState& state);
/// Tabs that say something of it: nobody knows its warp's tile, or what loads its fragments.
inline bool shows_executed(viz::FragmentTab tab) {
  return tab == viz::FragmentTab::mma || tab == viz::FragmentTab::formulas;
}
/// "line 54, PTX 301 · CTA 0,0 warp 2 · step 118 · all lanes".
std::string executed_words(const ExecutedMma& mma);
/// Why there is none, in a sentence.
std::string why_no_executed_mma(const AppState& state);

/// The question after the origin of a value of it: of its result after it has run, of the others
/// as it read them.
std::optional<worker::OriginQuestion> origin_of_executed(const ExecutedMma& mma,
                                                         const viz::Pick& pick);

}  // namespace tilescope
