// What a kernel of --kernel-dir includes is read below its folder alone, however it is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "compile_folder.h"
#include "worker/engine/compile/exported_source.h"
#include "worker/engine/compile/include_limits.h"
#include "worker/engine/compile/included_headers.h"
#include "worker/engine/compile/source_hash.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

/// The sentence with which it fails; empty if it does not.
std::string sentence_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const RpcError& error) {
    const std::string all = error.message + error.data.dump();
    EXPECT_EQ(all.find(StrangersFolder::kMark), all.npos) << all;
    EXPECT_EQ(error.exit_code, 4);
    EXPECT_TRUE(error.message.ends_with(".")) << error.message;
    EXPECT_EQ(error.message.find('\n'), error.message.npos) << error.message;
    EXPECT_EQ(error.message.find(". "), error.message.npos) << "one: " << error.message;
    return error.message;
  }
  return {};
}

KernelRequest small_naive() { return default_request("naive", 64, 64, 64); }

/// Compiled, exported and hashed with `before` at the kernel's head: each but the last fails with a
/// sentence that has `parts`, and nothing around the folder is opened.
void expect_refused(const StrangersFolder& folder, const std::string& before,
                    const std::vector<std::string>& parts) {
  SCOPED_TRACE(before);
  folder.write_kernel(before);
  const std::string dir = folder.kernels();
  const KernelEntry& kernel = *find_kernel("naive");
  Compiler fresh({"", 0, 4});
  const std::string compiled = sentence_of([&] { fresh.compile(small_naive(), "sm_90", dir); });
  const std::string exported = sentence_of([&] {
    EXPECT_EQ(exported_source(small_naive(), kernel, dir).find(StrangersFolder::kMark),
              std::string::npos);
  });
  for (const std::string& part : parts) {
    EXPECT_NE(compiled.find(part), std::string::npos) << compiled << "\nhas no " << part;
    EXPECT_NE(exported.find(part), std::string::npos) << exported << "\nhas no " << part;
  }
  SourceHash(dir).of(small_naive(), kernel);
  EXPECT_FALSE(folder.untouched.touched());
}

void expect_refused(const StrangersFolder& folder, const std::string& before) {
  expect_refused(folder, before, {folder.kernels() + "/01_naive.cuh includes "});
}

/// It names the include, the file that has it, the folder and the way out.
std::vector<std::string> outside_of(const StrangersFolder& folder, const std::string& include) {
  const std::string dir = folder.kernels();
  return {dir + "/01_naive.cuh includes " + include, "which is not in " + dir,
          "put it into " + dir};
}

TEST(Includes, TheWatchSeesAReader) {
  const StrangersFolder folder;
  EXPECT_FALSE(folder.untouched.touched());
  const std::string text = file_text(folder.secret());
  EXPECT_NE(text.find(StrangersFolder::kMark), text.npos);
  const int there = inotify_init1(0);
  EXPECT_TRUE(folder.untouched.touched() || there < 0);
  close(there);
}

TEST(Includes, PathsOutOfTheFolder) {
  const StrangersFolder folder;
  for (const std::string& name :
       {std::string("../outside/secret.h"), std::string("kernels/../../outside/secret.h"),
        std::string("kernels/../outside/secret.h"), std::string("part/../../outside/secret.h"),
        std::string("./.././outside//secret.h"), folder.secret(), "/" + folder.secret(),
        std::string("../none.h"), std::string("/nowhere/none.h"), std::string("/dev/zero")}) {
    expect_refused(folder, "#include \"" + name + "\"\n", outside_of(folder, '"' + name + '"'));
  }
  for (const std::string& name : {folder.secret(), "../../../../../../../.." + folder.secret(),
                                  std::string("crt/../../../../../../../dev/null")}) {
    expect_refused(folder, "#include <" + name + ">\n", outside_of(folder, '<' + name + '>'));
  }
}

