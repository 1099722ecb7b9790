// The private X server of `render` goes with its owner, however that ends. Xvfb is a script here.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/cli/run_cli.h"

extern char** environ;

namespace tilescope {
namespace {

class PrivateServer : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    unlink(said_.c_str());
    ASSERT_EQ(mkfifo(said_.c_str(), 0600), 0);
    path_ = std::getenv("PATH");
    setenv("PATH", (folder_ + ":" + path_).c_str(), 1);
    if (const char* display = std::getenv("DISPLAY")) display_ = display;
    unsetenv("DISPLAY");
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    if (!display_.empty()) setenv("DISPLAY", display_.c_str(), 1);
  }
  /// A server that tells its pid, then does this, and never ends by itself.
  void make_server(const std::string& then) const {
    const std::string file = folder_ + "/Xvfb";
    std::ofstream(file) << "#!/bin/sh\nexec 9>'" << said_ << "'\necho $$ >&9\n"
                        << then << "\nexec tail -f /dev/null\n";
    ASSERT_EQ(chmod(file.c_str(), 0700), 0);
  }
  std::vector<std::string> render() const {
    return {"render", "--panel", "window", "--out", folder_ + "/none.png"};
  }
  const std::string folder_ = scratch_folder() + "/server", said_ = folder_ + "/said";

 private:
  std::string path_, display_;
};

TEST_F(PrivateServer, IsEndedIfItDoesNotStart) {
  make_server("exec 3>&-");
  const int said = open(said_.c_str(), O_RDWR);  // its writer is not to wait for a reader
  ASSERT_GE(said, 0);
  const CliResult r = run_cli(render());
  EXPECT_EQ(r.code, 3) << r.err;
  EXPECT_NE(r.err.find("did not start"), std::string::npos) << r.err;
  char text[32] = {};
  ASSERT_GT(read(said, text, sizeof text - 1), 0);
  close(said);
  const pid_t server = std::atoi(text);
  ASSERT_GT(server, 1);
  EXPECT_EQ(kill(server, 0), -1);
  EXPECT_EQ(errno, ESRCH);
  kill(server, SIGKILL);
}

TEST_F(PrivateServer, IsEndedWithAnOwnerThatIsKilled) {
  make_server("");
  std::vector<std::string> arguments = render();
  arguments.insert(arguments.begin(), TILESCOPE_CLI);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t owner = -1;
  ASSERT_EQ(posix_spawn(&owner, argv[0], nullptr, nullptr, argv.data(), environ), 0);
  const int said = open(said_.c_str(), O_RDONLY);  // waits for the server
  ASSERT_GE(said, 0);
  char text[32] = {};
  ASSERT_GT(read(said, text, sizeof text - 1), 0);
  ASSERT_EQ(kill(owner, SIGKILL), 0);
  waitpid(owner, nullptr, 0);
  // Whoever holds the other end is gone; a server that stays ends the test by its time limit.
  while (read(said, text, sizeof text) > 0) {
  }
  close(said);
}

}  // namespace
}  // namespace tilescope
