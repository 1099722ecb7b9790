#include "worker/engine/emulate/origin_words.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/model/format.h"
#include "worker/engine/compile/kernel_lines.h"

namespace tilescope::worker {
namespace {

using emulator::Products;
using emulator::Value;

constexpr size_t kMostRuns = 4;    // that are named
constexpr size_t kMostBoxes = 64;  // that are lit
const std::string kPartOf = "a part of ";

std::string grouped(uint64_t n) { return model::grouped(static_cast<long long>(n)); }

/// One factor of a run of products: `count` elements of one matrix, equally far apart.
struct Line {
  bool part = false;  // of each element
  Element first, last;
  Coord step;  // from one to the next
  bool straight = true;
};

class Words {
 public:
  Words(const Matrices& matrices, const InstructionLines& lines, const std::string& file,
        OriginResult& result)
      : matrices_(matrices), lines_(lines), file_(file), result_(result) {}

  std::string text_of(const Value& v) {
    switch (v.kind) {
      case Value::Kind::none:
        return "no element of a matrix (a constant, an index or zero-fill)";
      case Value::Kind::unknown:
        return "more than is followed";
      case Value::Kind::element: {
        const Element e = matrices_.element(v.origin);
        if (e) light({e.matrix, e.at.row, e.at.col, 1, 1});
        way(name_of(e), v.way);
        if (!e) return "an element of another buffer";
        return (v.origin.part ? kPartOf : "") + text_of(e);
      }
      case Value::Kind::sum:
        return sum_text(v);
      case Value::Kind::expression: {
        std::string parts;
        for (const Value& part : v.parts) {
          if (part.kind == Value::Kind::none) continue;  // alpha, beta
          parts += (parts.empty() ? "" : " and ") + text_of(part);
        }
        return v.opcode + " of " + (parts.empty() ? "constants" : parts);
      }
    }
    return {};
  }

  /// Why a sum can be no part of A·B, or of its element that was expected, and the PTX line that
  /// read it so: the last that an element passed before it was multiplied, or the product's own
  /// where that does not tell which of the two is wrong. Empty if it can.
  struct Wrong {
    std::string sentence;
    int ptx_line = 0;
  };
  Wrong judge(const Value& v, const Expected& expected) {
    Coord c = expected.c;
    const auto last = [&v](const std::vector<int>& way) {
      return way.empty() ? v.ptx_line : way.back();
    };
    // [first, end) of k: of elements, and of their parts, each with the whole other or its part.
    std::array<std::vector<std::pair<int, int>>, 4> covered;
    for (const Products& p : v.products) {
      Line a = line_of(p.a, p.a_step, p.count), b = line_of(p.b, p.b_step, p.count);
      int read_a = last(p.a_way), read_b = last(p.b_way);
      bool a_ascends = v.a_ascends, b_ascends = v.b_ascends;
      if (a.first && a.first.matrix == matrices_.b && a.first.matrix != matrices_.a) {
        std::swap(a, b), std::swap(read_a, read_b), std::swap(a_ascends, b_ascends);
      }
      if (a.first.matrix != matrices_.a || b.first.matrix != matrices_.b) {
        return {"It multiplies " + line_text(a, p.count) + " by " + line_text(b, p.count) + ".",
                a.first.matrix == matrices_.a ? read_b : read_a};
      }
      if (!a.straight || !b.straight || a.step.row != 0 || b.step.col != 0) {
        return {"It leaves its row or column: " + line_text(a, p.count) + " · " +
                    line_text(b, p.count) + ".",
                !a.straight || a.step.row != 0 ? read_a : read_b};
      }
      if (c.row < 0) c = {a.first.at.row, b.first.at.col};
      if (a.first.at.row != c.row) {
        return {"Row " + grouped_int(c.row) + " of A belongs here, and it is row " +
                    grouped_int(a.first.at.row) + ".",
                read_a};
      }
      if (b.first.at.col != c.col) {
        return {"Column " + grouped_int(c.col) + " of B belongs here, and it is column " +
                    grouped_int(b.first.at.col) + ".",
                read_b};
      }
      if (a.first.at.col != b.first.at.row || a.step.col != b.step.row) {
        // Whoever goes along k as loops do is not the one that leaves it.
        return {"Column " + grouped_int(a.first.at.col) + " of A meets row " +
                    grouped_int(b.first.at.row) + " of B; the two must be the same k.",
                a_ascends == b_ascends ? v.ptx_line
                : a_ascends            ? read_b
                                       : read_a};
      }
      const int k = a.first.at.col, d = a.step.col;
      auto& of = covered[(a.part ? 1u : 0u) + (b.part ? 2u : 0u)];
      if (p.count == 1 || d == 1) {
        of.emplace_back(k, k + static_cast<int>(p.count));
      } else {
        for (uint64_t i = 0; i < p.count; ++i) {
          const int at = k + static_cast<int>(i) * d;
          of.emplace_back(at, at + 1);
        }
      }
    }
    for (auto& of : covered) {
      if (of.empty() && &of != &covered[0]) continue;
      if (std::string wrong = coverage(of, expected); !wrong.empty()) return {wrong, v.ptx_line};
    }
    return {};
  }

