// Workers on other machines: which hosts there can be, what is started, what is said. Real
// connections are in tests/engines.
#include "worker/client/remote.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <stdexcept>

#include "tests/worker_process/helpers.h"
#include "worker/protocol/protocol.h"

namespace tilescope::worker {
namespace {

TEST(Remote, PlacesAreRead) {
  EXPECT_FALSE(read_remote("cuda:0"));
  EXPECT_FALSE(read_remote("recorded:ssh:x"));
  const auto place = read_remote("ssh:me@gpu-1.lab_2/cuda:12");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->host, "me@gpu-1.lab_2");
  EXPECT_EQ(place->device, "cuda:12");
  EXPECT_EQ(read_remote("ssh:fe80::1/emulator")->host, "fe80::1");
  EXPECT_EQ(read_remote("ssh:gpu1")->device, "");
  EXPECT_EQ(read_remote("ssh:gpu1/")->device, "");
}

TEST(Remote, WhatIsNoHostIsRefused) {
  for (const char* text :
       {"ssh:", "ssh:/cuda:0", "ssh:-v/cuda:0", "ssh:-v@gpu1", "ssh:me@-v", "ssh:me@", "ssh:@gpu1",
        "ssh:a@b@c", "ssh:a b", "ssh:a;b", "ssh:`a`", "ssh:$a", "ssh:a'b", "ssh:a\"b", "ssh:a\\b",
        "ssh:a\nb", "ssh:a%hb", "ssh:\xc3\xa4", "ssh:gpu1/ssh:gpu2/cuda:0"}) {
    EXPECT_THROW(read_remote(text), std::invalid_argument) << text;
  }
  EXPECT_THROW(read_remote("ssh:" + std::string(300, 'a')), std::invalid_argument);
}

TEST(Remote, TheHostStandsBehindAllOptions) {
  unsetenv("TILESCOPE_SSH");
  unsetenv("TILESCOPE_REMOTE_CLI");
  std::vector<std::string> command = remote_command("me@gpu1");
  EXPECT_EQ(command.front(), "ssh");
  EXPECT_NE(std::ranges::find(command, "BatchMode=yes"), command.end());
  const std::vector<std::string> last(command.end() - 3, command.end());
  EXPECT_EQ(last, (std::vector<std::string>{"--", "me@gpu1", "tilescope-cli worker"}));
  setenv("TILESCOPE_SSH", " ssh  -F file ", 1);
  setenv("TILESCOPE_REMOTE_CLI", "/a place/it's", 1);
  command = remote_command("gpu1");
  EXPECT_EQ(std::vector<std::string>(command.begin(), command.begin() + 4),
            (std::vector<std::string>{"ssh", "-F", "file", "-T"}));
  EXPECT_EQ(command.back(), "'/a place/it'\\''s' worker");
  setenv("TILESCOPE_REMOTE_CLI", "~/bin/tilescope-cli", 1);
  EXPECT_EQ(remote_command("gpu1").back(), "~/bin/tilescope-cli worker") << "of the home there";
  unsetenv("TILESCOPE_SSH");
  unsetenv("TILESCOPE_REMOTE_CLI");
}

// As ssh, the odd worker: it passes over the arguments of ssh.
TEST(Remote, ALostConnectionIsMadeAnewAndItsCallsAreToldSo) {
  setenv("TILESCOPE_SSH", ODD_WORKER, 1);
  ClientOptions options;
  options.host = "gpu1";
  const auto client = Client::start_process(options);
  const Asked before = ask(*client, "", "status");
  ASSERT_TRUE(client->wait(before.id, kLimitMs));
  ASSERT_TRUE(before.reply->ok) << before.reply->error.message;
  const Asked hung = ask(*client, "emulator", "hangDeaf");
  ASSERT_TRUE(eventually([&] {
    client->poll();
    return !hung.reply->progress.empty();
  }));
  kill(before.reply->result["pid"].get<int>(), SIGKILL);
  ASSERT_TRUE(client->wait(hung.id, kLimitMs));
  EXPECT_TRUE(hung.reply->error.data.value("lost", false)) << hung.reply->error.message;
  EXPECT_NE(hung.reply->error.message.find("The connection to gpu1 was lost: ssh was ended by"),
            std::string::npos)
      << hung.reply->error.message;
  const Asked after = ask(*client, "", "status");
  ASSERT_TRUE(client->wait(after.id, kLimitMs));
  EXPECT_TRUE(after.reply->ok);
  unsetenv("TILESCOPE_SSH");
}

TEST(Remote, OtherKernelsAreNamed) {
  EXPECT_EQ(other_kernels({{"kernels", "a"}}, "a", "The worker"), "");
  EXPECT_EQ(other_kernels({{"kernels", "a"}}, "", "The worker"), "") << "nobody asked";
  const std::string said =
      other_kernels({{"kernels", "a"}, {"program", "9.9"}}, "b", "The worker on gpu1");
  EXPECT_NE(said.find("The worker on gpu1 has other kernels (a, Tilescope 9.9) than this program "
                      "(b, Tilescope"),
            std::string::npos)
      << said;
  EXPECT_NE(other_kernels(nlohmann::json::object(), "b", "The worker"), "") << "an older one";
}

}  // namespace
}  // namespace tilescope::worker
