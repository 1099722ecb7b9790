// What counts as an include in a text: none that a compiler finds is missed.
#include <gtest/gtest.h>

#include <chrono>

#include "worker/engine/compile/include_limits.h"
#include "worker/engine/compile/include_names.h"

namespace tilescope::worker {
namespace {

/// "q:name" of "name", "a:name" of <name>, "c:words" of what a macro names.
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  for (const NamedInclude& one : include_names(text)) {
    names.push_back(std::string(1, "qac"[static_cast<int>(one.form)]) + ":" + one.name);
  }
  return names;
}
using Names = std::vector<std::string>;

TEST(IncludeNames, OfOrdinaryText) {
  EXPECT_EQ(names_in("#pragma once\n#include <cstdint>\n\n#include \"core/a.h\"\n"
                     "  #  include \"b.h\"  // of b\n#define C 1\nint main() {}\n"),
            (Names{"a:cstdint", "q:core/a.h", "q:b.h"}));
  EXPECT_EQ(names_in("#include \"a\"\r\n#include \"b\""), (Names{"q:a", "q:b"}));
  EXPECT_EQ(names_in(""), Names());
  EXPECT_EQ(names_in("#"), Names());
  EXPECT_EQ(names_in("#include"), Names());
  EXPECT_EQ(names_in("\\"), Names());
}

TEST(IncludeNames, OfProseThereAreNone) {
  EXPECT_EQ(names_in("// Use #include \"a.h\" here.\n/* or #include <b> */ int a = 5 % 3;\n"
                     " * #include \"c.h\"\nf(\"#include \\\"d.h\\\"\");\n#error include \"e.h\"\n"
                     "#ifdef __has_include\n#if defined(__has_include) || defined __has_include\n"
                     "my__has_include(\"f.h\")\n__has_include_of_mine(\"g.h\")\n"),
            Names());
}

TEST(IncludeNames, HoweverTheyAreWritten) {
  const Names one = {"q:a.h"};
  for (const std::string text :
       {"#inc\\\nlude \"a.h\"\n", "#\\\r\ninclude \"a.h\"\n", "#include \"a\\\n.h\"\n",
        "/* */ #include \"a.h\"\n", "/*\n*/#include \"a.h\"\n", "# /* \n */ include \"a.h\"\n",
        "#include/**/\"a.h\"\n", "%:include \"a.h\"\n", "\v\f#include\t\"a.h\"\n",
        "#include_next \"a.h\"\n", "#embed \"a.h\"\n", "#import \"a.h\"\n",
        "#if 0\n#include \"a.h\"\n#endif\n", "/*\n#include \"a.h\"\n*/\n",
        "R\"(\n#include \"a.h\"\n)\"\n", "#if __has_include(\"a.h\")\n",
        "#if __has_include /* */ (\n \"a.h\")\n", "__has_include // why\n(\"a.h\")\n",
        "#if __has_embed(\"a.h\")\n"}) {
    EXPECT_EQ(names_in(text), one) << text;
  }
}

TEST(IncludeNames, WhatMacrosNameIsTold) {
  EXPECT_EQ(names_in("#include NAME  // a\n"), Names{"c:NAME  // a"});
  EXPECT_EQ(names_in("#include \"open\n"), Names{"c:\"open"});
  EXPECT_EQ(names_in("#if __has_include(NAME)\n"), Names{"c:NAME"});
  EXPECT_EQ(names_in("#define HAS __has_include\n"), Names{"c:__has_include"});
  EXPECT_EQ(names_in("#define ifdef __has_include\n"), Names{"c:__has_include"});
}

// A name that only seems to begin in a comment does not hide the one behind it.
TEST(IncludeNames, NoneHidesAnother) {
  const Names names = names_in("/*\n#include \"*/ #include \"b.h\"\n");
  EXPECT_NE(std::find(names.begin(), names.end(), "q:b.h"), names.end());
  EXPECT_EQ(names_in("#include \"a\" /* \"*/\n#include \"b\"\n#if __has_include(<c>)\n"),
            (Names{"q:a", "q:b", "a:c"}));
}

// A text that is made to be slow: of each, a megabyte in well under a second.
TEST(IncludeNames, AnyTextIsLookedThroughSoon) {
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string part : {"#/*\n", "*/#include x", "*/#include \"", "#/*\n#/* */",
                                 "__has_include", "__has_include(", "__has_include//", "#include\"",
                                 "\\\n", "%:", "# ", "/*", "#if\n", "(", "#include <a>\n"}) {
    std::string text;
    while (text.size() < 1'000'000) text += part;
    EXPECT_LE(include_names(text).size(), 4 * kMostIncludes) << part;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took.count(), 60);
}

}  // namespace
}  // namespace tilescope::worker
