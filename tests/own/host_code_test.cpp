// What is left of a CUDA C++ text without its host code.
#include "worker/engine/own/host_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "worker/engine/own/found_launches.h"

namespace tilescope::worker {
namespace {

DeviceCode filtered(const std::string& source) {
  const auto tokens = tokens_of(source);
  DeviceWords words;
  words.learn(tokens);
  return device_code(source, tokens, words);
}

/// What is left, without blank lines and blanks at ends.
std::string left_of(const std::string& source) {
  std::string out, line;
  for (const char c : filtered(source).text + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    while (line.ends_with(' ')) line.pop_back();
    if (!line.empty()) out += line + "\n";
    line.clear();
  }
  return out;
}

TEST(HostCode, FunctionsAndVariablesOfTheHostGo) {
  EXPECT_EQ(left_of("int n = 5;\nvoid f() { if (1) { g(); } }\n__device__ int d() { return 1; }\n"),
            "__device__ int d() { return 1; }\n");
  EXPECT_EQ(left_of("std::vector<int> v{1, 2};\nstatic float x[] = {1, 2};\nconst int N = 4;\n"),
            "const int N = 4;\n");
  EXPECT_EQ(left_of("template <typename T> void run(T a) { k<T><<<1, 2>>>(a); }\n"), "");
  EXPECT_EQ(left_of("template <int N> __global__ void k(float *a) {}\n"),
            "template <int N> __global__ void k(float *a) {}\n");
  EXPECT_EQ(left_of("constexpr int up(int a, int b) { return (a + b - 1) / b; }\n"),
            "constexpr int up(int a, int b) { return (a + b - 1) / b; }\n");
  EXPECT_EQ(left_of("Foo::Foo(int a) : x(a), y{b} { z(); }\nint after;\nenum E { one };\n"),
            "enum E { one };\n");
  EXPECT_EQ(left_of("struct P f(int a) { return {}; }\nstruct P { int a; };\n"),
            "struct P { int a; };\n");
  EXPECT_EQ(left_of("struct Timer { cudaEvent_t a; };\nclass V { std::vector<int> v; };\n"), "");
  EXPECT_EQ(
      left_of("auto f = [](int a) { return a; };\nauto g = [] __device__ (int a) { return a; };"),
      "auto g = [] __device__ (int a) { return a; };\n");
}

TEST(HostCode, ListsOfTemplatesMayCompare) {
  const std::string array = "template <class T, bool B = size<T>::value >= 32>\nstruct Array;\n";
  EXPECT_EQ(left_of(array), array);
  const std::string less = "template <int N, bool B = (N > 3)>\nstruct Less { int x; };\n";
  EXPECT_EQ(left_of(less + "int gone() { return 1; }\n"), less);
}

TEST(HostCode, NamespacesAreLookedInto) {
  EXPECT_EQ(left_of("namespace a::b {\nvoid f() {}\nextern \"C\" {\n__global__ void k() {}\nint "
                    "h();\n}\n}\n"),
            "namespace a::b {\nextern \"C\" {\n__global__ void k() {}\n}\n}\n");
  const DeviceCode code = filtered("namespace a { namespace { __global__ void k(); } }");
  ASSERT_EQ(code.kernels.size(), 1u);
  EXPECT_EQ(code.kernels[0].name, "a::k");
}

TEST(HostCode, MacrosThatMeanDeviceAreKnown) {
  EXPECT_EQ(
      left_of(
          "#define HD __host__ __device__\n#define INLINE HD inline\nINLINE int f() { return 1; }\n"
          "int g() { return 2; }\n"),
      "#define HD __host__ __device__\n#define INLINE HD inline\nINLINE int f() { return 1; }\n");
  // What types are made by stays, whatever it is called.
  EXPECT_EQ(left_of("#define MY_CONSTEXPR constexpr\ntemplate <int N> MY_CONSTEXPR auto pick() { "
                    "return N; }\nauto other() { return 1; }\n"),
            "#define MY_CONSTEXPR constexpr\ntemplate <int N> MY_CONSTEXPR auto pick() { return N; "
            "}\n");
  EXPECT_EQ(left_of("MAKE_KERNEL(f, 128)\nint main() {}\n"), "MAKE_KERNEL(f, 128)\n");
}

TEST(HostCode, LinesOfThePreprocessorStay) {
  EXPECT_EQ(
      left_of("int main() {\n#ifdef X\n  f(\n#else\n  g(\n#endif\n  1); }\n__device__ int d;\n"),
      "#ifdef X\n#else\n#endif\n__device__ int d;\n");
  EXPECT_EQ(left_of("#ifdef X\nvoid f() {\n#else\nvoid f(int) {\n#endif\n}\n__device__ int d;\n"),
            "#ifdef X\n#else\n#endif\n__device__ int d;\n");
}

TEST(HostCode, StringsAndCommentsHoldNoCode) {
  EXPECT_EQ(left_of("const char *s() { return \"}\"; } // }\n/* { */ __device__ int d;\n"
                    "const char *r() { return R\"x(}\")x\"; }\nchar c() { return '}'; }\n"),
            "                                // }\n/* { */ __device__ int d;\n");
}

TEST(HostCode, KernelsAreRead) {
  const DeviceCode code = filtered(
      "template <const int BM, typename T>\n__global__ void __launch_bounds__(BM * 2)\n"
      "f(const T *__restrict__ A, unsigned int n, half *, float out[], const int k = 4);\n");
  ASSERT_EQ(code.kernels.size(), 1u);
  const KernelDeclaration& k = code.kernels[0];
  EXPECT_EQ(k.name, "f");
  EXPECT_EQ(k.line, 3);
  EXPECT_EQ(k.template_parameters, (std::vector<std::string>{"const int BM", "typename T"}));
  ASSERT_EQ(k.parameters.size(), 5u);
  EXPECT_EQ(k.parameters[0].type, "T const*");
  EXPECT_EQ(k.parameters[0].name, "A");
  EXPECT_TRUE(k.parameters[0].is_const && k.parameters[0].is_restrict);
  EXPECT_EQ(k.parameters[1].type, "unsigned int");
  EXPECT_EQ(k.parameters[2].type, "half*");
  EXPECT_EQ(k.parameters[2].name, "");
  EXPECT_EQ(k.parameters[3].type, "float*");
  EXPECT_EQ(k.parameters[3].name, "out");
  EXPECT_EQ(k.parameters[4].type, "int");
  EXPECT_FALSE(k.parameters[4].is_const);
}

/// The same lines, none of them longer, each byte as it was or a blank.
void expect_lines_kept(const std::string& source) {
  const std::string text = filtered(source).text;
  ASSERT_EQ(text.size(), source.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == source[i]) continue;
    ASSERT_EQ(text[i], ' ');
    ASSERT_NE(source[i], '\n');
  }
  found_launches(tokens_of(source));
}

TEST(HostCode, TokenSoupKeepsItsLines) {
  const unsigned seed = 20261124;
  std::mt19937 random(seed);
  const std::string pieces[] = {"{",
                                "}",
                                "(",
                                ")",
                                "<",
                                ">",
                                ";",
                                ",",
                                "\n",
                                "::",
                                "=",
                                "[",
                                "]",
                                "#if X\n",
                                "#else\n",
                                "#endif\n",
                                "#define A B\n",
                                "<<<",
                                ">>>",
                                "dim3",
                                "template ",
                                "int ",
                                "x",
                                "struct ",
                                "namespace ",
                                "operator",
                                "__global__ ",
                                "__device__ ",
                                "extern \"C\" ",
                                "const ",
                                "\"s",
                                "'",
                                "R\"(",
                                "/*",
                                "*/",
                                "//",
                                "\\\n",
                                "1",
                                "using ",
                                ":",
                                "std::vector",
                                "return ",
                                "constexpr ",
                                "for",
                                "#",
                                "\xff",
                                "."};
  for (int i = 0; i < 20000; ++i) {
    std::string source;
    const int length = std::uniform_int_distribution<int>(0, 60)(random);
    for (int n = 0; n < length; ++n) {
      source += pieces[std::uniform_int_distribution<size_t>(0, std::size(pieces) - 1)(random)];
      if (random() % 4 == 0) source += ' ';
    }
    expect_lines_kept(source);
  }
}

// Real text, damaged.
TEST(HostCode, DamagedSourcesKeepTheirLines) {
  const unsigned seed = 17;
  std::mt19937 random(seed);
  for (const char* name : {"sgemm.cu", "wmma.cu", "globals.cu", "race.cu"}) {
    std::ifstream in(std::string(TILESCOPE_OWN_SOURCES) + "/" + name);
    const std::string whole((std::istreambuf_iterator<char>(in)), {});
    ASSERT_FALSE(whole.empty()) << name;
    expect_lines_kept(whole);
    for (int i = 0; i < 300; ++i) {
      std::string source = whole;
      for (int n = 0; n < 5; ++n) {
        const size_t at = random() % source.size();
        source.erase(at, 1 + random() % 20);
      }
      expect_lines_kept(source);
    }
  }
}

// What nobody writes must not take hours.
TEST(HostCode, LongLinesOfBracketsEnd) {
  const size_t size = std::getenv("TILESCOPE_ALL") ? 300'000 : 60'000;
  for (const char* piece :
       {"<(", "template <", "a<", "{", "<<<", "f(", "dim3 a(", "x<y(", "#if\n{"}) {
    std::string source;
    while (source.size() < size) source += piece;
    expect_lines_kept(source);
  }
}

}  // namespace
}  // namespace tilescope::worker
