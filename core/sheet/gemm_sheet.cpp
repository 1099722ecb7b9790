// "It is a GEMM": which parameter is what.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <span>

#include "core/sheet/argument_spec.h"
#include "core/sheet/check_sheet.h"
#include "core/sheet/guess_parts.h"
#include "core/sheet/guess_sheet.h"
#include "core/sheet/sheet_error.h"

namespace tilescope::sheet {
namespace {

enum class Role { a, b, c, m, n, k, alpha, beta, lda, ldb, ldc, count };
constexpr size_t kRoles = static_cast<size_t>(Role::count);
enum class ParameterKind { pointer, integer, real };
struct RoleRow {
  const char* name;
  ParameterKind kind;
  std::initializer_list<const char*>
      words;  // names of such parameters, without what decorates them
};
const RoleRow kRows[kRoles] = {
    {"A", ParameterKind::pointer, {"a", "lhs", "amat", "amatrix", "left"}},
    {"B", ParameterKind::pointer, {"b", "rhs", "bmat", "bmatrix", "right"}},
    {"C", ParameterKind::pointer, {"c", "result", "out", "output", "cmat", "cmatrix", "dst", "r"}},
    {"M", ParameterKind::integer, {"m", "rows", "height", "mglobal", "msize"}},
    {"N", ParameterKind::integer, {"n", "cols", "columns", "width", "nglobal", "nsize"}},
    {"K", ParameterKind::integer, {"k", "kglobal", "inner", "depth", "ksize"}},
    {"alpha", ParameterKind::real, {"alpha"}},
    {"beta", ParameterKind::real, {"beta"}},
    {"lda", ParameterKind::integer, {"lda", "stridea", "astride"}},
    {"ldb", ParameterKind::integer, {"ldb", "strideb", "bstride"}},
    {"ldc", ParameterKind::integer, {"ldc", "stridec", "cstride"}},
};

/// "d_A", "A_ptr", "gpuA", "mat_a" → "a".
std::string plain_name(const std::string& name) {
  static constexpr const char* kDecoration[] = {"d",     "dev", "device", "g",      "gpu", "global",
                                                "ptr",   "p",   "mat",    "matrix", "in",  "input",
                                                "const", "h",   "cuda",   "dim",    "size"};
  std::vector<std::string> words(1);
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    const bool after_lower = i > 0 && std::islower(static_cast<unsigned char>(name[i - 1])) != 0;
    if (c == '_' || (upper && after_lower)) words.emplace_back();
    if (c != '_') words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  std::string left;
  for (const std::string& word : words) {
    if (std::ranges::find(kDecoration, word) == std::end(kDecoration)) left += word;
  }
  if (!left.empty()) return left;
  std::string all;
  for (const std::string& word : words) all += word;
  return all;
}

ParameterKind kind_of(const Parameter& p) {
  if (is_pointer(p)) return ParameterKind::pointer;
  const ValueType* type = value_type_of(p);
  if (!type) {
    throw SheetError(
        fmt::format("No GEMM can be told from the parameter {}, which is neither a "
                    "buffer nor a number; write a sheet for it.",
                    text_of(p)));
  }
  return type->is_real() ? ParameterKind::real : ParameterKind::integer;
}

using Roles = std::array<int, kRoles>;  // the parameter that has it; −1: none
int& at(Roles& roles, Role role) { return roles[static_cast<size_t>(role)]; }

/// Those that their names tell.
void by_name(const Signature& s, const std::vector<ParameterKind>& kinds, Roles& roles,
             std::vector<bool>& taken) {
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    const std::string name = plain_name(s.parameters[i].name);
    for (size_t r = 0; r < kRoles; ++r) {
      const auto& words = kRows[r].words;
      if (kRows[r].kind != kinds[i] || roles[r] >= 0) continue;
      if (std::ranges::find(words, name) == words.end()) continue;
      roles[r] = static_cast<int>(i);
      taken[i] = true;
      break;
    }
  }
}

/// Those that are left over of a kind, in order.
std::vector<int> left_over(const std::vector<ParameterKind>& kinds, const std::vector<bool>& taken,
                           ParameterKind kind) {
  std::vector<int> left;
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == kind && !taken[i]) left.push_back(static_cast<int>(i));
  }
  return left;
}

