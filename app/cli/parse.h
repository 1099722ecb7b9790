// Texts of the command line → values. Every failure is a CliError that names the flag, the value
// and what would be right.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/layout/problem.h"
#include "core/layout/swizzle.h"
#include "core/layout/tile_config.h"

namespace tilescope::cli {

/// Whole decimal number, all of the text.
long long parse_integer(const std::string& flag, const std::string& text);
int parse_integer(const std::string& flag, const std::string& text, long long low, long long high);
long long parse_large(const std::string& flag, const std::string& text, long long low,
                      long long high);
double parse_number(const std::string& flag, const std::string& text);
std::vector<std::string> split(const std::string& text, char separator);

struct Size {
  int m = 0, n = 0, k = 0;
};
/// "1024x512x256" or one number for all three; each 1 to kMaxExtent.
Size parse_size(const std::string& text);

/// "X,Y,Z", "X,Y" or "X"; missing ones are 1.
struct Triple {
  uint32_t x = 1, y = 1, z = 1;
};
Triple parse_triple(const std::string& flag, const std::string& text, uint32_t missing = 1);

/// Sets the fields that "block_m=128,stages=3" names; they must be sliders of the kernel.
void parse_tile(const std::string& text, const Sliders& sliders, const char* kernel,
                TileConfig& tile);

Swizzle parse_swizzle(const std::string& flag, const std::string& text);

}  // namespace tilescope::cli