  void way(const std::string& of, const std::vector<int>& ptx_lines) {
    OriginResult::Way way;
    way.of = of;
    for (const int line : ptx_lines) way.steps.push_back(step(line));
    if (way.steps.empty()) return;
    // Unrolled loops have the same way in several copies: one of them will do.
    const auto same = [&way](const OriginResult::Way& other) {
      return other.of == way.of &&
             std::equal(other.steps.begin(), other.steps.end(), way.steps.begin(), way.steps.end(),
                        [](const OriginResult::Step& x, const OriginResult::Step& y) {
                          return x.opcode == y.opcode &&
                                 (x.line > 0 ? x.line == y.line : x.ptx_line == y.ptx_line);
                        });
    };
    if (std::none_of(result_.ways.begin(), result_.ways.end(), same)) {
      result_.ways.push_back(std::move(way));
    }
  }
  OriginResult::Step step(int ptx_line) const {
    const emulator::Instruction* in = lines_.at(ptx_line);
    return {ptx_line, line_told(matrices_.program, ptx_line, file_), in ? in->opcode : ""};
  }

 private:
  std::string name_of(const Element& e) const {
    return e ? matrices_.names.at(static_cast<size_t>(e.matrix)) : "";
  }
  std::string text_of(const Element& e) const { return matrices_.text(e); }
  static std::string grouped_int(int n) { return grouped(static_cast<uint64_t>(n)); }

  std::string coverage(std::vector<std::pair<int, int>>& covered, const Expected& expected) const {
    const bool whole = expected.whole;
    const int end_of_k = expected.k > 0 ? expected.k : matrices_.k;
    std::sort(covered.begin(), covered.end());
    int next = 0;
    for (const auto& [first, end] : covered) {
      if (first < next) return "k = " + grouped_int(first) + " is added more than once.";
      if (whole && first > next) return "k = " + grouped_int(next) + " is missing.";
      next = end;
    }
    if (whole && next < end_of_k) return "k = " + grouped_int(next) + " is missing.";
    return {};
  }

  Line line_of(emulator::Origin origin, int64_t step, uint64_t count) const {
    Line line;
    line.part = origin.part;
    line.first = line.last = matrices_.element(origin);
    if (!line.first || count < 2) return line;
    const auto at = [&](uint64_t i) {
      emulator::Origin o = origin;
      o.offset =
          static_cast<uint64_t>(static_cast<int64_t>(o.offset) + static_cast<int64_t>(i) * step);
      return matrices_.element(o);
    };
    line.last = at(count - 1);
    const Coord second = at(1).at;
    line.step = {second.row - line.first.at.row, second.col - line.first.at.col};
    const auto n = static_cast<int>(count - 1);
    line.straight = line.last.at == line.first.at + Coord{n * line.step.row, n * line.step.col};
    return line;
  }