TEST(Includes, LinksOutOfTheFolder) {
  const StrangersFolder folder;
  folder.link("../outside/secret.h", "link.h");
  folder.link(folder.secret(), "whole.h");
  folder.link("link.h", "second.h");
  folder.link("../outside", "linked");
  folder.link("/", "part/root");
  folder.link("../../outside/secret.h", "part/link.h");
  folder.link("/dev/zero", "zero.h");
  for (const std::string& name :
       {std::string("link.h"), std::string("kernels/whole.h"), std::string("second.h"),
        std::string("linked/secret.h"), std::string("kernels/linked/secret.h"),
        std::string("linked/part/../secret.h"), "part/root" + folder.secret(),
        std::string("part/link.h"), std::string("zero.h")}) {
    expect_refused(folder, "#include \"" + name + "\"\n", outside_of(folder, '"' + name + '"'));
  }
  // A file of the ladder that is not the folder's own.
  std::filesystem::create_directory(folder.kernels() + "/common");
  folder.link(folder.secret(), "common/args.h");
  expect_refused(folder, "", {"\"kernels/common/args.h\", which is not in"});
}

TEST(Includes, FilesOfTheWorkingFolder) {
  const StrangersFolder folder;
  ASSERT_EQ(mkfifo("pipe.h", 0600), 0);
  std::filesystem::create_directory("kernels");
  write_text("kernels/beside.h", StrangersFolder::kMark);
  folder.untouched.watch("kernels/beside.h");
  for (const std::string name : {"here.h", "./here.h", "pipe.h", "kernels/beside.h"}) {
    expect_refused(folder, "#include \"" + name + "\"\n", outside_of(folder, '"' + name + '"'));
  }
  // What is there and in the folder, too, is the folder's; in the toolkit, too, the toolkit's.
  write_text(folder.kernels() + "/here.h", "constexpr int kHere = 1;\n");
  write_text("cuda_fp16.h", std::string("#error ") + StrangersFolder::kMark + "\n");
  folder.untouched.watch("cuda_fp16.h");
  folder.write_kernel(
      "#include \"here.h\"\n#include \"cuda_fp16.h\"\nconstexpr int k = kHere;\n"
      "constexpr int kHalf = sizeof(__half);\n");
  test_compiler().compile(small_naive(), "sm_90", folder.kernels());
  EXPECT_FALSE(folder.untouched.touched());
  // But where NVRTC would find another one before the toolkit's.
  std::filesystem::rename("cuda_fp16.h", "kernels/cuda_fp16.h");
  folder.untouched.touched();
  expect_refused(folder, "#include \"cuda_fp16.h\"\n", outside_of(folder, "\"cuda_fp16.h\""));
}

TEST(Includes, PipesAndDevices) {
  const StrangersFolder folder;
  folder.pipe("pipe.h");
  folder.pipe("part/pipe.h");
  folder.link("pipe.h", "link.h");
  for (const std::string name : {"pipe.h", "kernels/pipe.h", "part/pipe.h", "link.h"}) {
    expect_refused(folder, "#include \"" + name + "\"\n",
                   {"includes \"" + name + "\", which is a pipe", folder.kernels()});
    expect_refused(folder, "#if __has_include(\"" + name + "\")\n#endif\n", {"which is a pipe"});
  }
}

