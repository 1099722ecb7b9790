// setp and set in all their forms: types, conditions, a second result, a third predicate, .ftz.
#include <cmath>
#include <functional>

#include "exact_reference.h"
#include "support.h"

namespace tilescope::emulator::test::compare_file {
namespace {

const std::vector<uint64_t> kBits = {0,      1,          2,          0x7fff,    0x8000,
                                     0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
const std::vector<uint64_t> kLongs = {0, 1, 0x7fffffffffffffff, 0x8000000000000000,
                                      0xffffffffffffffff};
const std::vector<uint64_t> kSingles = {bits(0.0f),      bits(-0.0f),      bits(1.0f),
                                        bits(-1.0f),     bits(0x1p-140f),  bits(-0x1p-140f),
                                        bits(HUGE_VALF), bits(-HUGE_VALF), bits(NAN)};
const std::vector<uint64_t> kDoubles = {bits(0.0),       bits(-0.0),        bits(1.0),
                                        bits(-2.5),      bits(0x1p-1074),   bits(HUGE_VAL),
                                        bits(-HUGE_VAL), bits(std::nan(""))};
const std::vector<uint64_t> kHalf = {0, 0x8000, 0x3c00, 0xbc00, 1, 0x7c00, 0xfc00, 0x7e00};
const std::vector<uint64_t> kBrain = {0, 0x8000, 0x3f80, 0xbf80, 1, 0x7f80, 0xff80, 0x7fc0};

/// As a long double, so that one comparison serves all types; NaN is unordered.
struct Type {
  const char* name;
  char letter;
  const std::vector<uint64_t>& values;
  std::function<long double(uint64_t)> value;
  bool real;
};
const Type kTypes[] = {
    {"s16", 'h', kBits, [](uint64_t v) -> long double { return static_cast<int16_t>(v); }, false},
    {"u16", 'h', kBits, [](uint64_t v) -> long double { return static_cast<uint16_t>(v); }, false},
    {"s32", 'r', kBits, [](uint64_t v) -> long double { return static_cast<int32_t>(v); }, false},
    {"u32", 'r', kBits, [](uint64_t v) -> long double { return static_cast<uint32_t>(v); }, false},
    {"b32", 'r', kBits, [](uint64_t v) -> long double { return static_cast<uint32_t>(v); }, false},
    {"s64", 'l', kLongs, [](uint64_t v) -> long double { return static_cast<int64_t>(v); }, false},
    {"u64", 'l', kLongs, [](uint64_t v) -> long double { return v; }, false},
    {"f32", 'f', kSingles, [](uint64_t v) -> long double { return as_float(v); }, true},
    {"f64", 'd', kDoubles, [](uint64_t v) -> long double { return as_double(v); }, true},
    {"f16", 'h', kHalf, [](uint64_t v) -> long double { return f16().value(v & 0xffff); }, true},
    {"bf16", 'h', kBrain, [](uint64_t v) -> long double { return bf16().value(v & 0xffff); },
     true}};

bool holds(const std::string& condition, long double a, long double b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  if (condition == "num") return !unordered;
  if (condition == "nan") return unordered;
  if (unordered) return condition.size() == 3;  // equ, neu, ltu, leu, gtu, geu
  const std::string c = condition.substr(0, 2);
  if (c == "eq") return a == b;
  if (c == "ne") return a != b;
  if (c == "lt" || c == "lo") return a < b;
  if (c == "le" || c == "ls") return a <= b;
  if (c == "gt" || c == "hi") return a > b;
  return a >= b;
}
std::vector<std::string> conditions_of(const Type& t) {
  std::vector<std::string> list = {"eq", "ne", "lt", "le", "gt", "ge"};
  if (t.real) list.insert(list.end(), {"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"});
  if (t.name[0] == 'u') list.insert(list.end(), {"lo", "ls", "hi", "hs"});
  if (t.name[0] == 'b' && !t.real) list = {"eq", "ne"};
  return list;
}
bool combine(const std::string& how, bool a, uint64_t c) {
  return how == ".and" ? a && c : how == ".or" ? a || c : how == ".xor" ? a != (c != 0) : a;
}

TEST(Compare, SetpInAllForms) {
  const std::vector<uint64_t> both = {0, 1};
  for (const Type& t : kTypes) {
    const std::string types = {t.letter, t.letter};
    for (const std::string& condition : conditions_of(t)) {
      auto is = [&](uint64_t a, uint64_t b) { return holds(condition, t.value(a), t.value(b)); };
      const std::string start = "setp." + condition, end = std::string(".") + t.name;
      sweep(start + end + " D, A, B;", "p" + types, {t.values, t.values},
            [&](uint64_t a, uint64_t b, uint64_t) { return uint64_t{is(a, b)}; });
      sweep("{ .reg .pred t; " + start + end + " t|D, A, B; }", "p" + types, {t.values, t.values},
            [&](uint64_t a, uint64_t b, uint64_t) { return uint64_t{!is(a, b)}; });
      for (const std::string how : {".and", ".or", ".xor"}) {
        sweep(start + how + end + " D, A, B, C;", "p" + types + "p", {t.values, t.values, both},
              [&](uint64_t a, uint64_t b, uint64_t c) {
                return uint64_t{combine(how, is(a, b), c)};
              });
        sweep("{ .reg .pred t; " + start + how + end + " t|D, A, B, !C; }", "p" + types + "p",
              {t.values, t.values, both}, [&](uint64_t a, uint64_t b, uint64_t c) {
                return uint64_t{combine(how, !is(a, b), !c)};
              });
      }
    }
  }
}

TEST(Compare, SetIntoRegisters) {
  const std::vector<uint64_t> both = {0, 1};
  for (const Type& t : kTypes) {
    const std::string types = {t.letter, t.letter};
    const bool half = t.real && t.letter == 'h';
    struct To {
      std::string name;
      char letter;
      uint64_t yes;
    };
    std::vector<To> results = {{"u32", 'r', 0xffffffff}, {"s32", 'r', 0xffffffff}};
    if (!half) results.push_back({"f32", 'f', bits(1.0f)});
    if (half) results.push_back({"u16", 'h', 0xffff});
    if (half) results.push_back({"s16", 'h', 0xffff});
    const bool brain = half && t.name[0] == 'b';
    if (!brain) results.push_back({"f16", 'h', 0x3c00});
    results.push_back({"bf16", 'h', 0x3f80});
    for (const std::string& condition : conditions_of(t)) {
      for (const To& to : results) {
        auto is = [&](uint64_t a, uint64_t b) { return holds(condition, t.value(a), t.value(b)); };
        const std::string end = "." + to.name + "." + t.name;
        sweep("set." + condition + end + " D, A, B;", to.letter + types, {t.values, t.values},
              [&](uint64_t a, uint64_t b, uint64_t) { return is(a, b) ? to.yes : 0; });
        sweep("set." + condition + ".xor" + end + " D, A, B, C;", to.letter + types + "p",
              {t.values, t.values, both}, [&](uint64_t a, uint64_t b, uint64_t c) {
                return is(a, b) != (c != 0) ? to.yes : 0;
              });
      }
    }
  }
}

TEST(Compare, PairsAndFlushing) {
  std::vector<uint64_t> pairs;
  for (size_t i = 0; i < kHalf.size(); ++i)
    pairs.push_back(kHalf[i] | kHalf[(i * 3 + 1) % kHalf.size()] << 16);
  auto low = [](uint64_t v) -> long double { return f16().value(v & 0xffff); };
  for (const std::string c : {"eq", "ne", "lt", "geu", "nan"}) {
    sweep("{ .reg .pred t; setp." + c + ".f16x2 D|t, A, B; }", "prr", {pairs, pairs},
          [&](uint64_t a, uint64_t b, uint64_t) { return uint64_t{holds(c, low(a), low(b))}; });
    sweep("{ .reg .pred t; setp." + c + ".f16x2 t|D, A, B; }", "prr", {pairs, pairs},
          [&](uint64_t a, uint64_t b, uint64_t) {
            return uint64_t{holds(c, low(a >> 16), low(b >> 16))};
          });
    sweep("set." + c + ".f16x2.f16x2 D, A, B;", "rrr", {pairs, pairs},
          [&](uint64_t a, uint64_t b, uint64_t) {
            return (holds(c, low(a), low(b)) ? 0x3c00u : 0u) |
                   (holds(c, low(a >> 16), low(b >> 16)) ? 0x3c000000ull : 0u);
          });
  }
  auto flushed = [](uint64_t v) -> long double {
    const float f = as_float(v);
    return std::fabs(f) < 0x1p-126f ? 0 : f;
  };
  sweep("setp.lt.ftz.f32 D, A, B;", "pff", {kSingles, kSingles},
        [&](uint64_t a, uint64_t b, uint64_t) { return uint64_t{flushed(a) < flushed(b)}; });
  sweep("set.lt.ftz.f16.f32 D, A, B;", "hff", {kSingles, kSingles},
        [&](uint64_t a, uint64_t b, uint64_t) { return flushed(a) < flushed(b) ? 0x3c00u : 0u; });
  EXPECT_FALSE(errors_of(kernel("set.lt.ftz.bf16.f32 %h1, %f1, %f2;")).empty());
  sweep(
      "setp.eq.and.ftz.f32 D, A, B, C;", "pffp", {kSingles, kSingles, {0, 1}},
      [&](uint64_t a, uint64_t b, uint64_t c) { return uint64_t{flushed(a) == flushed(b) && c}; });
}

}  // namespace
}  // namespace tilescope::emulator::test::compare_file
