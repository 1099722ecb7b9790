#include "worker/engine/own/host_code.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "worker/engine/own/declaration.h"

namespace tilescope::worker {
namespace {

constexpr int kDeepestNamespace = 64;  // namespaces

class HostFilter {
 public:
  HostFilter(std::string_view source, const std::vector<CuToken>& tokens, const DeviceWords& words)
      : tokens_(tokens), words_(words), text_(source) {}

  DeviceCode run(std::string_view source) {
    source_ = source;
    for (size_t i = 0; i < tokens_.size();) {
      const size_t before = i;
      i = scope(i, "", 0);
      // A bracket that nothing has opened.
      if (i < tokens_.size()) ++i;
      if (i == before) ++i;
    }
    return {std::move(text_), std::move(kernels_)};
  }

 private:
  const CuToken& at(size_t i) const {
    static constexpr CuToken kNone{CuToken::Kind::punctuation, "", 0};
    return i < tokens_.size() ? tokens_[i] : kNone;
  }

  /// Declarations up to the `}` that ends their scope; its index.
  size_t scope(size_t i, const std::string& name, int depth) {
    while (i < tokens_.size() && !at(i).is("}")) {
      const size_t body = namespace_body(i);
      if (body == 0 || depth >= kDeepestNamespace) {
        i = declaration(i, name);
        continue;
      }
      const std::string inner = namespace_name(i, body);
      i = scope(body, inner.empty() ? name : name + inner + "::", depth + 1);
      if (i < tokens_.size()) ++i;  // the bracket
    }
    return i;
  }

  /// Behind the `{` of a namespace or of extern "C"; 0 if it is none.
  size_t namespace_body(size_t i) const {
    if (at(i).is("extern") && at(i + 1).kind == CuToken::Kind::text && at(i + 2).is("{"))
      return i + 3;
    if (at(i).is("inline")) ++i;
    if (!at(i).is("namespace")) return 0;
    for (++i; at(i).is_word() || at(i).is("::") || at(i).is("[") || at(i).is("(");) {
      i = at(i).is("[") || at(i).is("(") ? behind_group(tokens_, i) : i + 1;
    }
    return at(i).is("{") ? i + 1 : 0;
  }
  std::string namespace_name(size_t i, size_t body) const {
    if (at(i).is("extern")) return {};
    if (at(i).is("inline")) ++i;
    std::string name;
    for (++i; i + 1 < body; ++i) {
      if (at(i).is("[") || at(i).is("(")) break;
      name += at(i).text;
    }
    return name;
  }

  size_t declaration(size_t begin, const std::string& name) {
    if (at(begin).is_directive()) return begin + 1;
    const Declaration d = read_declaration(tokens_, begin, words_);
    if (keeps(d)) {
      if (d.has_kernel_word && d.parameters_at != 0) note_kernel(d, name);
    } else {
      blank(d.begin, d.end);
    }
    return d.end;
  }

  bool keeps(const Declaration& d) const {
    using Kind = Declaration::Kind;
    if (d.kind == Kind::instantiation) {
      return std::ranges::any_of(kernels_, [&](const KernelDeclaration& k) {
        const size_t colon = k.name.rfind("::");
        return d.name == (colon == std::string::npos ? k.name : k.name.substr(colon + 2));
      });
    }
    if (d.has_device_word) return true;
    if (d.has_host_marker) return false;
    switch (d.kind) {
      case Kind::function:
        return d.is_constexpr;
      case Kind::variable:
        return d.is_constexpr || d.is_const;
      case Kind::type:
      case Kind::alias:
      case Kind::macro:
      case Kind::empty:
      case Kind::instantiation:
        return true;
    }
    return true;
  }

  void note_kernel(const Declaration& d, const std::string& scope) {
    KernelDeclaration kernel{scope + d.name, at(d.name_at).line};
    if (d.template_at != 0) {
      kernel.template_parameters = list_between(d.template_at, d.template_end - 1);
      if (kernel.template_parameters.empty()) return;  // template <>: a specialisation
    }
    const size_t end = behind_group(tokens_, d.parameters_at);
    if (end < d.parameters_at + 2) return;
    for (const auto& [from, to] : split_tokens(tokens_, d.parameters_at + 1, end - 1)) {
      if (to == from + 1 && at(from).is("void")) continue;
      kernel.parameters.push_back(parameter_of(from, to));
    }
    const auto same = std::ranges::find_if(kernels_, [&](const KernelDeclaration& k) {
      return k.name == kernel.name && k.parameters.size() == kernel.parameters.size();
    });
    if (same == kernels_.end()) {
      kernels_.push_back(std::move(kernel));
    } else {
      *same = std::move(kernel);  // declared before: the definition's names are better
    }
  }

