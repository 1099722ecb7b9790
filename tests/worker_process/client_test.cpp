// The client with a real worker process behind it.
#include <gtest/gtest.h>

#include "tests/worker_process/helpers.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

TEST(Client, AsksAndIsAnswered) {
  OddWorker worker;
  const Reply reply = worker.call("emulator", "echo", {{"x", 1}});
  ASSERT_TRUE(reply.ok) << reply.error.message;
  EXPECT_EQ(reply.result["params"]["x"], 1);
  EXPECT_EQ(reply.result["params"]["device"], "emulator");
  EXPECT_EQ(worker.client().state(), WorkerState::ready);
}

}  // namespace
}  // namespace tilescope::worker
