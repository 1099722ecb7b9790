#include "worker/engine/own/declaration.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "worker/engine/own/host_code.h"

namespace tilescope::worker {
namespace {

using DeclarationKind = Declaration::Kind;

/// Words whose brackets hold no parameters.
constexpr std::string_view kAttributes[] = {
    "__launch_bounds__", "__attribute__", "alignas",          "__align__", "decltype",
    "noexcept",          "__declspec",    "__cluster_dims__", "explicit",  "requires",
    "__block_size__",    "__maxnreg__",   "sizeof",           "alignof",   "throw"};
constexpr std::string_view kTypeWords[] = {
    "int",  "unsigned", "signed", "long",     "short", "char",   "float", "double",
    "bool", "void",     "const",  "volatile", "auto",  "size_t", "half",  "__half"};
constexpr std::string_view kClassKeys[] = {"class", "struct", "union", "enum"};
/// Parts of the standard library that no device code has.
constexpr std::string_view kHostStandard[] = {"vector",
                                              "string",
                                              "map",
                                              "unordered_map",
                                              "set",
                                              "unordered_set",
                                              "list",
                                              "deque",
                                              "queue",
                                              "stack",
                                              "function",
                                              "thread",
                                              "mutex",
                                              "lock_guard",
                                              "unique_lock",
                                              "cout",
                                              "cerr",
                                              "clog",
                                              "cin",
                                              "endl",
                                              "chrono",
                                              "random_device",
                                              "mt19937",
                                              "mt19937_64",
                                              "default_random_engine",
                                              "uniform_real_distribution",
                                              "normal_distribution",
                                              "uniform_int_distribution",
                                              "unique_ptr",
                                              "shared_ptr",
                                              "make_unique",
                                              "make_shared",
                                              "runtime_error",
                                              "exception",
                                              "invalid_argument",
                                              "filesystem",
                                              "future",
                                              "async",
                                              "to_string",
                                              "stoi",
                                              "stof",
                                              "getline",
                                              "setw",
                                              "setprecision",
                                              "sort",
                                              "accumulate",
                                              "generate",
                                              "string_view",
                                              "optional",
                                              "variant",
                                              "exit",
                                              "atoi"};
constexpr std::string_view kHostLibraries[] = {"cublas",   "curand", "cusparse", "cudnn", "nccl",
                                               "cusolver", "cufft",  "MPI_",     "nvml",  "nvtx"};
constexpr std::string_view kHostWords[] = {"FILE", "fopen", "cout", "cerr"};

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

bool speaks_of_host(const std::vector<CuToken>& tokens, size_t i, size_t end) {
  const std::string_view word = tokens[i].text;
  if (word == "std" && i + 2 < end && tokens[i + 1].is("::")) {
    const std::string_view name = tokens[i + 2].text;
    return is_one_of(kHostStandard, name) || name.ends_with("stream");
  }
  if (word == "cudaTextureObject_t" || word == "cudaSurfaceObject_t") return false;
  if (word.size() > 4 && word.starts_with("cuda") && is_upper(word[4])) return true;
  if (word.size() > 5 && word.starts_with("cuda") && word.ends_with("_t") &&
      std::islower(static_cast<unsigned char>(word[4]))) {
    return true;  // cudaevent_t of old
  }
  // curandState is the device's.
  if (word.starts_with("curandState") || word.starts_with("curand_")) return false;
  if (std::ranges::any_of(kHostLibraries, [&](std::string_view p) {
        return word.size() > p.size() && word.starts_with(p);
      })) {
    return true;
  }
  return is_one_of(kHostWords, word) || word.ends_with("fstream");
}

class DeclarationReader {
 public:
  DeclarationReader(const std::vector<CuToken>& tokens, const DeviceWords& words)
      : tokens_(tokens), words_(words) {}

