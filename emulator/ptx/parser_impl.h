// The parser's parts share this class; each concern has a file of its own.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>

#include "emulator/ptx/lexer.h"
#include "emulator/ptx/module.h"

namespace tilescope::emulator {

inline constexpr uint64_t kMaxVariableBytes = 1ull << 28;
inline constexpr int kMaxDepth = 200;
inline constexpr size_t kMaxErrors = 100;

struct PtxType {
  RegisterClass register_class = RegisterClass::b32;
  uint32_t bytes = 4;
};
/// `.u32` and so on, without the point; none if it is no type.
std::optional<PtxType> find_type(std::string_view name);

class Parser {
 public:
  Parser(std::string_view text, Module& module) : lexer_(text), module_(module) {}
  std::vector<ParseError> run();

 private:
  struct Failure {};  // unwinds to the statement that is skipped
  struct RegisterName {
    RegisterClass register_class = RegisterClass::b32;
    uint32_t count = 0;  // 0: a single name, else name0 … name(count-1)
  };
  /// name0 … name(count-1): nearly all registers. Found without hashing: a scope has few of them.
  struct Range {
    std::string_view prefix;
    RegisterName name;
    std::vector<uint32_t> used;  // number → register + 1, as far as seen
  };
  struct Scope {
    uint32_t id = 0;
    std::vector<Range> ranges;
    std::unordered_map<std::string_view, RegisterName> singles;  // these come first
    std::unordered_map<std::string_view, uint32_t> used;         // name → register
    std::unordered_map<std::string_view, uint32_t> variables;    // name → variable
  };
  struct Declaration {  // what stands between the space and the `;` of a variable
    Variable variable;
    std::optional<PtxType> type;
    bool ended = false;
  };

  // parser.cpp: tokens, numbers, errors
  [[noreturn]] void fail(int line, std::string message);
  [[noreturn]] void fail_here(const std::string& expected);
  void expect(char c);
  bool accept(char c);
  int64_t integer(bool may_be_negative = true);
  int small_integer();
  Operand number(const Token& token, bool negative);
  void skip_statement();
  void skip_braces();

  // parser_module.cpp: module level, variables, .loc and .file
  void module_item();
  bool location_directive(std::string_view name);
  void function(bool is_entry, bool is_extern);
  void function_directives(Function& f);
  void parameter_list(Function& f, std::vector<uint32_t>& list);
  void variables(VariableSpace space, std::string_view rest, bool is_extern, Function* f);
  void initialiser(Variable& v, uint32_t element_bytes);
  void initial_value(Variable& v, uint32_t bytes);
  uint32_t declare(Variable v, Function* f);

  // parser_function.cpp: statements and operands
  void body(Function& f);
  void statement();
  void registers(std::string_view rest);
  void instruction(Statement s);
  void call(Statement& s);
  void target_list();
  Operand operand(int depth);
  Operand address();
  Operand word_operand(const Token& token);
  std::vector<Operand> operand_list(char close);
  static void declare(Scope& scope, std::string_view name, const RegisterName& entry);
  std::optional<uint32_t> find_register(std::string_view name);
  std::optional<uint32_t> find_variable(std::string_view name);

  Lexer lexer_;
  Module& module_;
  std::vector<ParseError> errors_;
  Function* function_ = nullptr;
  std::vector<Scope> scopes_;
  std::unordered_map<std::string_view, uint32_t> module_variables_;
  int location_ = -1;
};

}  // namespace tilescope::emulator