/// Roles that nobody has yet get, in order, the parameters that are left over, if there are as
/// many.
void by_order(std::initializer_list<Role> wanted, std::vector<int> left, Roles& roles,
              std::vector<bool>& taken) {
  std::vector<Role> open;
  for (const Role r : wanted) {
    if (at(roles, r) < 0) open.push_back(r);
  }
  if (open.empty() || left.size() != open.size()) return;
  for (size_t i = 0; i < open.size(); ++i) {
    at(roles, open[i]) = left[i];
    taken[static_cast<size_t>(left[i])] = true;
  }
}

std::string list_of(const Signature& s, const std::vector<int>& which) {
  std::string list;
  for (const int i : which) {
    list += (list.empty() ? "" : ", ") + text_of(s.parameters[static_cast<size_t>(i)]);
  }
  return list;
}

[[noreturn]] void cannot_tell(const Signature& s, const std::string& what) {
  throw SheetError(
      fmt::format("It cannot be told which parameter {} of {}; write a sheet with "
                  "args and gemm (docs/own_kernel.md).",
                  what, text_of(s)));
}

Roles roles_of(const Signature& s, const GemmQuestion& q) {
  std::vector<ParameterKind> kinds;
  for (const Parameter& p : s.parameters) kinds.push_back(kind_of(p));
  Roles roles;
  roles.fill(-1);
  std::vector<bool> taken(kinds.size());
  by_name(s, kinds, roles, taken);
  // The one that is written is C, wherever it stands.
  std::vector<int> pointers = left_over(kinds, taken, ParameterKind::pointer);
  if (at(roles, Role::c) < 0 && pointers.size() == 3) {
    std::vector<int> written;
    for (const int i : pointers) {
      if (!s.parameters[static_cast<size_t>(i)].is_const) written.push_back(i);
    }
    if (written.size() == 1) {
      at(roles, Role::c) = written[0];
      taken[static_cast<size_t>(written[0])] = true;
      std::erase(pointers, written[0]);
    }
  }
  by_order({Role::a, Role::b, Role::c}, pointers, roles, taken);
  const std::vector<int> integers = left_over(kinds, taken, ParameterKind::integer);
  by_order({Role::m, Role::n, Role::k}, integers, roles, taken);
  const std::vector<int> reals = left_over(kinds, taken, ParameterKind::real);
  if (reals.size() == 2) by_order({Role::alpha, Role::beta}, reals, roles, taken);
  if (reals.size() == 1 && at(roles, Role::alpha) < 0) by_order({Role::alpha}, reals, roles, taken);
  for (const Role r : {Role::a, Role::b, Role::c}) {
    if (at(roles, r) < 0) cannot_tell(s, fmt::format("is {}", kRows[static_cast<size_t>(r)].name));
  }
  std::vector<int> unknown;
  for (size_t i = 0; i < taken.size(); ++i) {
    if (!taken[i]) unknown.push_back(static_cast<int>(i));
  }
  if (!unknown.empty()) {
    // A single extent is that of a square.
    const bool square = unknown.size() == 1 &&
                        kinds[static_cast<size_t>(unknown[0])] == ParameterKind::integer &&
                        at(roles, Role::m) < 0 && at(roles, Role::n) < 0 && at(roles, Role::k) < 0;
    if (!square) cannot_tell(s, "of a GEMM is " + list_of(s, unknown));
    at(roles, Role::n) = unknown[0];
  }
  const bool one_size =
      (at(roles, Role::m) >= 0) + (at(roles, Role::n) >= 0) + (at(roles, Role::k) >= 0) == 1;
  if (one_size && !(q.m == q.n && q.n == q.k)) {
    throw SheetError(
        fmt::format("{} takes one size, so it is of square matrices; {}×{}×{} is not, "
                    "give one number.",
                    text_of(s), q.m, q.n, q.k));
  }
  return roles;
}

}  // namespace

