#include "core/sheet/expression.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "core/sheet/value_type.h"

namespace tilescope::sheet {
namespace {

constexpr int kMostDepth = 240;  // of calls here; four for each bracket
constexpr double kMostReal = 0x1p62;

struct Number {
  bool real = false;
  int64_t whole = 0;
  double value = 0;
  double as_real() const { return real ? value : static_cast<double>(whole); }
};
struct NoNumber {};  // unwinds to evaluate()

Number whole_of(int64_t n) { return {false, n, 0}; }
Number real_of(double d) {
  if (!(std::abs(d) < kMostReal)) throw NoNumber{};
  return {true, 0, d};
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Evaluator {
 public:
  Evaluator(std::string_view text, const Names& names) : left_(text), names_(names) {}

  Number all() {
    const Number n = choice();
    skip();
    if (!left_.empty()) throw NoNumber{};
    return n;
  }

 private:
  void skip() {
    while (!left_.empty() && std::isspace(static_cast<unsigned char>(left_[0])))
      left_.remove_prefix(1);
  }
  bool accept(std::string_view word) {
    skip();
    if (!left_.starts_with(word)) return false;
    left_.remove_prefix(word.size());
    return true;
  }
  void expect(std::string_view word) {
    if (!accept(word)) throw NoNumber{};
  }
  struct Deeper {
    explicit Deeper(int& depth) : depth_(depth) {
      if (++depth_ > kMostDepth) throw NoNumber{};
    }
    ~Deeper() { --depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    int& depth_;
  };

  Number choice() {
    const Deeper deeper(depth_);
    const Number condition = binary(0);
    if (!accept("?")) return condition;
    const Number yes = choice();
    expect(":");
    const Number no = choice();
    return condition.as_real() != 0 ? yes : no;
  }

  struct Operator {
    std::string_view text;
    int level;
  };
  /// Longer ones first, so that none is taken for a part of another.
  static constexpr Operator kOperators[] = {{"||", 0}, {"&&", 1}, {"==", 5}, {"!=", 5}, {"<<", 7},
                                            {">>", 7}, {"<=", 6}, {">=", 6}, {"|", 2},  {"^", 3},
                                            {"&", 4},  {"<", 6},  {">", 6},  {"+", 8},  {"-", 8},
                                            {"*", 9},  {"/", 9},  {"%", 9}};
  static constexpr int kLevels = 10;

  Number binary(int level) {
    const Deeper deeper(depth_);
    if (level == kLevels) return unary();
    Number n = first_of(level);
    for (;;) {
      skip();
      const Operator* found = nullptr;
      for (const Operator& o : kOperators) {
        if (left_.starts_with(o.text)) {
          found = &o;
          break;
        }
      }
      if (!found || found->level < level) return n;
      left_.remove_prefix(found->text.size());
      n = apply(found->text, n, binary_right(found->level));
    }
  }
  /// Precedence climbing: what binds stronger than `level` is taken by the recursion.
  Number first_of(int) { return unary(); }
  Number binary_right(int level) { return binary(level + 1); }

  static Number apply(std::string_view op, const Number& a, const Number& b) {
    if (a.real || b.real) return apply_real(op, a.as_real(), b.as_real());
    const int64_t x = a.whole, y = b.whole;
    int64_t result = 0;
    bool overflow = false;
    if (op == "+")
      overflow = __builtin_add_overflow(x, y, &result);
    else if (op == "-")
      overflow = __builtin_sub_overflow(x, y, &result);
    else if (op == "*")
      overflow = __builtin_mul_overflow(x, y, &result);
    else if (op == "/" || op == "%") {
      if (y == 0 || (x == INT64_MIN && y == -1)) throw NoNumber{};
      result = op == "/" ? x / y : x % y;
    } else if (op == "<<" || op == ">>") {
      if (x < 0 || y < 0 || y > 62 || (op == "<<" && x > INT64_MAX >> y)) throw NoNumber{};
      result = op == "<<" ? x << y : x >> y;
    } else if (op == "&")
      result = x & y;
    else if (op == "|")
      result = x | y;
    else if (op == "^")
      result = x ^ y;
    else if (op == "&&")
      result = x && y;
    else if (op == "||")
      result = x || y;
    else
      result = compared(op, x, y);
    if (overflow) throw NoNumber{};
    return whole_of(result);
  }
  template <class T>
  static bool compared(std::string_view op, T x, T y) {
    if (op == "==") return x == y;
    if (op == "!=") return x != y;
    if (op == "<") return x < y;
    if (op == ">") return x > y;
    if (op == "<=") return x <= y;
    return x >= y;
  }
  static Number apply_real(std::string_view op, double x, double y) {
    if (op == "+") return real_of(x + y);
    if (op == "-") return real_of(x - y);
    if (op == "*") return real_of(x * y);
    if (op == "/") return real_of(x / y);
    if (op == "&&") return whole_of(x != 0 && y != 0);
    if (op == "||") return whole_of(x != 0 || y != 0);
    if (op == "%" || op == "<<" || op == ">>" || op == "&" || op == "|" || op == "^")
      throw NoNumber{};
    return whole_of(compared(op, x, y));
  }

  Number unary() {
    const Deeper deeper(depth_);
    skip();
    if (left_.empty()) throw NoNumber{};
    if (accept("-")) {
      const Number n = unary();
      if (n.real) return real_of(-n.value);
      if (n.whole == INT64_MIN) throw NoNumber{};
      return whole_of(-n.whole);
    }
    if (accept("+")) return unary();
    if (accept("~")) {
      const Number n = unary();
      if (n.real) throw NoNumber{};
      return whole_of(~n.whole);
    }
    if (accept("!")) return whole_of(unary().as_real() == 0);
    if (left_[0] == '(') return brackets();
    if (std::isdigit(static_cast<unsigned char>(left_[0])) || left_[0] == '.') return literal();
    if (is_word(left_[0])) return word();
    throw NoNumber{};
  }

  /// `(int)x`, `(a, b)` is none; else an expression.
  Number brackets() {
    const size_t close = left_.find(')');
    if (close != left_.npos) {
      if (const ValueType* type = type_named(left_.substr(1, close - 1))) {
        left_.remove_prefix(close + 1);
        return cast(*type, unary());
      }
    }
    expect("(");
    const Number n = choice();
    expect(")");
    return n;
  }

  static const ValueType* type_named(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    if (text.starts_with("const ")) text.remove_prefix(6);
    if (text.starts_with("std::")) text.remove_prefix(5);
    return value_type_of_cpp(text);
  }

  static Number cast(const ValueType& type, const Number& n) {
    if (type.is_real()) return real_of(n.as_real());
    const int64_t whole = n.real ? static_cast<int64_t>(n.value) : n.whole;
    const int bits = static_cast<int>(type.bytes) * 8;
    if (bits < 64) {
      const int64_t high = (int64_t{1} << bits) - 1;
      if (whole > high || whole < -(high / 2) - 1) throw NoNumber{};
    }
    return whole_of(whole);
  }

  Number literal() {
    size_t end = 0;
    const bool hex = left_.starts_with("0x") || left_.starts_with("0X");
    while (end < left_.size() && (is_word(left_[end]) || left_[end] == '.' || left_[end] == '\''))
      ++end;
    std::string text;
    for (const char c : left_.substr(0, end)) {
      if (c != '\'') text += c;
    }
    left_.remove_prefix(end);
    if (!hex && text.find_first_of(".eE") != text.npos) {
      char* stop = nullptr;
      const double value = std::strtod(text.c_str(), &stop);
      const std::string_view suffix = stop;
      if (!suffix.empty() && suffix != "f" && suffix != "F") throw NoNumber{};
      return real_of(value);
    }
    const int base = hex ? 16 : text.size() > 1 && text[0] == '0' ? 8 : 10;
    int64_t value = 0;
    const char* begin = text.data() + (hex ? 2 : 0);
    const char* stop_at = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, stop_at, value, base);
    if (error != std::errc() || stop == begin) throw NoNumber{};
    for (const char* c = stop; c != stop_at; ++c) {
      if (*c != 'u' && *c != 'U' && *c != 'l' && *c != 'L') throw NoNumber{};
    }
    return whole_of(value);
  }

  std::string_view take_word() {
    size_t end = 0;
    while (end < left_.size() && (is_word(left_[end]) || left_.substr(end).starts_with("::"))) {
      end += is_word(left_[end]) ? 1 : 2;
    }
    const std::string_view word = left_.substr(0, end);
    left_.remove_prefix(end);
    return word;
  }

  Number word() {
    std::string_view name = take_word();
    if (name == "static_cast") {
      expect("<");
      const size_t close = left_.find('>');
      if (close == left_.npos) throw NoNumber{};
      const ValueType* type = type_named(left_.substr(0, close));
      if (!type) throw NoNumber{};
      left_.remove_prefix(close + 1);
      skip();
      if (left_.empty() || left_[0] != '(') throw NoNumber{};
      return cast(*type, unary());
    }
    if (name == "sizeof") {
      expect("(");
      const size_t close = left_.find(')');
      if (close == left_.npos) throw NoNumber{};
      const ValueType* type = type_named(left_.substr(0, close));
      if (!type) throw NoNumber{};
      left_.remove_prefix(close + 1);
      return whole_of(type->bytes);
    }
    if (name.starts_with("std::")) name.remove_prefix(5);
    skip();
    const bool call = !left_.empty() && left_[0] == '(';
    if (call) return function(name);
    if (name == "true" || name == "false") return whole_of(name == "true");
    const auto found = names_.find(name);
    if (found == names_.end()) throw NoNumber{};
    return whole_of(found->second);
  }

  Number function(std::string_view name) {
    expect("(");
    const Number first = choice();
    if (const ValueType* type = type_named(name)) {  // int(x)
      expect(")");
      return cast(*type, first);
    }
    if (name == "min" || name == "max") {
      expect(",");
      const Number second = choice();
      expect(")");
      const bool first_is_less = first.as_real() < second.as_real();
      return first_is_less == (name == "min") ? first : second;
    }
    expect(")");
    const bool up = name == "ceil" || name == "ceilf", down = name == "floor" || name == "floorf";
    if (!up && !down) throw NoNumber{};
    return real_of(up ? std::ceil(first.as_real()) : std::floor(first.as_real()));
  }

  std::string_view left_;
  const Names& names_;
  int depth_ = 0;
};

}  // namespace

std::optional<int64_t> evaluate(std::string_view text, const Names& names) {
  constexpr size_t kLongest = 4096;
  if (text.size() > kLongest) return std::nullopt;
  try {
    const Number n = Evaluator(text, names).all();
    return n.real ? static_cast<int64_t>(n.value) : n.whole;
  } catch (const NoNumber&) {
    return std::nullopt;
  }
}

}  // namespace tilescope::sheet
