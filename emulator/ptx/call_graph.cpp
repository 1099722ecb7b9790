#include "emulator/ptx/call_graph.h"

#include <algorithm>

namespace tilescope::emulator {
namespace {

constexpr uint64_t kMaxInlined = 300'000;  // statements; an entry above it inlines nothing
constexpr uint64_t kEndless = 1ull << 40;

}  // namespace

CallGraph::CallGraph(const Module& module)
    : module_(module), nodes_(module.functions.size()), address_taken_(module.functions.size()) {
  for (uint32_t i = 0; i < module.functions.size(); ++i) {
    const Function& f = module.functions[i];
    if (f.is_entry) continue;
    auto [it, is_new] = by_name_.try_emplace(f.name, i);
    if (!is_new && f.has_body) it->second = i;
  }
  for (const Variable& v : module.variables) {
    for (const AddressInitialiser& a : v.addresses) {
      if (const auto f = find(a.symbol)) address_taken_[*f] = true;
    }
  }
  for (uint32_t i = 0; i < nodes_.size(); ++i) scan(i);
  find_cycles();
}

std::optional<uint32_t> CallGraph::find(std::string_view name) const {
  for (int hops = 0; hops < 16; ++hops) {
    const auto alias = module_.aliases.find(name);
    if (alias == module_.aliases.end()) break;
    name = alias->second;
  }
  const auto it = by_name_.find(name);
  if (it == by_name_.end()) return std::nullopt;
  return it->second;
}

void CallGraph::scan(uint32_t index) {
  const Function& f = module_.functions[index];
  Node& node = nodes_[index];
  for (const Statement& s : f.statements) {
    if (s.mnemonic == "call" || s.mnemonic == "call.uni") {
      if (s.operands.empty()) continue;
      const Operand& target = s.operands[0];
      if (target.kind == Operand::Kind::reg) node.calls_address = true;
      const auto callee =
          target.kind == Operand::Kind::name ? find(target.text) : std::optional<uint32_t>();
      if (callee && module_.functions[*callee].has_body) node.callees.push_back(*callee);
      continue;
    }
    node.allocates |= s.mnemonic.substr(0, 6) == "alloca" || s.mnemonic.substr(0, 5) == "stack";
    if (s.mnemonic.substr(0, 4) != "mov.") continue;
    for (const Operand& o : s.operands) {
      if (o.kind != Operand::Kind::name) continue;
      if (const auto taken = find(o.text)) address_taken_[*taken] = true;
    }
  }
}

// Tarjan's strongly connected components, without recursion: a text may nest calls without bound.
// Components come callees first, so that inlined sizes add up on the way.
void CallGraph::find_cycles() {
  const size_t n = nodes_.size();
  std::vector<uint32_t> order(n, 0), low(n, 0), stack;
  std::vector<bool> on_stack(n, false);
  std::vector<std::pair<uint32_t, size_t>> frames;  // function, next callee
  uint32_t counter = 0;
  auto enter = [&](uint32_t f) {
    order[f] = low[f] = ++counter;
    stack.push_back(f);
    on_stack[f] = true;
    frames.emplace_back(f, 0);
  };
  auto finish = [&](uint32_t root) {
    const bool cycle = stack.back() != root || std::ranges::count(nodes_[root].callees, root) > 0;
    for (;;) {
      const uint32_t f = stack.back();
      stack.pop_back();
      on_stack[f] = false;
      Node& node = nodes_[f];
      node.is_recursive = cycle;
      node.inlined = module_.functions[f].statements.size();
      for (uint32_t callee : node.callees) {
        node.inlined = std::min(kEndless, node.inlined + nodes_[callee].inlined);
      }
      if (f == root) return;
    }
  };
  for (uint32_t root = 0; root < n; ++root) {
    if (order[root] == 0) enter(root);
    while (!frames.empty()) {
      auto& [f, next] = frames.back();
      if (next < nodes_[f].callees.size()) {
        const uint32_t callee = nodes_[f].callees[next++];
        if (order[callee] == 0) {
          enter(callee);
        } else if (on_stack[callee]) {
          low[f] = std::min(low[f], order[callee]);
        }
        continue;
      }
      const uint32_t done = f;
      if (low[done] == order[done]) finish(done);
      frames.pop_back();
      if (!frames.empty()) low[frames.back().first] = std::min(low[frames.back().first], low[done]);
    }
  }
}

CallPlan CallGraph::plan(uint32_t entry) const {
  CallPlan plan;
  plan.out_of_line.assign(nodes_.size(), false);
  std::vector<bool> seen(nodes_.size(), false);
  const bool inlines = nodes_[entry].inlined <= kMaxInlined;
  bool addresses = false;  // functions whose address is taken have been added
  auto reach = [&](uint32_t f, bool by_address) {
    if (!module_.functions[f].has_body) return;
    const Node& node = nodes_[f];
    if (by_address || node.is_recursive || node.allocates || !inlines) plan.out_of_line[f] = true;
    plan.uses_stack |= plan.out_of_line[f];
    if (seen[f]) return;
    seen[f] = true;
    plan.reachable.push_back(f);
  };
  seen[entry] = true;
  plan.reachable.push_back(entry);
  for (size_t i = 0; i < plan.reachable.size(); ++i) {
    const Node& node = nodes_[plan.reachable[i]];
    // A call by address hands its parameters over on the stack, whether or not a function is there.
    plan.uses_stack |= node.allocates || node.calls_address;
    for (uint32_t callee : node.callees) reach(callee, false);
    if (!node.calls_address || addresses) continue;
    addresses = true;
    for (uint32_t f = 0; f < nodes_.size(); ++f) {
      if (address_taken_[f]) reach(f, true);
    }
  }
  return plan;
}

}  // namespace tilescope::emulator
