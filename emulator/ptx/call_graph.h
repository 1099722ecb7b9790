// Who calls whom in a module, and which functions of an entry cannot be inlined.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/ptx/module.h"

namespace tilescope::emulator {

/// What an entry needs of its module's functions.
struct CallPlan {
  std::vector<uint32_t> reachable;  // functions with a body, the entry first
  std::vector<bool> out_of_line;    // by function: called, not inlined
  bool uses_stack = false;          // some are not inlined, or it allocates on the stack
};

class CallGraph {
 public:
  explicit CallGraph(const Module& module);
  /// A function that is no entry; one with a body if there is one. Aliases are followed.
  std::optional<uint32_t> find(std::string_view name) const;
  CallPlan plan(uint32_t entry) const;
  const Module& module() const { return module_; }

 private:
  struct Node {
    std::vector<uint32_t> callees;  // by name
    bool calls_address = false, allocates = false, is_recursive = false;
    uint64_t inlined = 0;  // statements with all calls inlined
  };
  void scan(uint32_t index);
  void find_cycles();

  const Module& module_;
  std::unordered_map<std::string_view, uint32_t> by_name_;
  std::vector<Node> nodes_;
  std::vector<bool> address_taken_;
};

}  // namespace tilescope::emulator
