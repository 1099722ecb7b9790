// ptxas as the judge of what PTX allows.
#pragma once
#include <string>
#include <vector>

namespace tilescope::emulator::test {

bool has_ptxas();

/// By instruction: whether ptxas finds no fault with it. Registers: %p %h %r %f %rd %fd, 60 of each
/// (20 predicates); [d] lies in local memory, [in] is a parameter, L a label. `name`: of the file,
/// for who runs several at once.
std::vector<bool> ptxas_takes(const std::vector<std::string>& instructions, const std::string& arch,
                              const std::string& name);

}  // namespace tilescope::emulator::test
