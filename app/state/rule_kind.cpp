#include "app/state/rule_kind.h"

#include <algorithm>
#include <vector>

namespace tilescope {

RuleKind rule_kind(Rule rule) {
  struct Row {
    RuleKind kind;
    std::vector<Rule> rules;
  };
  static const std::vector<Row> kRows = {
      {{"S", "more shared memory than there is"}, {Rule::shared_too_large, Rule::ctas_by_shared}},
      {{"R", "more registers than there are"}, {Rule::registers_too_many, Rule::product_registers}},
      {{"T", "too many or too few threads"},
       {Rule::threads_too_many, Rule::threads_too_few, Rule::ctas_by_threads}},
      {{"D", "one extent does not divide the other"}, {Rule::not_divisible, Rule::part_too_low}},
      {{"W", "no room for the lanes of a warp"}, {Rule::warp_too_small}},
      {{"G", "more CTAs than a grid or a cluster may have"},
       {Rule::grid_too_large, Rule::cluster_too_large, Rule::cluster_cuts_k}},
      {{"", ""}, {Rule::none}},
  };
  for (const Row& row : kRows) {
    if (std::ranges::find(row.rules, rule) != row.rules.end()) return row.kind;
  }
  return {"!", "cannot run: the tooltip says why"};
}

}  // namespace tilescope
