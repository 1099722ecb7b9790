// What the parser makes of a PTX text: variables, functions and statements whose registers and
// variables are resolved, and whose instructions are still text.
#pragma once
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/emulator.h"
#include "emulator/ptx/source_lines.h"

namespace tilescope::emulator {

inline constexpr uint32_t kNone = 0xffffffffu;

/// One of 128 bits is two of 64: itself, and the next, "NAME (high)".
enum class RegisterClass : uint8_t { predicate, b16, b32, b64, b128 };
constexpr bool is_wide(RegisterClass c) {
  return c == RegisterClass::b64 || c == RegisterClass::b128;
}
enum class VariableSpace : uint8_t { shared, local, global, constant, parameter };

/// A number in an initialiser that is the address of a variable or function.
struct AddressInitialiser {
  uint64_t offset = 0;  // in the variable
  uint32_t bytes = 8;
  std::string_view symbol;
  int64_t add = 0;
  uint64_t mask = ~uint64_t{0};  // of the address's bytes; those masked are stored
};

struct Variable {
  std::string_view name;
  VariableSpace space = VariableSpace::shared;
  std::string_view type;   // "f32"
  bool is_extern = false;  // an extern shared array starts after the static ones
  uint64_t bytes = 0;
  uint32_t align = 1;
  int line = 0;
  std::vector<uint8_t> initial;  // may be shorter than `bytes`: the rest is zero
  std::vector<AddressInitialiser> addresses;
};

struct Operand {
  enum class Kind : uint8_t { reg, integer, real, variable, name, special, sink, address, vector };
  Kind kind = Kind::integer;
  Kind base = Kind::integer;  // of an address: reg, variable or integer
  bool negated = false;       // !p
  bool single = false;        // real: written as 32 bits (0f…)
  uint32_t index = kNone;     // register or variable (see Function)
  uint32_t second = kNone;    // the predicate of d|p
  bool has_second = false;
  int64_t value = 0;      // integer, bits of the real (as double unless `single`), or offset
  std::string_view text;  // name (label, function) or special register
  std::vector<Operand> elements;
};

struct Statement {
  std::string_view mnemonic;  // empty for a label
  uint32_t guard = kNone;     // predicate register
  bool guard_negated = false;
  uint32_t label = kNone;  // id of the label that stands here
  uint32_t scope = 0;
  int line = 0;
  int location = -1;  // into SourceLines
  std::vector<Operand> operands;
  // call only: (returns), name, (arguments)
  std::vector<Operand> returns, arguments;
};

/// What an entry says of clusters of CTAs.
struct ClusterDirectives {
  Dim3 required{0, 0, 0};    // .reqnctapercluster, 0 = not given
  uint32_t max_rank = 0;     // .maxclusterrank, 0 = not given
  bool is_explicit = false;  // .explicitcluster: of a size that the launch must give
  bool are_blocks = false;   // .blocksareclusters: the launch's grid counts clusters
};

struct Function {
  std::string_view name;
  bool is_entry = false, has_body = false;
  int line = 0;
  uint32_t max_threads = 0;
  Dim3 required_block{0, 0, 0}, most_block{0, 0, 0};
  ClusterDirectives clusters;
  std::vector<uint32_t> returns, parameters;  // variables, in order
  std::vector<RegisterClass> registers;       // those that occur
  std::vector<std::string_view> register_names;
  std::vector<Variable> variables;  // local, parameter and function-scope shared ones
  std::vector<Statement> statements;
  std::vector<uint32_t> scope_parent;                                // scope 0 is the body
  std::map<std::pair<uint32_t, std::string_view>, uint32_t> labels;  // (scope, name) → id
  uint32_t label_count = 0;
  std::map<uint32_t, std::vector<std::string_view>>
      lists;                    // .branchtargets, .calltargets: by label
  std::list<std::string> made;  // texts that do not stand so in the PTX, for views
};

/// A variable is named by its index in Function::variables, or in Module::variables with this bit.
inline constexpr uint32_t kModuleVariable = 0x80000000u;

struct Module {
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::map<std::string_view, std::string_view> aliases;  // name → function
  SourceLines source_lines;
  int target = 0;  // 90 of sm_90a
};

}  // namespace tilescope::emulator