  Declaration read(size_t begin) {
    d_.begin = begin;
    size_t i = template_head(begin);
    if (!explicit_) first_ = i;
    d_.end = body(i);
    if (d_.end <= begin) d_.end = begin + 1;
    d_.end = std::min(d_.end, tokens_.size());
    look_over();
    d_.kind = kind();
    return d_;
  }

 private:
  const CuToken& at(size_t i) const {
    static constexpr CuToken kNone{CuToken::Kind::punctuation, "", 0};
    return i < tokens_.size() ? tokens_[i] : kNone;
  }
  size_t group(size_t i) const { return behind_group(tokens_, i); }

  size_t template_head(size_t i) {
    while (at(i).is("template")) {
      if (!at(i + 1).is("<")) {
        explicit_ = true;
        return first_ = i + 1;
      }
      const size_t end = behind_angles(tokens_, i + 1);
      if (end == i + 1) return i + 1;
      d_.template_at = i + 1, d_.template_end = end;
      i = end;
    }
    return i;
  }

  /// Behind the declaration that begins with tokens_[i].
  size_t body(size_t i) {
    while (i < tokens_.size()) {
      const CuToken& t = at(i);
      if (t.is(";")) return i + 1;
      if (t.is("}") || t.is(")") || t.is("]")) return i == d_.begin ? i + 1 : i;
      if (t.is_directive()) {
        ++i;
      } else if (t.is_word()) {
        i = word(i);
      } else if (t.is("(")) {
        const size_t end = brackets(i);
        if (alone_) return end;
        i = end;
      } else if (t.is("[")) {
        i = group(i);
      } else if (t.is("<") && i > d_.begin && at(i - 1).is_word()) {
        const size_t end = behind_angles(tokens_, i);
        i = end == i ? i + 1 : end;
      } else if (t.is("=") && !at(i - (i > 0)).is("operator")) {
        return initialiser(i + 1);
      } else if (t.is(":") && d_.parameters_at != 0) {
        i = constructor_list(i + 1);
      } else if (t.is("{")) {
        const size_t end = group(i);
        if (d_.parameters_at != 0 && !class_key_) return end;
        i = end;
      } else {
        ++i;
      }
    }
    return i;
  }

  size_t word(size_t i) {
    const std::string_view text = at(i).text;
    if (is_one_of(kClassKeys, text) && d_.parameters_at == 0) class_key_ = true;
    if (words_.is_constexpr(text)) d_.is_constexpr = true;
    if (text == "const" && d_.parameters_at == 0) d_.is_const = true;
    if (is_one_of(kAttributes, text) && at(i + 1).is("(")) return group(i + 1);
    if (text == "operator") {
      // Up to its parameters, which `()` of its name are not.
      size_t end = i + 1;
      if (at(end).is("(") && at(end + 1).is(")")) end += 2;
      while (end < tokens_.size() && !at(end).is("(") && !at(end).is(";")) ++end;
      return end;
    }
    return i + 1;
  }

  size_t brackets(size_t i) {
    const size_t end = group(i);
    // struct X f(…): a function that returns one.
    if (class_key_ && d_.parameters_at == 0 && i >= first_ + 3 && at(i - 1).is_word())
      class_key_ = false;
    if (!class_key_ && d_.parameters_at == 0 && i > first_) {
      d_.parameters_at = i;
      d_.name_at = i - 1;
      if (at(i - 1).is(">")) {  // of an instance
        size_t open = i - 1;
        int depth = 0;
        for (; open > first_; --open) {
          if (at(open).is(">")) ++depth;
          if (at(open).is("<") && --depth == 0) break;
        }
        d_.name_at = open > first_ ? open - 1 : open;
      }
      d_.name = std::string(at(d_.name_at).text);
    }
    // A macro's call looks so where nothing of a function follows.
    const CuToken& next = at(end);
    const bool follows = next.is("{") || next.is(";") || next.is(":") || next.is("-") ||
                         next.is("const") || next.is("noexcept") || next.is("=") || next.is("(") ||
                         next.is("[") || next.is("override") || next.is("throw") ||
                         next.is("requires");
    if (i == first_ + 1 && at(first_).is_word() && !follows && !explicit_) alone_ = true;
    return end;
  }

