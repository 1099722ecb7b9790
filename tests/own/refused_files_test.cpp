// Files of somebody's own that are no plain text files: refused at once, with a sentence; and names
// that would be more than a name in what is compiled, or for nvcc's shell.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/files/whole_file.h"
#include "worker/engine/compile/include_limits.h"
#include "worker/engine/compile/nvrtc.h"
#include "worker/engine/compile/plain_name.h"
#include "worker/engine/error.h"
#include "worker/engine/own/open_own.h"
#include "worker/engine/own/own_files.h"

namespace tilescope::worker {
namespace {
namespace fs = std::filesystem;

constexpr const char* kPlainKernel = "__global__ void f(float* a) { a[0] = 1; }\n";

bool nvrtc_is_here() {
  try {
    return Nvrtc::open() != nullptr;
  } catch (const RpcError&) {
    return false;
  }
}

/// A folder, and an nvcc that leaves a mark when it is started.
class RefusedFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = (fs::temp_directory_path() / "tilescope-own-XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = fs::canonical(path);
    const std::string nvcc = write("nvcc", "#!/bin/sh\n: > '" + at("started") + "'\nexit 1\n");
    fs::permissions(nvcc, fs::perms::owner_all);
    setenv("TILESCOPE_NVCC", nvcc.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TILESCOPE_NVCC");
    fs::remove_all(folder_);
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(at(name)).parent_path());
    std::ofstream(at(name), std::ios::binary) << text;
    return at(name);
  }
  std::string pipe(const std::string& name) const {
    EXPECT_EQ(mkfifo(at(name).c_str(), 0600), 0);
    return at(name);
  }
  std::string link(const std::string& to, const std::string& name) const {
    fs::create_symlink(to, at(name));
    return at(name);
  }
  /// The sentence that it is refused with; empty if it is taken.
  static std::string why(const OpenRequest& request) {
    try {
      open_own(request, nullptr);
    } catch (const RpcError& error) {
      EXPECT_TRUE(error.message.ends_with(".")) << error.message;
      EXPECT_EQ(error.message.find('\n'), error.message.npos) << error.message;
      return error.message;
    }
    return {};
  }
  static void refused(const OpenRequest& request, const std::string& part) {
    const std::string sentence = why(request);
    EXPECT_NE(sentence.find(part), sentence.npos) << request.file << ": " << sentence;
  }
  fs::path folder_;
};

TEST_F(RefusedFiles, PipesAndDevicesAsTheFile) {
  for (const std::string& file :
       {pipe("pipe.cu"), link("pipe.cu", "link.cu"), pipe("pipe.ptx"), link("/dev/zero", "zero.cu"),
        std::string("/dev/zero"), std::string("/dev/null"), std::string("/dev/tty")}) {
    if (!fs::exists(file)) continue;
    refused({file}, file + " is no regular file");
  }
  refused({folder_.string()}, "cannot be read: Is a directory");
  refused({at("none.cu")}, "cannot be read: No such file");
}

TEST_F(RefusedFiles, PipesAndDevicesAsHeaders) {
  pipe("pipe.h"), pipe("folder.pipe"), link("pipe.h", "link.h"), link("/dev/zero", "zero.h");
  for (const std::string include : {"\"pipe.h\"", "<pipe.h>", "\"link.h\"", "\"zero.h\"",
                                    "\"/dev/zero\"", "\"sub/../pipe.h\""}) {
    const std::string name = include.substr(1, include.size() - 2);
    fs::create_directories(folder_ / "sub");
    const std::string file = write("a.cu", "#include " + include + "\n" + kPlainKernel);
    OpenRequest request{file};
    request.include_folders = {folder_.string()};
    refused(request, file + " includes " + name + ", which is a pipe, a socket or a device");
    write("a.cu", "#if 0\n#include " + include + "\n#endif\n" + kPlainKernel);
    refused(request, "which is a pipe, a socket or a device");
  }
  EXPECT_FALSE(fs::exists(at("started")));
}

TEST_F(RefusedFiles, WhyNvccIsNotStartedIsSaidOfAFolderThatCannotBeMade) {
  const std::string file = write("a.cu", "__global__ void f(float* a) { a[0] = nonsense; }\n");
  const char* set = getenv("TMPDIR");
  const std::string before = set ? set : "";
  setenv("TMPDIR", "/proc", 1);
  refused({file}, "is not started, since there is no folder for what it writes (set TMPDIR");
  if (set) {
    setenv("TMPDIR", before.c_str(), 1);
  } else {
    unsetenv("TMPDIR");
  }
  EXPECT_FALSE(fs::exists(at("started")));
}

// Whoever opens a .cu may read what it names, wherever that lies; folders are none of that.
TEST_F(RefusedFiles, OrdinaryHeadersAreTakenFromAnywhere) {
  write("above.h", "#define ABOVE 1\n");
  write("far/far.h", "#pragma once\n#include \"../above.h\"\n#define FAR 2\n");
  link("far/far.h", "link.h");
  write("kernels/vector/none.h", "");
  const std::string file =
      write("kernels/a.cu", "#include <vector>\n#include \"../above.h\"\n#include \"" +
                                at("far/far.h") + "\"\n#include \"../link.h\"\n" + kPlainKernel);
  const OwnFiles files = read_own_files(file, nullptr, {at("kernels")});
  EXPECT_EQ(files.read.size(), 3u) << "a link is the file that it leads to";
  if (nvrtc_is_here()) {
    EXPECT_EQ(open_own({file}, nullptr).kernels.size(), 1u);
  }
}

// As docs/security.md says: libraries need them, and they lead no further than a plain one does.
TEST_F(RefusedFiles, NamesThatAMacroMakesAreTheCompilersToLookUp) {
  write("far/far.h", "#define FAR 2\n");
  const std::string file = write("a.cu",
                                 "#define HEADER <far.h>\n#include HEADER\n"
                                 "__global__ void f(float* a) { a[0] = FAR; }\n");
  OpenRequest request{file};
  request.include_folders = {at("far")};
  EXPECT_EQ(read_own_files(file, nullptr, request.include_folders).read,
            std::vector<std::string>{file});
  if (nvrtc_is_here()) {
    EXPECT_EQ(open_own(request, nullptr).kernels.size(), 1u);
  }
  write("a.cu",
        "#define HEADER \"/nowhere/secret.h\"\n#include HEADER\n" + std::string(kPlainKernel));
  refused(request, "does not compile");
}

TEST_F(RefusedFiles, NamesThatWouldEndAQuote) {
  for (const std::string name : {"a\".cu", "a\nb.cu", "a\rb.cu", "a\\.cu", "a\"\n#error x\n.cu"}) {
    const std::string file = write(name, kPlainKernel);
    refused({file}, "rename the file");
    EXPECT_EQ(why({file}).find('\n'), std::string::npos);
  }
  write("h\"x.h", "#define H 1\n");
  write("sub/h\\x.h", "#define H 1\n");
  OpenRequest request{write("a.cu", std::string("#include <h\"x.h>\n") + kPlainKernel)};
  request.include_folders = {folder_.string()};
  refused(request, "h\"x.h: there is a quote");
  request.file = write("b.cu", std::string("#include \"sub/h\\x.h\"\n") + kPlainKernel);
  refused(request, "rename the file");
  // In the name of a folder above it is nobody's business.
  const std::string above = write("fol\"der/c.cu", kPlainKernel);
  if (nvrtc_is_here()) {
    EXPECT_EQ(why({above}), "");
  }
}

// nvcc has a shell start its parts, and a name between double quotes is more than a name to a
// shell.
TEST_F(RefusedFiles, NvccIsNotStartedWithWhatAShellReads) {
  const std::string bad = "__global__ void f(float* a) { a[0] = nobody; }\n";
  const auto starts = [&](const OpenRequest& request) {
    fs::remove(at("started"));
    const std::string sentence = why(request);
    EXPECT_NE(sentence.find("does not compile"), sentence.npos) << sentence;
    const bool started = fs::exists(at("started"));
    EXPECT_EQ(started, sentence.find("nvcc, which takes host code too, is not started, since ") ==
                           sentence.npos)
        << sentence;
    return started;
  };
  for (const std::string name : {"a.cu", "a b.cu", "a;b.cu", "a'b.cu", "a&b|c.cu", "a(b).cu"}) {
    EXPECT_TRUE(starts({write(name, bad)})) << name;
  }
  for (const std::string name : {"$(touch x).cu", "`touch x`.cu", "$HOME.cu", "fol\"der/a.cu",
                                 "$(touch x)/a.cu", "fol\\der/a.cu"}) {
    EXPECT_FALSE(starts({write(name, bad)})) << name;
  }
  OpenRequest request{write("a.cu", bad)};
  request.defines = {"A=1", "B(x)=x"};
  EXPECT_TRUE(starts(request));
  for (const std::string define : {"A=$(touch x)", "A=`touch x`", "A=\"text\"", "A=\\\"x"}) {
    request.defines = {define};
    EXPECT_FALSE(starts(request)) << define;
  }
  request.defines = {};
  request.include_folders = {at("$(touch x)")};
  EXPECT_FALSE(starts(request));
  request.include_folders = {};
  request.file = at("not_there.cu");
  request.source = bad;
  EXPECT_FALSE(starts(request)) << "a text of no file";
}

TEST_F(RefusedFiles, IncludesWithoutAnEnd) {
  std::string text = kPlainKernel;
  for (size_t i = 0; i <= kMostIncludes; ++i) text += "#include <a>\n";
  refused({write("many.cu", text)}, "more than 100,000 #include lines");
}

TEST_F(RefusedFiles, OnlyRegularFilesAreRead) {
  std::string why_not;
  const auto read = [&](const std::string& path, uint64_t limit) {
    why_not.clear();
    return files::read_regular_file(path, limit, &why_not);
  };
  EXPECT_EQ(read(write("text", "abc"), 3), "abc");
  EXPECT_EQ(read(at("text"), 2), std::nullopt);
  EXPECT_EQ(why_not, at("text") + " has 3 bytes; at most 2 are read.");
  EXPECT_EQ(read(link("text", "link"), 3), "abc");
  // Made up as it is read: a regular file of no size.
  EXPECT_NE(read("/proc/self/status", 100'000), std::nullopt);
  EXPECT_EQ(read("/proc/self/status", 10), std::nullopt);
  EXPECT_EQ(files::file_there(at("text")), files::FileThere::regular);
  EXPECT_EQ(files::file_there(at("link")), files::FileThere::regular);
  EXPECT_EQ(files::file_there(folder_.string()), files::FileThere::folder);
  EXPECT_EQ(files::file_there(at("none")), files::FileThere::nothing);
  EXPECT_EQ(files::file_there(link("none", "dangling")), files::FileThere::nothing);
  EXPECT_EQ(files::file_there("/dev/null"), files::FileThere::other);
  const int made = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{AF_UNIX, {}};
  std::strncpy(address.sun_path, at("socket").c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(read(at("socket"), 10), std::nullopt);
  EXPECT_NE(why_not.find("no regular file"), why_not.npos) << why_not;
  close(made);
}

}  // namespace
}  // namespace tilescope::worker
