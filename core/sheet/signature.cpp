#include "core/sheet/signature.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

namespace tilescope::sheet {
namespace {

constexpr size_t kLongestName = 64 << 10;  // mangled: more is no name that a compiler made

std::string trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

/// Without const, volatile, restrict and what points: "float const* __restrict__" → "float".
std::string bare_type(std::string_view cpp) {
  std::string bare;
  for (size_t at = 0; at < cpp.size();) {
    size_t end = at;
    while (end < cpp.size() && cpp[end] != ' ' && cpp[end] != '*' && cpp[end] != '&') ++end;
    const std::string_view word = cpp.substr(at, end - at);
    if (!word.empty() && word != "const" && word != "volatile" && word != "__restrict__" &&
        word != "__restrict" && word != "restrict" && word != "struct") {
      if (!bare.empty()) bare += ' ';
      bare += word;
    }
    at = end + 1;
  }
  return bare;
}

/// By the PTX alone.
const ValueType* value_type_of_ptx(std::string_view ptx) {
  if (ptx.starts_with(".s")) return value_type_named("i" + std::string(ptx.substr(2)));
  if (ptx.starts_with(".u") || ptx.starts_with(".f") || ptx.starts_with(".bf")) {
    return value_type_named(ptx.substr(1));
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == '>' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      parts.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  std::string last = trimmed(text.substr(begin));
  if (!last.empty() || !parts.empty()) parts.push_back(std::move(last));
  return parts;
}

Demangled demangled(const std::string& mangled) {
  Demangled all{mangled, {}};
  if (!mangled.starts_with("_Z") || mangled.size() > kLongestName) return all;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || !text) return all;
  std::string whole = text.get();
  // The parameters stand in the last round brackets.
  if (!whole.ends_with(')')) return {whole, {}};
  int depth = 0;
  size_t open = whole.size();
  while (open-- > 0) {
    if (whole[open] == ')') ++depth;
    if (whole[open] == '(' && --depth == 0) break;
  }
  if (open == std::string::npos || depth != 0) return {whole, {}};
  all.types = split_list(std::string_view(whole).substr(open + 1, whole.size() - open - 2));
  whole.resize(open);
  // Of a template the type that it returns stands before the name.
  depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] == '<' || whole[i] == '(') ++depth;
    if (whole[i] == '>' || whole[i] == ')') --depth;
    if (whole[i] == ' ' && depth == 0) begin = i + 1;
  }
  all.name = whole.substr(begin);
  // "(unsigned int)128" is a number of a template.
  for (size_t at; (at = all.name.find("(unsigned int)")) != std::string::npos;)
    all.name.erase(at, 14);
  for (size_t at; (at = all.name.find("(int)")) != std::string::npos;) all.name.erase(at, 5);
  return all;
}

bool is_pointer(const Parameter& p) {
  if (p.bytes != 8) return false;
  if (!p.cpp.empty()) return p.cpp.find('*') != std::string::npos;
  return p.ptx == ".u64" || p.ptx == ".b64";  // a number of 64 bits is rare there
}

const ValueType* value_type_of(const Parameter& p) {
  if (!p.cpp.empty()) return value_type_of_cpp(bare_type(p.cpp));
  return is_pointer(p) ? nullptr : value_type_of_ptx(p.ptx);
}

std::string text_of(const Parameter& p) {
  return (p.cpp.empty() ? p.ptx : p.cpp) + (p.name.empty() ? "" : " " + p.name);
}

std::string text_of(const Signature& s) {
  std::string list;
  for (const Parameter& p : s.parameters) list += (list.empty() ? "" : ", ") + text_of(p);
  return (s.demangled.empty() ? s.entry : s.demangled) + "(" + list + ")";
}

}  // namespace tilescope::sheet
