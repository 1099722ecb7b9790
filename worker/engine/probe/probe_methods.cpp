#include "worker/engine/probe/probe_methods.h"

#include "worker/engine/error.h"
#include "worker/engine/probe/probe.h"

namespace tilescope::worker {
namespace {

const model::Instruction* instruction_named(const std::string& name) {
  const model::Instruction* found = model::find_instruction(name);
  if (!found) {
    const std::vector<std::string> near = model::nearest_instructions(name, 1);
    fail(kUsage, "There is no map of \"" + name + "\" to be proven" +
                     (near.empty() ? "." : "; the nearest is " + near.front() + "."));
  }
  return found;
}

}  // namespace

calls::ProbeFragment::Answer probe_fragment(const calls::ProbeFragment::Request& asked,
                                            ProbeMachine& machine, const ProveOptions& options) {
  if (asked.atom) return {{prove(*instruction_named(*asked.atom), machine)}, true};
  std::vector<const model::Instruction*> instructions;
  for (const std::string& atom : asked.atoms) instructions.push_back(instruction_named(atom));
  if (asked.all) {
    for (const model::Instruction& i : model::instructions()) instructions.push_back(&i);
  }
  return {prove(instructions, machine, options)};
}

}  // namespace tilescope::worker