TEST(Includes, HoweverTheyAreWritten) {
  const StrangersFolder folder;
  const std::string name = "\"../outside/secret.h\"", whole = '"' + folder.secret() + '"';
  for (const std::string& text : std::vector<std::string>{
           "#if 0\n#include " + name + "\n#endif\n",
           "#ifdef NEVER\n#else\n#include " + name + "\n#endif\n",
           "#ifndef __CUDACC__\n#include " + whole + "\n#endif\n",
           "/*\n#include " + name + "\n*/\n",
           "/* a\n */ #include " + name + "\n",
           "/*\n#include \"*/ #include " + whole + "\n",
           "#inc\\\nlude " + name + "\n",
           "#include \"../out\\\nside/secret.h\"\n",
           "#include \\\r\n  " + name + "\r\n",
           "  #\tinclude\v" + name + "\n",
           "# /* \n */ include /* \" */ " + name + "\n",
           "%:include " + name + "\n",
           "%: include " + name + "\n",
           "#include_next " + name + "\n",
           "#embed " + name + "\n",
           "#import " + name + "\n",
           "#if __has_include(" + whole + ")\n#endif\n",
           "#if __has_include /* */ (\n" + whole + ")\n#endif\n",
           "#if __has_include_next(<" + folder.secret() + ">)\n#endif\n",
           "constexpr int kThere = __has_include // here\n(" + name + ");\n",
           "auto text = R\"(\n#include " + name + "\n)\";\n",
           "#define SECRET " + name + "\n#include SECRET\n",
           "#define SECRET(x) #x\n#include SECRET(/etc/passwd)\n",
           "#define THERE(x) __has_include(x)\n#if THERE(" + whole + ")\n#endif\n",
           "#define THERE __has_include\n#if THERE(" + whole + ")\n#endif\n",
           "#define ifdef __has_include\n#if ifdef(" + whole + ")\n#endif\n",
           "#define SECRET " + whole + "\n#if __has_include(SECRET)\n#endif\n",
           "#include " + name.substr(0, name.size() - 1) + "\n",
           "#/*" + std::string(9000, ' ') + "*/include " + name + "\n",
           "#include" + std::string(9000, ' ') + name + "\n",
           "#include \"" + std::string(5000, '/') + "etc/passwd\"\n",
           "#include \"" + std::string(2000, '/') + "etc/passwd\"\n",
           "#include \"part\\secret.h\"\n",
           "#include <pa\"rt.h>\n",
           "#include \"pa\x01rt.h\"\n",
       }) {
    expect_refused(folder, text);
  }
  expect_refused(folder, "#define SECRET \"here.h\"\n#include SECRET\n",
                 {"includes \"SECRET\", which a macro", "put the file into " + folder.kernels()});
  // 255 ends a line for NVRTC, 0 the text: other directives would be seen than are there.
  expect_refused(folder, "int x;\xff#include " + whole + "\n", {"is no text"});
  expect_refused(folder, std::string("int x;\0\n", 8), {"is no text"});
}

// In a header of the folder, whose own place counts.
TEST(Includes, FromOneThatIsIncluded) {
  const StrangersFolder folder;
  write_text(folder.kernels() + "/part/first.h", "#pragma once\n#include \"../second.h\"\n");
  write_text(folder.kernels() + "/second.h", "#include \"../outside/secret.h\"\n");
  expect_refused(
      folder, "#include \"part/first.h\"\n",
      {"second.h includes \"../outside/secret.h\", which is not in " + folder.kernels()});
}

TEST(Includes, WithoutAFolderThereAreTheBuiltInOnesAlone) {
  const StrangersFolder folder;
  for (const std::string& name : {std::string("here.h"), folder.secret(), std::string("../x.h")}) {
    const std::string text = "#include \"kernels/01_naive.cuh\"\n#include \"" + name + "\"\n";
    const std::string why = sentence_of([&] { included_headers(text, {}); });
    EXPECT_NE(why.find("tilescope_gemm.cu includes \"" + name + "\""), why.npos) << why;
    EXPECT_NE(why.find("--kernel-dir"), why.npos) << why;
  }
  EXPECT_FALSE(folder.untouched.touched());
}

