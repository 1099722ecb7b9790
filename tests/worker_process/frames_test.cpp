// Frames and messages from a peer that may send anything.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "worker/protocol/frames.h"
#include "worker/protocol/protocol.h"
#include "worker/protocol/text.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

std::vector<Frame> read_all(FrameReader& reader, std::string_view bytes, size_t piece) {
  std::vector<Frame> frames;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    reader.feed(bytes.substr(at, piece));
    while (auto frame = reader.next()) frames.push_back(std::move(*frame));
  }
  return frames;
}

std::string error_of(std::string_view bytes, bool magic = false) {
  FrameReader reader(magic);
  try {
    reader.feed(bytes);
    while (reader.next()) continue;
  } catch (const FrameError& error) {
    return error.what();
  }
  return {};
}

TEST(Frames, RoundTripInPiecesOfAnySize) {
  const std::string body(1000, 'x');
  const std::string stream = encode_json_frame("{}") + encode_json_frame(body) +
                             encode_binary_frame(7, "trace.raw", 4, 8, std::string("\0\r\n\r", 4)) +
                             encode_json_frame("");
  for (const size_t piece : {size_t{1}, size_t{2}, size_t{7}, size_t{100}, stream.size()}) {
    FrameReader reader;
    const std::vector<Frame> frames = read_all(reader, stream, piece);
    ASSERT_EQ(frames.size(), 4u) << piece;
    EXPECT_EQ(frames[0].body, "{}");
    EXPECT_EQ(frames[1].body, body);
    EXPECT_TRUE(frames[2].binary);
    EXPECT_EQ(frames[2].id, 7u);
    EXPECT_EQ(frames[2].type, "trace.raw");
    EXPECT_EQ(frames[2].offset, 4u);
    EXPECT_EQ(frames[2].total, 8u);
    EXPECT_EQ(frames[2].body, std::string("\0\r\n\r", 4));
    EXPECT_EQ(frames[3].body, "");
    EXPECT_FALSE(frames[3].binary);
    EXPECT_FALSE(reader.inside_frame());
  }
}

TEST(Frames, LargeMessagesTravelInChunks) {
  const std::vector<std::byte> bytes(kMaxChunkBytes * 2 + 5, std::byte{3});
  std::vector<size_t> sizes;
  std::string all;
  encode_binary_message(1, "t", bytes, [&](const std::string& frame) {
    FrameReader reader;
    reader.feed(frame);
    const auto chunk = reader.next();
    ASSERT_TRUE(chunk);
    EXPECT_EQ(chunk->offset, all.size());
    EXPECT_EQ(chunk->total, bytes.size());
    sizes.push_back(chunk->body.size());
    all += chunk->body;
  });
  EXPECT_EQ(sizes, (std::vector<size_t>{kMaxChunkBytes, kMaxChunkBytes, 5}));
  EXPECT_EQ(all, std::string(bytes.size(), '\3'));
  int frames = 0;
  encode_binary_message(1, "t", {}, [&](const std::string&) { ++frames; });
  EXPECT_EQ(frames, 1) << "an empty message is a message";
}