  std::vector<std::string> list_between(size_t open, size_t close) const {
    std::vector<std::string> list;
    for (const auto& [from, to] : split_tokens(tokens_, open + 1, close)) {
      list.push_back(joined_text(tokens_, from, to));
    }
    return list;
  }

  KernelDeclaration::Parameter parameter_of(size_t from, size_t to) const {
    KernelDeclaration::Parameter p;
    size_t end = from;  // behind the last token that is no default and no extent
    while (end < to && !at(end).is("=") && !at(end).is("[")) ++end;
    const bool array = end < to && at(end).is("[");
    size_t name_at = to;
    bool star = false;
    for (size_t i = from; i < end; ++i) star = star || at(i).is("*");
    // The last word is the name, unless it is a part of the type ("unsigned int", "const float*").
    if (end > from + 1 && at(end - 1).is_word() && !is_type_word(at(end - 1).text) &&
        !at(end - 2).is("::")) {
      name_at = end - 1;
      p.name = std::string(at(name_at).text);
    }
    bool before_star = true;
    for (size_t i = from; i < end; ++i) {
      if (at(i).is("*")) before_star = false;
      if (at(i).is("const") && before_star) p.is_const = true;
      if (at(i).text.starts_with("__restrict") || at(i).is("restrict")) p.is_restrict = true;
    }
    p.is_const = p.is_const && (star || array);
    std::string type;
    for (size_t i = from; i < end; ++i) {
      const std::string_view word = at(i).text;
      if (i == name_at || word == "const" || word == "volatile" || word.starts_with("__restrict") ||
          word == "restrict" || word == "__grid_constant__") {
        continue;
      }
      if (word == "*") {
        if (p.is_const && type.find('*') == std::string::npos) type += " const";
        type += "*";
      } else {
        const bool glued = type.empty() || word == "::" || type.ends_with("::") || word == "<" ||
                           word == ">" || type.ends_with("<") || word == ",";
        type += (glued ? "" : " ") + std::string(word);
      }
    }
    if (array) type += p.is_const ? " const*" : "*";
    p.type = type;
    return p;
  }

  /// Line breaks stay, and so do lines of the preprocessor.
  void blank(size_t begin, size_t end) {
    if (begin >= end || begin >= tokens_.size()) return;
    const auto offset = [&](const CuToken& t) {
      return static_cast<size_t>(t.text.data() - source_.data());
    };
    size_t from = offset(tokens_[begin]);
    for (size_t i = begin; i < std::min(end, tokens_.size()); ++i) {
      const CuToken& t = tokens_[i];
      const size_t to = offset(t) + t.text.size();
      if (t.is_directive()) {
        blank_text(from, offset(t));
        from = to;
      }
    }
    blank_text(from, offset(tokens_[std::min(end, tokens_.size()) - 1]) +
                         tokens_[std::min(end, tokens_.size()) - 1].text.size());
  }
  void blank_text(size_t from, size_t to) {
    for (size_t i = from; i < to && i < text_.size(); ++i) {
      if (text_[i] != '\n' && text_[i] != '\r') text_[i] = ' ';
    }
  }

  const std::vector<CuToken>& tokens_;
  const DeviceWords& words_;
  std::string_view source_;
  std::string text_;
  std::vector<KernelDeclaration> kernels_;
};

constexpr const char* kDeviceWords[] = {"__global__", "__device__", "__constant__", "__shared__",
                                        "__managed__"};

}  // namespace

DeviceWords::DeviceWords()
    : words_(std::begin(kDeviceWords), std::end(kDeviceWords)),
      constexprs_{"constexpr", "consteval"} {}

void DeviceWords::learn(const std::vector<CuToken>& tokens) {
  for (const CuToken& t : tokens) {
    if (!t.is_directive() || directive_name(t) != "define") continue;
    const std::vector<CuToken> inside = tokens_of(directive_rest(t));
    if (inside.size() < 2) continue;
    for (size_t i = 1; i < inside.size(); ++i) {
      if (!inside[i].is_word()) continue;
      if (contains(inside[i].text)) words_.insert(std::string(inside[0].text));
      if (is_constexpr(inside[i].text)) constexprs_.insert(std::string(inside[0].text));
    }
  }
}

DeviceCode device_code(std::string_view source, const std::vector<CuToken>& tokens,
                       const DeviceWords& words) {
  return HostFilter(source, tokens, words).run(source);
}

std::string joined_text(const std::vector<CuToken>& tokens, size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i < std::min(end, tokens.size()); ++i) {
    const CuToken& t = tokens[i];
    const bool words =
        !text.empty() &&
        (std::isalnum(static_cast<unsigned char>(text.back())) || text.back() == '_') &&
        (t.kind == CuToken::Kind::word || t.kind == CuToken::Kind::number);
    text += (words ? " " : "") + std::string(t.text);
  }
  return text;
}

}  // namespace tilescope::worker