LaunchSheet gemm_sheet(const Signature& s, std::span<const FoundLaunch> launches,
                       const GemmQuestion& q) {
  const Roles found = roles_of(s, q);
  Roles roles = found;
  GemmSheet gemm;
  gemm.a = at(roles, Role::a), gemm.b = at(roles, Role::b), gemm.c = at(roles, Role::c);
  gemm.m = q.m, gemm.n = q.n, gemm.k = q.k;
  gemm.layout = q.layout;
  gemm.column_c = q.column_c;
  if (at(roles, Role::alpha) >= 0) gemm.alpha = at(roles, Role::alpha);
  if (at(roles, Role::beta) >= 0) gemm.beta = at(roles, Role::beta);
  const auto leading = [&](int matrix) {
    const MatrixShape shape = matrix_shape(gemm, matrix);
    return shape.by_rows ? shape.cols : shape.rows;
  };
  const int64_t sizes[kRoles] = {0, 0, 0, q.m, q.n, q.k, 0, 0, leading(0), leading(1), leading(2)};

  LaunchSheet sheet;
  sheet.gemm = gemm;
  Names names;
  const FoundLaunch* launch = launch_of(s, launches);
  bool other_sizes = false;
  sheet.args.resize(s.parameters.size());
  for (size_t r = 0; r < kRoles; ++r) {
    if (roles[r] < 0) continue;
    const auto i = static_cast<size_t>(roles[r]);
    const ValueType* type = value_type_of(s.parameters[i]);
    if (kRows[r].kind == ParameterKind::pointer) {
      const MatrixShape shape = matrix_shape(gemm, static_cast<int>(r));
      const bool is_c = static_cast<Role>(r) == Role::c;
      // With beta the kernel reads C; a part that it never writes is then just wrong.
      const char* fill = is_c && !gemm.beta ? "zeros" : "random";
      const char* direction = !is_c ? "in" : gemm.beta ? "inout" : "out";
      // Rows and columns as they lie: the lines of a column-major matrix are its columns.
      sheet.args[i] = buffer_spec(
          type ? type->name : "f32", static_cast<uint64_t>(shape.by_rows ? shape.rows : shape.cols),
          static_cast<uint64_t>(shape.by_rows ? shape.cols : shape.rows), fill, direction);
      continue;
    }
    if (kRows[r].kind == ParameterKind::real) {
      const double value = static_cast<Role>(r) == Role::alpha ? q.alpha : q.beta;
      sheet.args[i] = fmt::format("{}:{}", type->name, value);
      continue;
    }
    sheet.args[i] = fmt::format("{}:{}", type->name, sizes[r]);
    names[s.parameters[i].name] = sizes[r];
    if (!launch || i >= launch->arguments.size()) continue;
    names[launch->arguments[i]] = sizes[r];
    // A launch with numbers in place of sizes has a grid for these alone.
    const auto number = evaluate(launch->arguments[i]);
    if (number && *number != sizes[r]) other_sizes = true;
  }
  FoundLaunch without_grid;
  if (launch && other_sizes) {
    without_grid = *launch;
    without_grid.grid = {};
    without_grid.values.clear();
    launch = &without_grid;
  }
  // What launches call the sizes where the kernel does not take them, or in another function.
  if (launch) names.insert(launch->values.begin(), launch->values.end());
  for (const auto& [name, size] : {std::pair("M", q.m), std::pair("N", q.n), std::pair("K", q.k)}) {
    names.try_emplace(name, size);
  }
  fill_launch(s, launch, names, sheet);
  return sheet;
}

}  // namespace tilescope::sheet