TEST(Frames, MalformedOnesAreNamed) {
  EXPECT_NE(error_of("Content-Length: 16777217\r\n\r\n").find("16777216"), std::string::npos);
  EXPECT_NE(error_of("Content-Length: 99999999999999999999999\r\n\r\n"), "");
  EXPECT_NE(error_of("Content-Length: -1\r\n\r\n"), "");
  EXPECT_NE(error_of("Content-Length: 0x10\r\n\r\n"), "");
  EXPECT_NE(error_of("Content-Length:\r\n\r\n"), "");
  EXPECT_NE(error_of("Content-Length: 1\r\nContent-Length: 2\r\n\r\n"), "");
  EXPECT_NE(error_of("X: 1\r\n\r\n"), "");
  EXPECT_NE(error_of("\r\n\r\n"), "");
  EXPECT_NE(error_of("no field\r\n\r\n"), "");
  EXPECT_NE(error_of(std::string(5000, 'a')), "") << "a header without end";
  const std::string binary = "Content-Type: application/x-tilescope-binary\r\n";
  EXPECT_NE(error_of(binary + "Content-Length: 1\r\n\r\nx"), "") << "without a type";
  const std::string typed = binary + "Tilescope-Type: t\r\nTilescope-Id: 1\r\n";
  EXPECT_NE(error_of(typed + "Content-Length: 4194305\r\n\r\n"), "") << "chunk too large";
  EXPECT_NE(error_of(typed + "Tilescope-Total: 268435457\r\nContent-Length: 1\r\n\r\nx"), "");
  EXPECT_NE(error_of(typed + "Tilescope-Total: 3\r\nTilescope-Offset: 3\r\nContent-Length: 1\r\n"
                             "\r\nx"),
            "");
  EXPECT_EQ(error_of("content-length : 2\r\nX-Later: yes\r\n\r\n{}"), "") << "as mail headers are";
}

TEST(Frames, NothingMoreAfterAnError) {
  FrameReader reader;
  reader.feed("Content-Length: x\r\n\r\n");
  EXPECT_THROW(reader.next(), FrameError);
  reader.feed(encode_json_frame("{}"));
  EXPECT_FALSE(reader.next());
}

TEST(Frames, TruncatedOnesAreAwaited) {
  const std::string frame = encode_json_frame("{\"a\":1}");
  for (size_t size = 0; size < frame.size(); ++size) {
    FrameReader reader;
    reader.feed(frame.substr(0, size));
    EXPECT_FALSE(reader.next());
    EXPECT_EQ(reader.inside_frame(), size > 0);
  }
}

TEST(Magic, NoisyShellsArePassedOver) {
  const std::string noise = "Welcome!\nContent-Length: 3\r\n\r\ntilescope-worker is not here\n";
  for (const size_t piece : {size_t{1}, size_t{5}, size_t{1000}}) {
    FrameReader reader(true);
    const auto frames = read_all(reader, noise + magic_line() + encode_json_frame("{}"), piece);
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(reader.junk(), noise);
  }
}

TEST(Magic, MustComeInTheFirst64KiB) {
  EXPECT_EQ(error_of(std::string(kMaxJunkBytes, 'j') + magic_line(), true), "");
  const std::string error =
      error_of("\x1b[31mlogin:\n" + std::string(kMaxJunkBytes + 100, 'j'), true);
  EXPECT_NE(error.find("first 64 KiB"), std::string::npos) << error;
  EXPECT_NE(error.find("?[31mlogin:?"), std::string::npos) << "harmless to show: " << error;
}

TEST(Magic, AnotherVersionIsNamed) {
  const std::string error = error_of("tilescope-worker 23\n", true);
  EXPECT_NE(error.find("protocol 23"), std::string::npos) << error;
  EXPECT_NE(error.find("speaks 1"), std::string::npos) << error;
}

TEST(Messages, HaveLimits) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_NO_THROW(parse_message(nested(kMaxJsonDepth)));
  EXPECT_THROW(parse_message(nested(kMaxJsonDepth + 1)), FrameError);
  EXPECT_THROW(parse_message(std::string(1 << 20, '[')), FrameError);
  const std::string large(kMaxStringBytes + 1, 's');
  EXPECT_THROW(parse_message("{\"name\":\"" + large + "\"}"), FrameError);
  EXPECT_NO_THROW(parse_message("{\"ptx\":\"" + large + "\"}"));
  EXPECT_THROW(parse_message("{\"a\":"), FrameError);
  EXPECT_THROW(parse_message(""), FrameError);
  EXPECT_THROW(parse_message("{\"a\":\"\xff\"}"), FrameError);
  EXPECT_THROW(write_message(json(std::string(kMaxFrameBytes, 'x'))), RpcError);
}