  std::string line_text(const Line& line, uint64_t count) {
    if (!line.first) return "no element";
    const auto range = [&](int first, int last, int step) {
      if (first == last) return grouped_int(first);
      return grouped_int(first) + "…" + grouped_int(last) +
             (step == 1 ? "" : " by " + std::to_string(step));
    };
    const std::string part = line.part ? kPartOf : "";
    if (count == 1) return part + text_of(line.first);
    if (!line.straight) {
      return part + text_of(line.first) + " … " + text_of(line.last);
    }
    return part + name_of(line.first) + "[" +
           range(line.first.at.row, line.last.at.row, line.step.row) + ", " +
           range(line.first.at.col, line.last.at.col, line.step.col) + "]";
  }

  void light_line(const Line& line, uint64_t count) {
    if (!line.first) return;
    const Coord a = line.first.at, b = line.last.at;
    const bool dense =
        line.straight && count > 1 && (line.step == Coord{0, 1} || line.step == Coord{1, 0});
    if (count == 1 || dense) {
      light({line.first.matrix, a.row, a.col, b.row - a.row + 1, b.col - a.col + 1});
      return;
    }
    light({line.first.matrix, a.row, a.col, 1, 1});
    light({line.last.matrix, b.row, b.col, 1, 1});
  }
  void light(const TouchedBox& box) {
    if (result_.boxes.size() < kMostBoxes) result_.boxes.push_back(box);
  }

  std::string sum_text(const Value& v) {
    std::string text;
    for (const Value& part : v.parts) {
      if (part.kind == Value::Kind::none) continue;
      text += text_of(part) + " + ";
    }
    uint64_t terms = 0;
    size_t runs = 0;
    for (const Products& p : v.products) {
      const Line a = line_of(p.a, p.a_step, p.count), b = line_of(p.b, p.b_step, p.count);
      if (b.first) terms += p.count;  // else elements alone, as they are or scaled
      light_line(a, p.count);
      if (b.first) light_line(b, p.count);
      way(name_of(a.first), p.a_way);
      if (b.first) way(name_of(b.first), p.b_way);
      if (++runs > kMostRuns) continue;
      if (runs > 1) text += " + ";
      text += line_text(a, p.count);
      if (b.first) text += " · " + line_text(b, p.count);
    }
    if (runs > kMostRuns) text += " + " + grouped(runs - kMostRuns) + " more";
    result_.terms += terms;
    if (terms == 0) return text;
    return text + (terms == 1 ? ", one product" : ", " + grouped(terms) + " products");
  }

  const Matrices& matrices_;
  const InstructionLines& lines_;
  const std::string& file_;
  OriginResult& result_;
};

const char* kind_name(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::none:
      return "none";
    case Value::Kind::element:
      return "element";
    case Value::Kind::sum:
      return "sum";
    case Value::Kind::expression:
      return "expression";
    case Value::Kind::unknown:
      return "unknown";
  }
  return "";
}

/// The one sum inside, through scaling by alpha and the addition of beta · C.
const Value* sum_in(const Value& v) {
  if (v.kind == Value::Kind::sum) {
    const bool is_product = std::any_of(v.products.begin(), v.products.end(),
                                        [](const Products& p) { return static_cast<bool>(p.b); });
    if (is_product) return &v;
  }
  const Value* found = nullptr;
  for (const Value& part : v.parts) {
    const Value* sum = sum_in(part);
    if (sum && found) return nullptr;
    if (sum) found = sum;
  }
  return found;
}

}  // namespace

std::string Matrices::text(const Element& e) const {
  if (!e) return "no element";
  return names.at(static_cast<size_t>(e.matrix)) + "[" + grouped(static_cast<uint64_t>(e.at.row)) +
         ", " + grouped(static_cast<uint64_t>(e.at.col)) + "]";
}

