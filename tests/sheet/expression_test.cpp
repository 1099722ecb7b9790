// Expressions against a tree that is computed beside them.
#include "core/sheet/expression.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/sheet/random_signature.h"

namespace tilescope::sheet {
namespace {

TEST(Expression, AsTheyStandInLaunches) {
  const Names names = {{"M", 1000}, {"N", 256}};
  EXPECT_EQ(evaluate("((M) + (32)-1) / (32)", names), 32);
  EXPECT_EQ(evaluate("(N+31)/32*32", names), 256);
  EXPECT_EQ(evaluate("2 * sizeof(float) * 64u * 8", names), 4096);
  EXPECT_EQ(evaluate("static_cast<int>(ceil(M / 64.0f))", names), 16);
  EXPECT_EQ(evaluate("(unsigned int)ceilf((float)M / 32)", names), 32);
  EXPECT_EQ(evaluate("int(7.9) + std::min(3, 0x10) % 2", names), 8);
  EXPECT_EQ(evaluate("M > 512 ? 1 << 4 : 8", names), 16);
  EXPECT_EQ(evaluate("1'000 - -1", names), 1001);
  EXPECT_EQ(evaluate("0x80 | 1 & 3 ^ 2", names), 0x80 | ((1 & 3) ^ 2));
  for (const char* open :
       {"", "M +", "P", "1/0", "x()", "(1", "1)", "1 2", "9223372036854775807 + 1", "1 << 70",
        "f(1)", "sizeof(Foo)", "\"a\"", "a.b", "1..2"}) {
    EXPECT_EQ(evaluate(open, names), std::nullopt) << open;
  }
  EXPECT_EQ(evaluate(std::string(3000, '('), names), std::nullopt);
  EXPECT_EQ(evaluate(std::string(100000, '1'), names), std::nullopt);
}

struct Tree {
  std::string text;
  std::optional<int64_t> value;
};

Tree random_tree(std::mt19937& random, int depth) {
  if (depth == 0 || pick(random, 0, 4) == 0) {
    const int n = pick(random, 0, 300);
    if (n < 50) return {"M", 1000};
    return {std::to_string(n), n};
  }
  const Tree a = random_tree(random, depth - 1), b = random_tree(random, depth - 1);
  const char* operators[] = {"+", "-", "*", "/", "%", "<", "==", "&", "|"};
  const int which = pick(random, 0, 8);
  Tree out{"(" + a.text + " " + operators[which] + " " + b.text + ")", {}};
  if (!a.value || !b.value) return out;
  const int64_t x = *a.value, y = *b.value;
  int64_t result = 0;
  bool good = true;
  switch (which) {
    case 0:
      good = !__builtin_add_overflow(x, y, &result);
      break;
    case 1:
      good = !__builtin_sub_overflow(x, y, &result);
      break;
    case 2:
      good = !__builtin_mul_overflow(x, y, &result);
      break;
    case 3:
      good = y != 0;
      if (good) result = x / y;
      break;
    case 4:
      good = y != 0;
      if (good) result = x % y;
      break;
    case 5:
      result = x < y;
      break;
    case 6:
      result = x == y;
      break;
    case 7:
      result = x & y;
      break;
    default:
      result = x | y;
  }
  if (good) out.value = result;
  return out;
}

TEST(Expression, RandomOnesHaveTheirValue) {
  const unsigned seed = 4242;
  std::mt19937 random(seed);
  int known = 0;
  for (int i = 0; i < 20000; ++i) {
    const Tree tree = random_tree(random, 5);
    ASSERT_EQ(evaluate(tree.text, {{"M", 1000}}), tree.value) << tree.text;
    known += tree.value.has_value();
  }
  EXPECT_GT(known, 5000);
}

TEST(Expression, AnyTextHasAValueOrNone) {
  const unsigned seed = 11;
  std::mt19937 random(seed);
  const std::string pieces[] = {"(",
                                ")",
                                "+",
                                "-",
                                "*",
                                "/",
                                "1",
                                "M",
                                " ",
                                "<<",
                                "?",
                                ":",
                                "sizeof",
                                "min",
                                ",",
                                "int",
                                "0x",
                                "1e9",
                                "static_cast<",
                                ">",
                                "::",
                                "\x80"};
  for (int i = 0; i < 50000; ++i) {
    std::string text;
    for (int n = pick(random, 0, 12); n > 0; --n) text += pieces[pick(random, 0, 21)];
    evaluate(text, {{"M", INT64_MAX}});
  }
}

}  // namespace
}  // namespace tilescope::sheet
