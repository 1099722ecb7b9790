#include "worker/engine/probe/probe_methods.h"

#include "worker/engine/error.h"
#include "worker/engine/probe/probe.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

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

json probe_fragment(const json& params, CallContext& context, ProbeMachine& machine) {
  if (const auto atom = params.find("atom"); atom != params.end()) {
    return prove(*instruction_named(atom->get<std::string>()), machine);
  }
  std::vector<const model::Instruction*> instructions;
  if (const json& atoms = params.at("atoms"); atoms.is_array()) {
    for (const json& atom : atoms) {
      instructions.push_back(instruction_named(atom.get<std::string>()));
    }
  } else {
    for (const model::Instruction& i : model::instructions()) instructions.push_back(&i);
  }
  ProveOptions options;
  options.cancelled = context.cancelled;
  if (context.progress) {
    options.progress = [&context](size_t done, size_t all) {
      context.progress({{"stage", "proving"}, {"done", done}, {"all", all}});
    };
  }
  return {{"proofs", prove(instructions, machine, options)}};
}

}  // namespace tilescope::worker