  /// Behind `= …;`.
  size_t initialiser(size_t i) {
    initialised_ = true;
    while (i < tokens_.size() && !at(i).is(";")) {
      if (at(i).is("}") || at(i).is(")")) return i;
      i = at(i).is("(") || at(i).is("[") || at(i).is("{") ? group(i) : i + 1;
    }
    return std::min(i + 1, tokens_.size());
  }

  /// `: a(1), b{2} {`: up to the body.
  size_t constructor_list(size_t i) const {
    while (i < tokens_.size()) {
      while (i < tokens_.size() && !at(i).is("(") && !at(i).is("{") && !at(i).is(";")) ++i;
      if (i >= tokens_.size() || at(i).is(";")) return i;
      i = group(i);
      if (!at(i).is(",")) return i;
      ++i;
    }
    return i;
  }

  void look_over() {
    for (size_t i = d_.begin; i < d_.end; ++i) {
      if (!at(i).is_word()) continue;
      d_.has_device_word = d_.has_device_word || words_.contains(at(i).text);
      d_.has_host_marker = d_.has_host_marker || speaks_of_host(tokens_, i, d_.end);
      const bool in_head = d_.parameters_at == 0 || i < d_.parameters_at;
      d_.has_kernel_word = d_.has_kernel_word || (in_head && at(i).is("__global__"));
    }
  }

  DeclarationKind kind() const {
    if (explicit_) return DeclarationKind::instantiation;
    const CuToken& first = at(first_);
    if (first.is(";") || d_.end <= first_) return DeclarationKind::empty;
    if (first.is("using") || first.is("typedef") || first.is("static_assert") ||
        first.is("concept") || first.is("namespace") || first.is("asm")) {
      return DeclarationKind::alias;
    }
    if (alone_ || (first.is_word() && d_.parameters_at == first_ + 1 && at(d_.end - 1).is(";"))) {
      return DeclarationKind::macro;
    }
    if (class_key_) return DeclarationKind::type;
    if (d_.parameters_at != 0 && !(initialised_ && !d_.is_constexpr && !ends_as_function())) {
      return DeclarationKind::function;
    }
    return DeclarationKind::variable;
  }
  /// `= default;`, `= delete;`, `= 0;`
  bool ends_as_function() const {
    return d_.end >= 3 && at(d_.end - 3).is("=") &&
           (at(d_.end - 2).is("default") || at(d_.end - 2).is("delete") || at(d_.end - 2).is("0"));
  }

  const std::vector<CuToken>& tokens_;
  const DeviceWords& words_;
  Declaration d_;
  size_t first_ = 0;  // behind the template's head
  bool explicit_ = false, class_key_ = false, alone_ = false, initialised_ = false;
};

}  // namespace

bool is_type_word(std::string_view word) { return is_one_of(kTypeWords, word); }

Declaration read_declaration(const std::vector<CuToken>& tokens, size_t begin,
                             const DeviceWords& words) {
  return DeclarationReader(tokens, words).read(begin);
}

std::vector<std::pair<size_t, size_t>> split_tokens(const std::vector<CuToken>& tokens,
                                                    size_t begin, size_t end) {
  std::vector<std::pair<size_t, size_t>> parts;
  size_t from = begin;
  for (size_t i = begin; i < end;) {
    const CuToken& t = tokens[i];
    if (t.is(",")) {
      parts.emplace_back(from, i);
      from = ++i;
    } else if (t.is("(") || t.is("[") || t.is("{")) {
      i = behind_group(tokens, i, end);
    } else if (t.is("<") && i > begin) {
      const size_t close = behind_angles(tokens, i);
      i = close == i || close > end ? i + 1 : close;
    } else {
      ++i;
    }
  }
  if (end > from) parts.emplace_back(from, end);
  return parts;
}

}  // namespace tilescope::worker
