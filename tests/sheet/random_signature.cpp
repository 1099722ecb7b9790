#include "tests/sheet/random_signature.h"

#include <algorithm>

namespace tilescope::sheet {

int pick(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

Signature random_signature(std::mt19937& random) {
  struct Form {
    const char *ptx, *cpp;
    uint32_t bytes;
  };
  static constexpr Form kForms[] = {{".u64", "float const*", 8},
                                    {".u64", "float*", 8},
                                    {".u64", "__half*", 8},
                                    {".u64", "", 8},
                                    {".u32", "int", 4},
                                    {".u32", "unsigned int", 4},
                                    {".f32", "float", 4},
                                    {".f64", "double", 8},
                                    {".u16", "short", 2},
                                    {".u8", "bool", 1},
                                    {".b8", "Range", 24},
                                    {".b8", "", 16},
                                    {".u64", "unsigned long", 8},
                                    {".f32", "", 4},
                                    {".u32", "", 4},
                                    {".b16", "__half", 2},
                                    {".u64", "void**", 8},
                                    {".u64", "Node const*", 8}};
  static constexpr const char* kNames[] = {"A", "B", "C", "M", "N", "K", "alpha", "x", "", "d_out"};
  Signature s;
  s.entry = "kernel";
  s.demangled = "kernel";
  const int parameters = pick(random, 0, 12);
  for (int i = 0; i < parameters; ++i) {
    const Form& form = kForms[pick(random, 0, std::size(kForms) - 1)];
    Parameter p;
    p.name = kNames[pick(random, 0, std::size(kNames) - 1)];
    p.ptx = form.ptx, p.cpp = form.cpp, p.bytes = form.bytes;
    p.offset = s.parameter_bytes;
    p.is_const = p.cpp.find("const") != std::string::npos;
    s.parameter_bytes += p.bytes;
    s.parameters.push_back(p);
  }
  const uint32_t threads = 1u << pick(random, 0, 10);
  if (pick(random, 0, 3) == 0) s.required_block = s.most_block = {threads, 1, 1};
  if (pick(random, 0, 3) == 0) s.most_block = {threads, 1, 1};
  if (s.required_block.x > s.most_block.x) s.required_block = s.most_block;
  s.dynamic_shared = pick(random, 0, 1) == 1;
  return s;
}

}  // namespace tilescope::sheet