TEST(Includes, WhatIsBelowTheFolderIsTaken) {
  const StrangersFolder folder;
  // The folder may be a link itself, and links within it are like files.
  const std::string linked = folder.root() + "/linked";
  std::filesystem::create_symlink("kernels", linked);
  write_text(folder.kernels() + "/part/real.h", "#include \"../up.h\"\nconstexpr int kReal = 1;\n");
  write_text(folder.kernels() + "/up.h",
             "#ifndef UP\n#define UP\nconstexpr int kUp = 1;\n#endif\n");
  folder.link("part", "more");
  std::filesystem::create_directory(folder.kernels() + "/vector");  // no header
  folder.write_kernel(
      "#ifdef __has_include\n#if defined(__has_include) && __has_include(\"none.h\")\n"
      "#include \"none.h\"\n#endif\n#endif\n"
      "// A comment may speak of #include \"/etc/passwd\" where no line begins so.\n"
      "#if 0\n#include <vector>\n#include \"vector\"\n#include \"nowhere.h\"\n#endif\n"
      "#include \"part/../up.h\"\n#include \"more/real.h\"\n"
      "#include <cuda_fp16.h>\n#include <mma.h>\n#include \"cuda_bf16.h\"\n"
      "constexpr int kAll = kReal + kUp + sizeof(__half) + sizeof(__nv_bfloat16);\n");
  for (const std::string& dir : {folder.kernels(), linked, linked + "/", linked + "/part/.."}) {
    SCOPED_TRACE(dir);
    EXPECT_EQ(sentence_of([&] { test_compiler().compile(small_naive(), "sm_90", dir); }), "");
    const std::string text = exported_source(small_naive(), *find_kernel("naive"), dir);
    EXPECT_NE(text.find("constexpr int kReal"), text.npos);
  }
}

// What is not there is the compiler's to tell, at its line; nothing is found for it anywhere else.
TEST(Includes, MissingOnesAreTheCompilersToTell) {
  const StrangersFolder folder;
  folder.write_kernel("#include \"nowhere.h\"\n");
  try {
    test_compiler().compile(small_naive(), "sm_90", folder.kernels());
    FAIL() << "compiled";
  } catch (const RpcError& error) {
    EXPECT_NE(error.message.find("01_naive.cuh(1)"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("nowhere.h"), std::string::npos) << error.message;
  }
}

TEST(Includes, HaveLimits) {
  const StrangersFolder folder;
  const std::string dir = folder.kernels();
  const auto refused = [&](const std::string& text, const std::string& part) {
    write_text(dir + "/mine.cuh", text);
    const std::string why =
        sentence_of([&] { included_headers("#include \"kernels/mine.cuh\"\n", dir); });
    EXPECT_NE(why.find(part), why.npos) << why;
  };
  std::string many;
  for (size_t i = 0; i <= kMostSourceFiles; ++i) {
    const std::string name = "part/h" + std::to_string(i) + ".h";
    write_text(dir + "/" + name, "\n");
    many += "#include \"" + name + "\"\n";
  }
  refused(many, "more than 4000 files");
  for (size_t i = 0; i <= kDeepestInclude; ++i) {
    write_text(dir + "/part/h" + std::to_string(i) + ".h",
               "#include \"h" + std::to_string(i + 1) + ".h\"\n");
  }
  refused("#include \"part/h0.h\"\n", "deeper than 60 files");
  // A circle ends by itself, as #pragma once has it.
  write_text(dir + "/part/h1.h", "#pragma once\n#include \"h0.h\"\n#include \"../part/h0.h\"\n");
  write_text(dir + "/mine.cuh", "#include \"part/h0.h\"\n");
  EXPECT_EQ(included_headers("#include \"kernels/mine.cuh\"\n", dir).size(), 5u);
  std::string lines;
  for (size_t i = 0; i <= kMostIncludes; ++i) lines += "#include <a>\n";
  refused(lines, "more than 100,000 lines");
  write_text(dir + "/part/large.h", "");
  std::filesystem::resize_file(dir + "/part/large.h", kMostSourceBytes + 1);
  refused("#include \"part/large.h\"\n", "at most 67108864 are read");
  write_text(dir + "/part/large.h", std::string(kMostSourceBytes / 2, ' '));
  write_text(dir + "/part/other.h", "");
  std::filesystem::resize_file(dir + "/part/other.h", kMostSourceBytes / 2 + 1);
  refused("#include \"part/large.h\"\n#include \"part/other.h\"\n", "more than 67,108,864 bytes");
}

}  // namespace
}  // namespace tilescope::worker
