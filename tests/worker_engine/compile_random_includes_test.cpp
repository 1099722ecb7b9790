// Thousands of paths through a small tree of files, links and pipes: what is read for a kernel lies
// below its folder, and nothing else is opened, by this project or by NVRTC.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "compile_folder.h"
#include "worker/engine/compile/include_names.h"
#include "worker/engine/compile/included_headers.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {
namespace fs = std::filesystem;

constexpr unsigned kSeed = 20261128;
constexpr int kPaths = 6000, kEveryCompiled = 60, kTexts = 100, kAllTexts = 200;

void make_tree(const StrangersFolder& folder) {
  for (const char* name : {"a.h", "b.h", "part/a.h", "part/b.h"}) {
    write_text(folder.kernels() + "/" + name, "// in the folder\n");
  }
  fs::create_directories(folder.kernels() + "/part/deep");
  write_text(folder.kernels() + "/part/deep/a.h", "// in the folder\n");
  folder.link("../outside", "out");
  folder.link("part", "in");
  folder.link("..", "up");
  folder.link("../a.h", "part/link.h");
  folder.link("../../outside/secret.h", "part/secret.h");
  folder.link("loop", "loop");
  folder.pipe("pipe");
  folder.pipe("part/pipe");
}

std::string random_path(std::mt19937& random, const StrangersFolder& folder) {
  static const std::vector<std::string> kParts = {
      "..",  ".",    "",      "a.h",    "b.h",  "part",     "deep",    "kernels", "outside",
      "out", "in",   "up",    "link.h", "loop", "secret.h", "working", "here.h",  "pipe",
      "...", "core", "mma.h", "..",     "..",   "part",     "a.h",     "none.h"};
  std::string path;
  switch (random() % 12) {
    case 0:
      path = "/";
      break;
    case 1:
      path = folder.root() + "/";
      break;
    case 2:
      path = "../../../../../../../.." + folder.root() + "/";
      break;
    case 3:
      path = "kernels/";
      break;
    default:
      break;
  }
  const unsigned parts = 1 + random() % 5;
  for (unsigned i = 0; i < parts; ++i)
    path += (i == 0 ? "" : "/") + kParts[random() % kParts.size()];
  return path;
}

std::string directive(std::mt19937& random, const std::string& path) {
  static const std::vector<std::pair<std::string, std::string>> kWays = {
      {"#include \"", "\"\n"},
      {"#include \"", "\"\n"},
      {"#include <", ">\n"},
      {"#if 0\n#include \"", "\"\n#endif\n"},
      {"/*\n#include \"", "\"\n*/\n"},
      {"#if __has_include(\"", "\")\n#endif\n"},
      {"%:inc\\\nlude \"", "\"\n"},
      {"/**/ # /*\n*/ include /**/ \"", "\"\n"},
      {"#define A \"", "\"\n#include A\n"}};
  const auto& [before, behind] = kWays[random() % kWays.size()];
  return before + path + behind;
}

TEST(RandomIncludes, ReadNothingButTheFolder) {
  const StrangersFolder folder;
  make_tree(folder);
  const std::string dir = folder.kernels();
  std::mt19937 random(kSeed);
  Compiler fresh({"", 0, 1});
  int taken = 0, refused = 0;
  for (int i = 0; i < kPaths; ++i) {
    const std::string text = directive(random, random_path(random, folder));
    SCOPED_TRACE(text);
    const std::string from = random() % 2 ? "mine.cuh" : "part/mine.cuh";
    fs::remove(dir + "/" + from);  // some file systems wait for the disk where a text is replaced
    write_text(dir + "/" + from, text + "extern \"C\" __global__ void k(int* p) { *p = 1; }\n");
    const std::string source = "#include \"kernels/" + from + "\"\n";
    try {
      for (const SourceFile& header : included_headers(source, dir)) {
        if (header.path.empty()) continue;  // built in
        const std::string whole = fs::canonical(header.path).string();
        ASSERT_TRUE(whole.starts_with(dir + "/")) << whole;
        ASSERT_EQ(header.text.find(StrangersFolder::kMark), std::string::npos);
      }
      ++taken;
    } catch (const RpcError& error) {
      ASSERT_EQ(error.message.find(StrangersFolder::kMark), std::string::npos) << error.message;
      ++refused;
    }
    // NVRTC, too, opens nothing else, whether it compiles or not.
    if (i % kEveryCompiled == 0) {
      try {
        fresh.compile(SourceRequest{source, dir, kDefaultArch, true});
      } catch (const RpcError& error) {
        const std::string all = error.message + error.data.dump();
        ASSERT_EQ(all.find(StrangersFolder::kMark), all.npos) << all;
      }
    }
    ASSERT_FALSE(folder.untouched.touched());
  }
  // Of both there are many.
  EXPECT_GT(taken, kPaths / 10);
  EXPECT_GT(refused, kPaths / 10);
}

/// Comments, quotes, joined lines and directives in any order, and a file's name among them.
std::string random_text(std::mt19937& random, const std::string& name) {
  static const std::vector<std::string> kParts = {
      "/*", "*/", "//",      "\\\n",     "\\\r\n",  "\n",      "\n",
      "\"", "'",  "R\"(",    ")\"",      "#",       "%:",      "# ",
      " ",  "\t", "\r",      "a",        ";",       "include", "__has_include",
      "(",  ")",  "#if 0\n", "#endif\n", "#if 1\n", "#else\n", "#define A ",
      "A",  "\\", "?\?=",    "\n#"};
  const std::string quoted = '"' + name + '"', angled = '<' + name + '>';
  const std::vector<std::string> names = {"#include " + quoted,
                                          "include" + angled,
                                          quoted + "\n",
                                          "\n#include " + angled,
                                          "__has_include(" + quoted + ")",
                                          "*/ #include " + quoted,
                                          "#/**/include/**/" + quoted};
  std::string text;
  const unsigned parts = 2 + random() % 12;
  for (unsigned i = 0; i < parts; ++i) {
    const bool named = random() % 3 == 0;
    text += named ? names[random() % names.size()] : kParts[random() % kParts.size()];
  }
  return text + "\n";
}

// What NVRTC finds in a text, however it is made, is found here, too.
TEST(RandomIncludes, NvrtcFindsNoneThatAreMissedHere) {
  const StrangersFolder folder;
  const char* times = getenv("TILESCOPE_RANDOM_TEXTS");
  const int texts = times                     ? atoi(times)
                    : getenv("TILESCOPE_ALL") ? kAllTexts  // as tests/sampled.h does
                                              : kTexts;
  std::mt19937 random(kSeed);
  const auto nvrtc = test_compiler().nvrtc();
  int opened = 0;
  for (int i = 0; i < texts; ++i) {
    Nvrtc::Input input;
    input.text = random_text(random, folder.secret());
    input.options = {"-std=c++20", "-default-device", "-arch=compute_90"};
    if (nvrtc->has_minimal_option()) input.options.push_back("--minimal");
    input.cubin = false;
    // NVRTC 13.0 crashes at some of such texts.
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      nvrtc->compile(input);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    if (!folder.untouched.touched()) continue;
    ++opened;
    const auto found = include_names(input.text);
    EXPECT_TRUE(std::ranges::any_of(found, [&](const NamedInclude& one) {
      return one.name == folder.secret() || one.form == NamedInclude::Form::computed;
    })) << input.text;
  }
  EXPECT_GT(opened, texts / 50) << "of " << texts;
}

}  // namespace
}  // namespace tilescope::worker
