// Changes an input a little: JSON by its values, and any by its bytes.
#pragma once
#include <cstddef>
#include <random>
#include <string>
#include <string_view>

namespace tilescope::fuzz {

/// One to three changes; at most `longest` bytes. What is JSON stays JSON in most of the cases.
std::string mutated(std::string_view input, size_t longest, std::mt19937& random);

}  // namespace tilescope::fuzz
