#include "app/state/ladder.h"

#include <algorithm>

#include "app/state/edit.h"
#include "app/state/history.h"
#include "core/model/names.h"
#include "core/model/sentences.h"

namespace tilescope {
namespace {

/// The present problem in a kernel's own types and layout.
Problem own_problem(const AppState& state, const KernelInfo& info) {
  Problem p = default_problem(info);
  const Problem& now = state.edit.problem;
  p.m = now.m, p.n = now.n, p.k = now.k;
  p.alpha = now.alpha, p.beta = now.beta, p.bias = now.bias;
  return p;
}

LadderRow rung_of(const AppState& state, const KernelEntry& kernel, const LadderPart& part) {
  LadderRow rung;
  rung.kernel = &kernel;
  rung.present = state.edit.rung().kernel == kernel.info.id;
  Edit& edit = rung.edit;
  edit.change_rung().kernel = kernel.info.id;
  edit.problem = part.problem;
  // Not all of a type take the part's layout.
  const KernelInfo& info = kernel.info;
  const bool as_part = (info.layouts & layout_bit(edit.problem.order_a, edit.problem.order_b)) != 0;
  if (!as_part) set_layout(edit.problem, info.default_layout);
  const auto library = as_part ? part.library : library_of(state, edit.problem);
  const auto left = state.edit.tiles.find(edit.rung().kernel);
  edit.change_rung().tile =
      left != state.edit.tiles.end() ? left->second : kernel.sliders.defaults();
  if (rung.present) edit.change_rung().tile = state.edit.rung().tile;
  const worker::KnownResult* best = nullptr;
  for (const worker::KnownResult* r : known_of(state, edit.rung().kernel, edit.problem)) {
    if (!best || r->tflops > best->tflops) best = r;
  }
  if (best) {
    edit.change_rung().tile = best->request.tile;
    rung.standing = standing_of(*best);
    rung.tflops = best->tflops;
    rung.of_library = share_of(library, best->tflops);
    rung.date = best->date, rung.older = best->older;
    return rung;
  }
  const Violation violation = kernel.validate(edit.rung().tile, edit.problem, state.limits);
  if (!violation.legal()) {
    rung.why_not = model::sentence(
        violation, edit.rung().tile, edit.problem,
        kernel.plan(kernel.sliders.defaults(), edit.problem, state.limits.sm_count), state.limits);
    return rung;
  }
  rung.tflops = state.models->tflops(kernel, edit.rung().tile, edit.problem, state.gpu);
  if (!rung.tflops) return rung;
  rung.standing = Standing::modelled;
  rung.of_library = share_of(library, *rung.tflops);
  return rung;
}

}  // namespace

std::vector<LadderGroup> ladder_groups() {
  std::vector<LadderGroup> groups;
  for (const KernelEntry& entry : kernel_table()) {
    const std::string name = model::name_of(default_problem(entry.info).type_a);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const LadderGroup& g) { return g.name == name; });
    if (group == groups.end()) group = groups.insert(groups.end(), {name, {}});
    group->kernels.push_back(&entry);
  }
  return groups;
}

std::vector<LadderPart> ladder_parts(const AppState& state) {
  std::vector<LadderPart> parts;
  for (const LadderGroup& group : ladder_groups()) {
    const bool present = std::ranges::any_of(group.kernels, [&](const KernelEntry* kernel) {
      return state.edit.rung().kernel == kernel->info.id;
    });
    LadderPart part;
    part.problem = present ? state.edit.problem : own_problem(state, group.kernels.front()->info);
    part.name = model::name_of(part.problem.type_a);
    if (part.problem.type_a != part.problem.type_c)
      part.name += std::string(" → ") + model::name_of(part.problem.type_c);
    part.library = library_of(state, part.problem);
    for (const KernelEntry* kernel : group.kernels)
      part.rungs.push_back(rung_of(state, *kernel, part));
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace tilescope
