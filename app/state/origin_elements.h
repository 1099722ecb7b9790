// The elements that a value was made of, as a stepped run can be brought to where they are read.
#pragma once
#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace tilescope {

struct OriginElements {
  std::string words;   // "A[17, 0…63]"
  std::string motion;  // to the first of them: "read:A[17,0]"; of no GEMM's buffer "read:1+64:4"
};
/// Of an answer of the present subject; the first few.
std::vector<OriginElements> origin_elements(const AppState& state,
                                            const worker::OriginResult& origin);

}  // namespace tilescope