TEST(Messages, ErrorsKeepTheirExitCodeAndData) {
  const RpcError error{-32000, 3, "No GPU.", {{"log", "x"}}};
  const Message read = read_message(parse_message(write_message(make_error(5, error))));
  EXPECT_EQ(read.kind, Message::Kind::error);
  EXPECT_EQ(read.id, 5u);
  EXPECT_EQ(read.error.code, -32000);
  EXPECT_EQ(read.error.exit_code, 3);
  EXPECT_EQ(read.error.message, "No GPU.");
  EXPECT_EQ(read.error.data, error.data);
}

TEST(Messages, VersionsThatDoNotFitAreBothNamed) {
  EXPECT_FALSE(version_mismatch(make_hello(), "The worker"));
  const auto sentence = version_mismatch({{"protocol", 9}, {"program", "3.1"}}, "The worker");
  ASSERT_TRUE(sentence);
  EXPECT_NE(sentence->find("protocol 9 (Tilescope 3.1)"), std::string::npos) << *sentence;
  EXPECT_NE(sentence->find("protocol 1 (Tilescope "), std::string::npos) << *sentence;
  EXPECT_TRUE(version_mismatch(json(), "The worker"));
  EXPECT_TRUE(version_mismatch({{"protocol", "1"}}, "The worker"));
}

// Reads a mutated stream to its end; only these errors may come out.
void survive(const std::string& stream) {
  FrameReader reader(true);
  try {
    reader.feed(stream);
    while (const auto frame = reader.next()) {
      if (frame->binary) continue;
      try {
        const Message message = read_message(parse_message(frame->body));
        call_of(message.value);
        version_mismatch(message.value, "It");
      } catch (const RpcError&) {
      }
    }
  } catch (const FrameError& error) {
    EXPECT_NE(std::string(error.what()), "");
  }
}

TEST(Fuzz, MutatedStreamsGiveErrorsAtMost) {
  const std::string good =
      magic_line() + encode_json_frame(write_message(make_request(1, "compile", {{"n", 1}}))) +
      encode_binary_frame(1, "trace.raw", 0, 4, "abcd") +
      encode_json_frame(write_message(make_progress(1, {{"x", {1, 2, 3}}}))) +
      encode_json_frame(write_message(make_error(1, {-1, 4, "no", {{"log", "l"}}}))) +
      encode_json_frame(write_message(make_cancel(1)));
  std::mt19937 random(12345);  // the same streams in every run
  const auto below = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(random);
  };
  const std::string_view pieces[] = {
      "\r\n\r\n", "Content-Length: ", "99999999", "\"id\":", "-1", "null", "[[[[",
      "{}",       "\xc3\x28",         "\\u0000"};
  for (int round = 0; round < 20000; ++round) {
    std::string stream = good;
    for (size_t edits = 1 + below(6); edits > 0; --edits) {
      if (stream.empty()) stream = "C";
      const size_t at = below(stream.size());
      switch (below(5)) {
        case 0:
          stream[at] = static_cast<char>(below(256));
          break;
        case 1:
          stream.erase(at, 1 + below(20));
          break;
        case 2:
          stream.insert(at, std::begin(pieces)[below(std::size(pieces))]);
          break;
        case 3:
          stream.insert(at, stream.substr(below(stream.size()), below(50)));
          break;
        case 4:
          stream.resize(at + 1);
          break;
      }
    }
    survive(stream);
  }
}

TEST(Text, IsMadeHarmless) {
  EXPECT_EQ(safe_text("a\x1b]0;x\x07 b\n", 100), "a?]0;x? b?");
  EXPECT_EQ(safe_text("a\nb", 100, true), "a\nb");
  EXPECT_EQ(safe_text("\xc2\x9b", 100), "?") << "control characters of the second kind";
  EXPECT_EQ(safe_text("µ\xff\xc3", 100), "µ??");
  EXPECT_EQ(safe_text("µµ", 3), "µ") << "cut between characters";
  BoundedLog log(10);
  log.append("0123456789abc\n");
  EXPECT_EQ(log.text(), "456789abc\n");
  EXPECT_EQ(log.last_line(), "456789abc");
}

}  // namespace
}  // namespace tilescope::worker
