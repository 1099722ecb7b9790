// What counts as an include in a text: none that a compiler finds is missed.
#include <gtest/gtest.h>

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
using Written = std::vector<std::string>;

TEST(IncludeNames, OfOrdinaryText) {
  EXPECT_EQ(names_in("#pragma once\n#include <cstdint>\n\n#include \"core/one\"\n"
                     "  #  include \"b.h\"  // of b\n#define C 1\nint main() {}\n"),
            (Written{"a:cstdint", "q:core/one", "q:b.h"}));
  EXPECT_EQ(names_in("#include \"a\"\r\n#include \"b\""), (Written{"q:a", "q:b"}));
  EXPECT_EQ(names_in(""), Written());
  EXPECT_EQ(names_in("#"), Written());
  EXPECT_EQ(names_in("#include"), Written());
  EXPECT_EQ(names_in("\\"), Written());
}

TEST(IncludeNames, OfProseThereAreNone) {
  EXPECT_EQ(names_in("// Use #include \"one\" here.\n/* or #include <b> */ int a = 5 % 3;\n"
                     " * #include \"c.h\"\nf(\"#include \\\"d.h\\\"\");\n#error include \"e.h\"\n"
                     "#ifdef __has_include\n#if defined(__has_include) || defined __has_include\n"
                     "my__has_include(\"f.h\")\n__has_include_of_mine(\"g.h\")\n"),
            Written());
}

TEST(IncludeNames, HoweverTheyAreWritten) {
  const Written one = {"q:one"};
  for (const std::string text :
       {"#inc\\\nlude \"one\"\n", "#\\\r\ninclude \"one\"\n", "#include \"o\\\nne\"\n",
        "/* */ #include \"one\"\n", "/*\n*/#include \"one\"\n", "# /* \n */ include \"one\"\n",
        "#include/**/\"one\"\n", "%:include \"one\"\n", "\v\f#include\t\"one\"\n",
        "#include_next \"one\"\n", "#embed \"one\"\n", "#import \"one\"\n",
        "#if 0\n#include \"one\"\n#endif\n", "/*\n#include \"one\"\n*/\n",
        "R\"(\n#include \"one\"\n)\"\n", "#if __has_include(\"one\")\n",
        "#if __has_include /* */ (\n \"one\")\n", "__has_include // why\n(\"one\")\n",
        "#if __has_embed(\"one\")\n"}) {
    EXPECT_EQ(names_in(text), one) << text;
  }
}

TEST(IncludeNames, WhatMacrosNameIsTold) {
  EXPECT_EQ(names_in("#include NAME  // a\n"), Written{"c:NAME  // a"});
  EXPECT_EQ(names_in("#include \"open\n"), Written{"c:\"open"});
  EXPECT_EQ(names_in("#if __has_include(NAME)\n"), Written{"c:NAME"});
  EXPECT_EQ(names_in("#define HAS __has_include\n"), Written{"c:__has_include"});
  EXPECT_EQ(names_in("#define ifdef __has_include\n"), Written{"c:__has_include"});
}

// A name that only seems to begin in a comment does not hide the one behind it.
TEST(IncludeNames, NoneHidesAnother) {
  const Written names = names_in("/*\n#include \"*/ #include \"b.h\"\n");
  EXPECT_NE(std::find(names.begin(), names.end(), "q:b.h"), names.end());
  EXPECT_EQ(names_in("#include \"a\" /* \"*/\n#include \"b\"\n#if __has_include(<c>)\n"),
            (Written{"q:a", "q:b", "a:c"}));
}

// A text that is made to be slow: of each, a megabyte in well under a second.
// Where each place were looked at from each other one, this would not end within the test's limit.
TEST(IncludeNames, AnyTextIsLookedThroughSoon) {
  for (const std::string part : {"#/*\n", "*/#include x", "*/#include \"", "#/*\n#/* */",
                                 "__has_include", "__has_include(", "__has_include//", "#include\"",
                                 "\\\n", "%:", "# ", "/*", "#if\n", "(", "#include <a>\n"}) {
    std::string text;
    while (text.size() < 1'000'000) text += part;
    EXPECT_LE(include_names(text).size(), 4 * kMostIncludes) << part;
  }
}

}  // namespace
}  // namespace tilescope::worker
