// Host code left out of a CUDA C++ text, which NVRTC does not take. Lines stay where they are.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "worker/engine/own/cu_tokens.h"

namespace tilescope::worker {

/// A kernel as the text declares it.
struct KernelDeclaration {
  std::string name;  // with its namespaces: "ns::f"
  int line = 0;
  std::vector<std::string> template_parameters = {};  // "int BM", "typename T"; empty: no template
  struct Parameter {
    std::string type, name;  // "float const*", "A"; the name may be empty
    bool is_const = false;   // points to what is only read
    bool is_restrict = false;
  };
  std::vector<Parameter> parameters = {};
};

/// Words that make a declaration one of device code, which grow with the macros that stand for them
/// (`#define HD __host__ __device__`), and those that stand for `constexpr`, which keeps a function
/// of the host, since types may be made by it. One for all files of a compilation.
class DeviceWords {
 public:
  DeviceWords();
  bool contains(std::string_view word) const { return words_.contains(word); }
  bool is_constexpr(std::string_view word) const { return constexprs_.contains(word); }
  /// Reads the #defines among the tokens.
  void learn(const std::vector<CuToken>& tokens);

 private:
  std::set<std::string, std::less<>> words_, constexprs_;
};

struct DeviceCode {
  std::string text;  // as many lines as the source, each as it was or, where host code stood, blank
  std::vector<KernelDeclaration> kernels;
};

/// Kept are lines of the preprocessor, whatever __global__, __device__, __constant__, __shared__ or
/// __managed__ is part of, templates, classes, enums, aliases and constants that say nothing of the
/// host's libraries, all inside of namespaces and extern "C". Left out are functions and variables
/// of the host. Any text is taken.
DeviceCode device_code(std::string_view source, const std::vector<CuToken>& tokens,
                       const DeviceWords& words);

/// Of tokens, as C++ is written: "unsigned int BM = 64".
std::string joined_text(const std::vector<CuToken>& tokens, size_t begin, size_t end);

}  // namespace tilescope::worker
