// What is asked about a launch of any PTX beside its run: counts by line, what the sheet expects,
// where values came from, who stores what.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>

#include "worker/engine/emulate/origin_launch.h"
#include "worker/engine/emulate/run_launch.h"
#include "worker/engine/emulate/stores.h"
#include "worker/engine/error.h"
#include "worker/engine/trace/trace_launch.h"

namespace tilescope::worker {
namespace {
namespace fs = std::filesystem;

std::string ptx_text() {
  std::ifstream in(std::string(TILESCOPE_OWN_SOURCES) + "/scale.ptx");
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// out[i] = 2 · i, for 128 elements in two CTAs.
LaunchRequest scaled() {
  LaunchRequest launch;
  launch.ptx = ptx_text();
  sheet::LaunchSheet& s = launch.sheet.emplace();
  s.entry = "scale";
  s.grid = sheet::Extent{2, 1, 1}, s.block = sheet::Extent{64, 1, 1};
  s.args = {"buf:f32:8x16:index:in", "buf:f32:8x16:zeros:out", "f32:2"};
  launch.names = {"in", "out", "factor"};
  return launch;
}

class Launches : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = (fs::temp_directory_path() / "tilescope-launch-XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = path;
  }
  void TearDown() override { fs::remove_all(folder_); }
  /// A file of 128 numbers that are right, but for one.
  std::string file_of(int wrong_at, float by) const {
    const fs::path file = folder_ / "expected.bin";
    std::ofstream out(file, std::ios::binary);
    for (int i = 0; i < 128; ++i) {
      const float value = static_cast<float>(2 * i) + (i == wrong_at ? by : 0.0f);
      out.write(reinterpret_cast<const char*>(&value), sizeof value);
    }
    return file.string();
  }
  static BufferVerdict ran(const RunRequest& request) {
    const LaunchRun run = run_launch(request, nullptr);
    EXPECT_EQ(run.answer.expected.size(), 1u);
    return run.answer.expected.empty() ? BufferVerdict{} : run.answer.expected.front();
  }
  fs::path folder_;
};

TEST_F(Launches, AreCountedByLine) {
  RunRequest request;
  request.launch = scaled();
  EXPECT_TRUE(run_launch(request, nullptr).answer.counted.ptx_lines.empty());
  request.by_line = true;
  const CountedTraffic counted = run_launch(request, nullptr).answer.counted;
  uint64_t all = 0;
  for (const auto& line : counted.ptx_lines) all += line.warp_instructions;
  EXPECT_EQ(all, counted.warp_instructions);
  EXPECT_TRUE(counted.source_lines.empty()) << "its PTX names no source";
}

TEST_F(Launches, AreComparedWithAFile) {
  RunRequest request;
  request.launch = scaled();
  sheet::Expectation& expect = request.launch.sheet->expect.emplace();
  expect.files = {{1, file_of(-1, 0)}};
  const BufferVerdict right = ran(request);
  EXPECT_TRUE(right.ok);
  EXPECT_EQ(right.name, "out");
  EXPECT_EQ(right.against, "expected.bin");
  EXPECT_EQ(right.elements, 128u);
  file_of(37, 0.5f);
  const BufferVerdict wrong = ran(request);
  EXPECT_FALSE(wrong.ok);
  EXPECT_EQ(wrong.wrong, 1u);
  EXPECT_EQ(wrong.row, 2u);
  EXPECT_EQ(wrong.col, 5u);
  EXPECT_EQ(wrong.found, 74);
  EXPECT_EQ(wrong.expected, 74.5);
  expect.tolerance = 0.01;
  EXPECT_TRUE(ran(request).ok);
  std::ofstream(expect.files[0].file) << "short";
  EXPECT_THROW(run_launch(request, nullptr), RpcError);
  expect.files[0].file = (folder_ / "none.bin").string();
  EXPECT_THROW(run_launch(request, nullptr), RpcError);
}

TEST_F(Launches, AreComparedWithAnotherKernel) {
  RunRequest request;
  request.launch = scaled();
  request.launch.sheet->args[0] = "buf:f32:8x16:random:in";
  request.launch.sheet->expect.emplace().kernel = sheet::OtherKernel{"", "scale", {}, {}};
  EXPECT_THROW(run_launch(request, nullptr), RpcError) << "it was not opened";
  LaunchRequest& other = request.other.emplace(scaled());
  other.sheet->args[0] = "buf:f32:8x16:zeros:in";  // it gets what the launch has
  other.ptx = replaced(other.ptx, "mul.f32 %f3, %f2, %f1", "add.f32 %f3, %f2, %f2");
  request.other_args = {0, 1, 2};
  EXPECT_TRUE(ran(request).ok);
  EXPECT_EQ(ran(request).against, "scale");
  other.ptx = replaced(other.ptx, "add.f32 %f3, %f2, %f2", "sub.f32 %f3, %f2, %f1");
  const BufferVerdict wrong = ran(request);
  EXPECT_FALSE(wrong.ok);
  EXPECT_GT(wrong.wrong, 100u);
  other.ptx = replaced(other.ptx, "st.global.f32 [%rd5], %f3", "st.global.f32 [%rd5+9999], %f3");
  EXPECT_THROW(run_launch(request, nullptr), RpcError) << "it writes where nothing is";
}

TEST_F(Launches, TellWhereValuesCameFrom) {
  calls::Origin::Request asked;
  asked.launch = scaled();
  OriginQuestion& q = asked.question;
  q.what = "buffer", q.buffer = 1, q.offset = 4 * 21, q.bytes = 4;
  const OriginResult stored = origin_of_launch(asked, nullptr);
  EXPECT_EQ(stored.of, "out[1, 5]");
  EXPECT_NE(stored.text.find("in[1, 5]"), std::string::npos) << stored.text;
  ASSERT_FALSE(stored.boxes.empty());
  EXPECT_EQ(stored.boxes[0], (TouchedBox{1, 1, 5, 1, 1}));
  q.cta = {1, 0, 0};
  EXPECT_EQ(origin_of_launch(asked, nullptr).kind, "none") << "the other CTA writes it";
  q = {};
  q.what = "register", q.name = "%f2", q.warp = 1, q.lane = 3;
  const OriginResult loaded = origin_of_launch(asked, nullptr);
  EXPECT_EQ(loaded.kind, "element");
  EXPECT_EQ(loaded.text, "in[2, 3]");
}

TEST_F(Launches, RefuseQuestionsAfterWhatIsNotThere) {
  const auto refused = [](const OriginQuestion& q) {
    calls::Origin::Request asked;
    asked.launch = scaled();
    asked.question = q;
    try {
      origin_of_launch(asked, nullptr);
      ADD_FAILURE() << q.what << " was answered";
    } catch (const RpcError& error) {
      EXPECT_EQ(error.exit_code, 2) << error.message;
      EXPECT_NE(error.message, "");
    }
  };
  OriginQuestion q;
  q.what = "element";
  refused(q);  // of no GEMM
  q.what = "colour";
  refused(q);
  q.what = "buffer", q.buffer = 7;
  refused(q);
  q.buffer = 1, q.offset = 1 << 20;
  refused(q);
  q = {};
  q.what = "register", q.name = "%x9";
  refused(q);
  q.name = "%f2", q.warp = 2;
  refused(q);
  q.warp = 0, q.cta = {5, 0, 0};
  refused(q);
  q.cta = {-1, 0, 0};
  refused(q);
  std::mt19937 random(3);
  const auto number = [&] { return static_cast<int>(random() % 200) - 20; };
  for (int i = 0; i < 60; ++i) {  // none ends the program
    calls::Origin::Request asked;
    asked.launch = scaled();
    OriginQuestion& r = asked.question;
    static const char* const kWhats[] = {"register", "shared", "element", "buffer"};
    r.what = kWhats[random() % 4];
    r.cta = {static_cast<int>(random() % 3), 0, 0};
    r.warp = number() / 20, r.lane = number() / 4;
    r.ptx_line = number() / 4, r.times = random() % 2, r.step = random() % 30;
    r.operand = number() / 30, r.index = number() / 30;
    r.buffer = number() / 40, r.offset = static_cast<uint64_t>(random() % 700), r.bytes = number();
    try {
      EXPECT_NE(origin_of_launch(asked, nullptr).of, "");
    } catch (const RpcError& error) {
      EXPECT_NE(error.message, "");
    }
  }
}

// An iteration of a body that was unrolled for thousands of lines: the chosen one is shown whole.
TEST_F(Launches, OfALongLoopTheChosenIterationIsTraced) {
  std::string body;
  for (int i = 0; i < 6000; ++i) {
    body += "  ld.shared.f32 %f2, [%r4];\n  fma.rn.f32 %f0, %f2, %f1, %f0;\n";
  }
  LaunchRequest launch;
  launch.ptx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry unrolled(.param .u64 out)
{
  .reg .b32 %r<8>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<4>;
  .reg .pred %p<2>;
  .shared .align 4 .b8 tile[512];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, tile;
  add.s32 %r4, %r3, %r2;
  mov.f32 %f0, 0f00000000;
  mov.f32 %f1, 0f3F800000;
  st.shared.f32 [%r4], %f1;
  mov.u32 %r5, 0;
ROUND:
)" + body + R"(  add.s32 %r5, %r5, 1;
  setp.lt.s32 %p1, %r5, 20;
  @%p1 bra ROUND;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.f32 [%rd3], %f0;
  ret;
}
)";
  sheet::LaunchSheet& s = launch.sheet.emplace();
  s.entry = "unrolled";
  s.grid = sheet::Extent{1, 1, 1}, s.block = sheet::Extent{128, 1, 1};
  s.args = {"buf:f32:1x128:zeros:out"};
  const TraceResult trace = trace_launch(launch, {.k_step = 15});
  EXPECT_FALSE(trace.truncated);
  EXPECT_EQ(trace.k_slices, 20);
  EXPECT_EQ(trace.recorded_k_steps, (std::vector<int>{0, 15}));
  EXPECT_TRUE(std::ranges::any_of(trace.events, [](const auto& e) { return e.k_step == 15; }));
}

TEST_F(Launches, TellWhoStoresWhat) {
  calls::Stores::Request asked;
  asked.launch = scaled();
  asked.argument = 1;
  asked.cta = {1, 0, 0};
  const StoresResult stores = stores_of(asked, nullptr);
  EXPECT_EQ(stores.rows, 8u);
  EXPECT_EQ(stores.cols, 16u);
  EXPECT_EQ(stores.of_ctas, 2u);
  ASSERT_EQ(stores.ctas.size(), 2u);
  EXPECT_EQ(stores.ctas[0].boxes, (std::vector<TouchedBox>{{0, 0, 0, 4, 16}}));
  EXPECT_EQ(stores.ctas[1].boxes, (std::vector<TouchedBox>{{0, 4, 0, 4, 16}}));
  EXPECT_EQ(stores.box, (TouchedBox{0, 4, 0, 4, 16}));
  std::vector<int> all(64);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(stores.threads, all);
  EXPECT_FALSE(stores.truncated);
  asked.most_ctas = 0;
  EXPECT_EQ(stores_of(asked, nullptr).ctas.size(), 1u);
  asked.argument = 2;
  EXPECT_THROW(stores_of(asked, nullptr), RpcError);
  asked.argument = -3;
  EXPECT_THROW(stores_of(asked, nullptr), RpcError);
  asked.argument = 1, asked.cta = {2, 0, 0};
  EXPECT_THROW(stores_of(asked, nullptr), RpcError);
  asked.cta = {}, asked.launch.sheet.reset();
  EXPECT_THROW(stores_of(asked, nullptr), RpcError);
}

}  // namespace
}  // namespace tilescope::worker
