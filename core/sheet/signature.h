// What a kernel takes, as plain data: whoever reads PTX or C++ makes it, whoever makes or checks a
// launch sheet reads it.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/sheet/value_type.h"

namespace tilescope::sheet {

/// Threads or CTAs along x, y and z.
struct Extent {
  uint32_t x = 1, y = 1, z = 1;
  bool operator==(const Extent&) const = default;
  uint64_t count() const { return uint64_t{x} * y * z; }
};

struct Parameter {
  std::string name;                // as the source has it, else as the PTX has
  std::string ptx;                 // ".u64", ".f32", ".b8" of a struct
  uint32_t offset = 0, bytes = 0;  // in the parameter block
  std::string cpp = {};            // "float const*"; empty: not known
  bool is_const = false;           // points to what the kernel only reads
  bool is_restrict = false;
  bool operator==(const Parameter&) const = default;
};

struct Signature {
  std::string entry;      // as the PTX has it
  std::string demangled;  // "sgemm<128, 8>", template arguments as text, without parameters
  std::vector<Parameter> parameters;
  uint32_t parameter_bytes = 0;
  Extent required_block{0, 0, 0};    // .reqntid; 0 = not given
  Extent most_block{0, 0, 0};        // .maxntid; 0 = not given
  uint32_t static_shared = 0;        // bytes
  Extent required_cluster{0, 0, 0};  // .reqnctapercluster; 0 = not given
  uint32_t most_cluster = 0;         // .maxclusterrank, 0 = not given
  bool explicit_cluster = false;     // .explicitcluster: a launch must give the size
  bool dynamic_shared = false;  // it may want more than that: the PTX has an array without a size
  bool operator==(const Signature&) const = default;
};

/// A launch `f<128><<<grid, block, shared>>>(…)` that stands in host code, its numbers as
/// expressions (expression.h) of the names that it passes to the kernel and of what was not known
/// there; empty: not given, or not to be read.
struct FoundLaunch {
  std::string kernel;  // "f", or an instance with its numbers put in: "f<128, 8>"
  int line = 0;        // 1-based, of the user's file
  std::array<std::string, 3> grid = {}, block = {};
  std::string shared = {};
  std::vector<std::string> arguments = {};
  std::map<std::string, int64_t, std::less<>> values = {};  // that the names have there, if any
  bool operator==(const FoundLaunch&) const = default;
};

/// Signature::demangled of a mangled name and the C++ types of its parameters; the name itself and
/// no types, if it is not mangled.
struct Demangled {
  std::string name;
  std::vector<std::string> types;
};
Demangled demangled(const std::string& mangled);

/// The parts of a list between commas that stand in no bracket, without blanks around them.
std::vector<std::string> split_list(std::string_view text);

bool is_pointer(const Parameter& parameter);
/// What it is a number of, or points to; null: not known.
const ValueType* value_type_of(const Parameter& parameter);
/// "float const* A", or ".u64 p0" where C++'s type is not known.
std::string text_of(const Parameter& parameter);
/// "sgemm(int M, float const* A)".
std::string text_of(const Signature& signature);

}  // namespace tilescope::sheet