Matrices matrices_of(const EmulatedGemm& gemm) {
  return {*gemm.program,
          {"A", "B", "C"},
          [&gemm](emulator::Origin origin) { return element_of(gemm, origin); },
          0,
          1,
          gemm.problem.k};
}

namespace {

emulator::Origin moved(emulator::Origin origin, int64_t by) {
  origin.offset = static_cast<uint64_t>(static_cast<int64_t>(origin.offset) + by);
  return origin;
}

/// The emulator follows two bytes at a time: of elements of one byte a product of two such pairs,
/// both of which run along k, is two products. A line of odd length ends with half a pair.
Value each_byte(Value v, const EmulatedGemm& gemm) {
  for (Value& part : v.parts) part = each_byte(std::move(part), gemm);
  for (Products& p : v.products) {
    constexpr int kPair = 2;
    if (!p.b || (p.count > 1 && (p.a_step != kPair || p.b_step != kPair))) continue;
    p.a_step = p.b_step = 1, p.count *= kPair;
    const auto last = static_cast<int64_t>(p.count) - 1;
    const Element first = element_of(gemm, p.a), end = element_of(gemm, moved(p.a, last));
    const bool is_a = first.matrix == static_cast<int>(Operand::a);
    if (end.matrix != first.matrix ||
        (is_a ? end.at.row != first.at.row : end.at.col != first.at.col)) {
      --p.count;
    }
  }
  return v;
}

/// Without the products of zeros around packed operands, which end a run along k.
Value without_padding(Value v, const EmulatedGemm& gemm) {
  if (v.kind == Value::Kind::element && is_padding(gemm, v.origin)) return {};
  for (Value& part : v.parts) part = without_padding(std::move(part), gemm);
  for (Products& p : v.products) {
    const auto padded = [&](uint64_t i) {
      const auto n = static_cast<int64_t>(i);
      return is_padding(gemm, moved(p.a, n * p.a_step)) ||
             is_padding(gemm, moved(p.b, n * p.b_step));
    };
    while (p.count > 0 && padded(p.count - 1)) --p.count;
  }
  std::erase_if(v.products, [](const Products& p) { return p.count == 0; });
  return v;
}

}  // namespace

bool followed(const Value& v) {
  return v.kind != Value::Kind::unknown && std::ranges::all_of(v.parts, followed);
}

void put_into_words(const Value& value, const Matrices& matrices, const InstructionLines& lines,
                    const std::string& file, const Expected& expected, OriginResult& result) {
  Words words(matrices, lines, file, result);
  result.kind = kind_name(value.kind);
  result.text = words.text_of(value);
  const Value* sum = sum_in(value);
  if (sum && sum->ptx_line > 0) words.way("", {sum->ptx_line});
  if (matrices.a < 0) return;  // nobody knows what belongs there
  if (sum) {
    Expected here = expected;
    here.whole = expected.whole && followed(value);
    const Words::Wrong wrong = words.judge(*sum, here);
    result.wrong = wrong.sentence;
    if (!wrong.sentence.empty() && wrong.ptx_line > 0) {
      const OriginResult::Step at = words.step(wrong.ptx_line);
      result.wrong_line = at.line, result.wrong_ptx_line = at.ptx_line;
    }
  } else if (expected.whole && followed(value)) {
    result.wrong = "No product of A and B has reached it.";
  }
}

void put_into_words(const Value& given, const EmulatedGemm& gemm, const InstructionLines& lines,
                    const std::string& file, const Expected& expected, OriginResult& result) {
  Value value = element_bytes(gemm.problem.type_a) == 1 ? each_byte(given, gemm) : given;
  if (gemm.pass) value = without_padding(std::move(value), gemm);
  put_into_words(value, matrices_of(gemm), lines, file, expected, result);
}

}  // namespace tilescope::worker
