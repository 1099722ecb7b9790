// Files that are named as a descriptor of the command line: a shell's `<(program)`, `/dev/stdin`.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

/// One thread doubles a float.
constexpr const char* kDouble = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 in, .param .u64 out)
{
  .reg .f32 %f<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.global.f32 %f1, [%rd1];
  add.rn.f32 %f2, %f1, %f1;
  st.global.f32 [%rd2], %f2;
  ret;
}
)";

class GivenByDescriptor : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(ptx_) << kDouble;
    const float value = 21;
    std::ofstream(in_, std::ios::binary).write(reinterpret_cast<const char*>(&value), 4);
  }
  /// `files`: what a shell does with the descriptors. Returns the exit code.
  static int shell(const std::string& before, const std::string& arguments,
                   const std::string& files) {
    return std::system((before + "'" TILESCOPE_CLI "' emulate --grid 1 --block 1 " + arguments +
                        " >'" + scratch_folder() + "/said' " + files)
                           .c_str());
  }
  float dumped() const {
    float value = 0;
    std::ifstream(out_, std::ios::binary).read(reinterpret_cast<char*>(&value), 4);
    return value;
  }
  const std::string ptx_ = scratch_folder() + "/twice.ptx", in_ = scratch_folder() + "/twice.in",
                    out_ = scratch_folder() + "/twice.out";
};

TEST_F(GivenByDescriptor, IsReadAsTheFileIs) {
  EXPECT_EQ(shell("", "--ptx /dev/stdin --arg in:/dev/fd/3 out:4 --dump 1='" + out_ + "'",
                  "<'" + ptx_ + "' 3<'" + in_ + "'"),
            0);
  EXPECT_EQ(dumped(), 42.0f);
}

TEST_F(GivenByDescriptor, OrAsAPipeIsWhichIsThereOnce) {
  EXPECT_EQ(
      shell("cat '" + in_ + "' | ",
            "--ptx '" + ptx_ + "' --arg in:/dev/stdin inout:/dev/stdin --dump 1='" + out_ + "'",
            ""),
      0);
  EXPECT_EQ(dumped(), 42.0f) << "the second buffer began as the first, which is not changed";
}

TEST_F(GivenByDescriptor, WithoutAFolderForTheCopyIsASentence) {
  const std::string err = scratch_folder() + "/twice.err";
  const int status = shell("TMPDIR=/proc ", "--ptx /dev/stdin --arg in:4 out:4",
                           "<'" + ptx_ + "' 2>'" + err + "'");
  EXPECT_EQ(WEXITSTATUS(status), 2);
  std::ifstream in(err);
  const std::string said((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_NE(said.find("/dev/stdin cannot be copied"), std::string::npos) << said;
  EXPECT_NE(said.find("set TMPDIR"), std::string::npos) << said;
}

TEST_F(GivenByDescriptor, OneThatIsNotOpenIsASentence) {
  const CliResult r = run_cli({"emulate", "--grid", "1", "--block", "1", "--ptx", "/dev/fd/99"});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("/dev/fd/99 cannot be read"), std::string::npos) << r.err;
}

}  // namespace
}  // namespace tilescope
