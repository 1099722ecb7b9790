// Binary messages from a worker that may send anything.
#include "worker/client/assembly.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/worker_process/helpers.h"

namespace tilescope::worker {
namespace {

Frame chunk_of(const char* type, uint64_t offset, uint64_t total, const std::string& body) {
  Frame frame;
  frame.binary = true;
  frame.type = type;
  frame.offset = offset;
  frame.total = total;
  frame.body = body;
  return frame;
}

/// Why the last of them is refused; empty if it is not.
std::string refused(std::initializer_list<Frame> chunks) try {
  BinaryAssembly assembly;
  for (const Frame& one : chunks) assembly.take(one);
  return {};
} catch (const FrameError& error) {
  return error.what();
}

TEST(Assembly, MakesMessagesOneAfterTheOther) {
  BinaryAssembly assembly;
  EXPECT_FALSE(assembly.take(chunk_of("a", 0, 5, "abc")));
  EXPECT_EQ(assembly.waiting_bytes(), 3u);
  EXPECT_EQ(assembly.take(chunk_of("a", 3, 5, "de")), "abcde");
  EXPECT_EQ(assembly.waiting_bytes(), 0u);
  EXPECT_EQ(assembly.take(chunk_of("b", 0, 1, "x")), "x");
  EXPECT_EQ(assembly.take(chunk_of("a", 0, 0, "")), "");
}

TEST(Assembly, HasOneMessageOpen) {
  EXPECT_EQ(refused({chunk_of("a", 0, 5, "abc"), chunk_of("b", 0, 5, "abc")}),
            "a binary message \"b\" inside of another");
}

TEST(Assembly, KeepsToTheSizeThatWasSaid) {
  EXPECT_EQ(refused({chunk_of("a", 0, 5, "abc"), chunk_of("a", 3, 500, "d")}),
            "a binary message whose size changed from 5 to 500 bytes");
}

TEST(Assembly, HasNoGapsAndNoChunksOfNothing) {
  EXPECT_EQ(refused({chunk_of("a", 1, 5, "abc")}), "a binary message with a gap in it");
  EXPECT_EQ(refused({chunk_of("a", 0, 5, "abc"), chunk_of("a", 0, 5, "abc")}),
            "a binary message with a gap in it");
  EXPECT_EQ(refused({chunk_of("a", 0, 5, "")}), "an empty chunk of a binary message");
}

TEST(Assembly, ACallBringsABoundedNumberOfBytes) {
  BinaryAssembly assembly;
  const std::string body(kMaxChunkBytes, 'x');
  const Frame whole = chunk_of("a", 0, body.size(), body);
  const uint64_t most = kMostCallBinary / body.size();
  for (uint64_t i = 0; i < most; ++i) ASSERT_TRUE(assembly.take(whole)) << i;
  EXPECT_THROW(assembly.take(whole), FrameError);
}

TEST(Client, StopsAWorkerThatMixesMessages) {
  OddWorker worker({"mixing"});
  const Reply reply = worker.call("emulator", "echo");
  EXPECT_EQ(reply.error.message,
            "The worker sent what cannot be read: a binary message \"b\" inside of another.");
  EXPECT_EQ(worker.client().state(), WorkerState::stopped);
}

}  // namespace
}  // namespace tilescope::worker
