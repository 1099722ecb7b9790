#include "app/state/session_view.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/state/json_take.h"
#include "core/instructions/instructions.h"
#include "viz/scene/fragment/fragment_scene.h"

namespace tilescope {
namespace {

/// Calls visit(name, value) for each option.
template <class View, class Visit>
void for_each_option(View& v, Visit&& visit) {
  visit("device", v.device);
  visit("device_title", v.device_title);
  visit("side_by_side", v.side_by_side);
  visit("atom", v.atom.name);
  visit("atom_lane", v.atom.selection.lane);
  visit("atom_warp", v.atom.selection.warp);
  visit("atom_output", v.atom.selection.output);
  visit("atom_k_step", v.atom.k_step);
  visit("atom_row_bytes", v.atom.row_bytes);
  visit("fragment_tab", v.fragment_tab);
  visit("fragment_operand", v.fragment_operand);
  visit("fragment_cure", v.fragment_cure);
  visit("fragment_phase", v.fragment_phase);
  visit("benchmark_tab", v.benchmark_tab);
  visit("rank_modelled", v.rank_modelled);
  visit("count_elements", v.count_elements);
  visit("landscape_across", v.landscape_across);
  visit("landscape_down", v.landscape_down);
  visit("landscape_also", v.landscape_also);
  visit("slider_curve", v.slider_curve);
  visit("gpu", v.gpu);
}

}  // namespace

nlohmann::json view_json(const ViewOptions& view) {
  nlohmann::json out = nlohmann::json::object();
  for_each_option(view, [&](const char* name, const auto& value) { out[name] = value; });
  return out;
}

void view_from(const nlohmann::json& in, ViewOptions& v) {
  for_each_option(v, [&](const char* name, auto& value) { take(in, name, value); });
  // Sessions of before had a combo for measuring alone.
  std::string bench;
  take(in, "bench_device", bench);
  if (v.device.empty() && bench.starts_with("cuda:")) v.device = bench;
  const model::Instruction* atom = model::find_instruction(v.atom.name);
  v.atom.name = atom ? atom->name : "";
  v.atom.selection.lane = std::clamp(v.atom.selection.lane, 0, 31);
  v.atom.selection.warp = std::clamp(v.atom.selection.warp, 0, 3);
  v.atom.selection.output = std::max(0, v.atom.selection.output);
  v.atom.k_step = std::clamp(v.atom.k_step, 0, kMaxExtent);
  if (v.atom.row_bytes != 32 && v.atom.row_bytes != 64) v.atom.row_bytes = 128;
  v.fragment_tab = std::clamp(v.fragment_tab, 0, viz::kFragmentTabs - 1);
  v.fragment_operand = std::clamp(v.fragment_operand, 0, 1);
  v.fragment_cure = std::clamp(v.fragment_cure, 0, 1);
  v.fragment_phase = std::clamp(v.fragment_phase, 0, 3);
  v.benchmark_tab = std::clamp(v.benchmark_tab, 0, 1);
}

}  // namespace tilescope
