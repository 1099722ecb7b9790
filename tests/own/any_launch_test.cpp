// Launches made at random of kernels in this folder: whatever a sheet says, each question about it
// is answered or refused in a sentence, by the same process, and the next one is answered too.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>

#include "worker/engine/access/accesses.h"
#include "worker/engine/emulate/origin_launch.h"
#include "worker/engine/emulate/run_launch.h"
#include "worker/engine/emulate/stores.h"
#include "worker/engine/error.h"
#include "worker/engine/step/step.h"

namespace tilescope::worker {
namespace {

constexpr uint64_t kFewLaneInstructions = 100'000;

std::string text_of(const char* name) {
  std::ifstream in(std::string(TILESCOPE_OWN_SOURCES) + "/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  /// Small ones mostly, now and then one at a border.
  uint32_t number(uint32_t most) {
    static constexpr uint32_t kBorders[] = {0, 1, 31, 32, 33, 1024, 1025, 65535, 65536, 0x7fffffff};
    return seldom() ? kBorders[below(std::size(kBorders))] : 1 + below(std::max(1u, most));
  }
  /// A launch in which hardly anything is wrong, or much.
  void begin_launch() { often_ = below(2) ? 6 : 60; }
  bool seldom() { return below(often_) == 0; }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  template <size_t N>
  const char* one_of(const char* const (&list)[N]) {
    return list[below(N)];
  }
  std::string spec() {
    static constexpr const char* kTypes[] = {"f32", "f16", "i8", "u64", "f64", "bf16", "nothing"};
    static constexpr const char* kFills[] = {"zeros", "random", "index", "/no/such/file.npy", ""};
    static constexpr const char* kWays[] = {"in", "out", "inout", "sideways"};
    const std::string n = std::to_string(number(40));
    switch (below(8)) {
      case 0:
        return std::string(kTypes[below(7)]) + ":" + n;
      case 1:
        return std::string(kWays[below(4)]) + ":" + std::to_string(number(2000));
      case 2:
        return "bytes:" + std::string(2 * below(20), '0') + (below(3) ? "" : "@" + n);
      case 3:
        return "";
      default:
        return "buf:" + std::string(kTypes[below(7)]) + ":" + std::to_string(1 + below(40)) + "x" +
               std::to_string(1 + below(40)) + ":" + one_of(kFills) + ":" + one_of(kWays);
    }
  }
  sheet::Extent extent(uint32_t most) {
    return {number(most), below(2) ? 1 : number(4), below(3) ? 1 : number(3)};
  }
  BlockIndex cta() {
    return {static_cast<int>(number(4)) - 1, static_cast<int>(below(3)) - 1,
            static_cast<int>(below(3)) - 1};
  }

 private:
  std::mt19937 random_;
  uint32_t often_ = 6;
};

LaunchRequest any_launch(Dice& dice, const std::string& ptx) {
  dice.begin_launch();
  LaunchRequest launch;
  launch.ptx = ptx;
  sheet::LaunchSheet& s = launch.sheet.emplace();
  s.entry = dice.seldom() ? "" : "scale";
  if (!dice.seldom()) s.grid = dice.extent(4);
  if (!dice.seldom()) s.block = dice.below(2) ? sheet::Extent{64, 1, 1} : dice.extent(70);
  if (dice.below(3) == 0) s.shared = dice.number(5000);
  static constexpr const char* kRight[] = {"buf:f32:8x16:index:in", "buf:f32:8x16:zeros:out",
                                           "f32:2"};
  for (const char* right : kRight) s.args.push_back(dice.seldom() ? dice.spec() : right);
  if (dice.seldom()) s.args.push_back(dice.spec());
  if (dice.seldom()) s.args.pop_back();
  if (dice.below(4) == 0) {
    const auto index = [&] { return static_cast<int>(dice.below(5)) - 1; };
    s.gemm = sheet::GemmSheet{.a = index(), .b = index(), .c = index()};
    s.gemm->m = static_cast<int>(dice.number(20)), s.gemm->n = static_cast<int>(dice.number(20));
    s.gemm->k = static_cast<int>(dice.number(20));
  }
  if (dice.below(2) == 0) launch.names = {"in", "out"};
  return launch;
}

StepMotion any_motion(Dice& dice) {
  StepMotion motion;
  motion.back = dice.below(2) == 0;
  motion.times = dice.number(30);
  if (dice.below(3) == 0) return motion;
  StepStop& stop = motion.stops.emplace_back();
  stop.here = dice.below(2) == 0;
  stop.condition.kind = static_cast<emulator::StopCondition::Kind>(dice.below(10));
  stop.condition.line = static_cast<int>(dice.below(40));
  stop.condition.name = dice.below(2) ? "%f1" : "%r999";
  stop.condition.bytes = dice.number(100), stop.condition.address = dice.number(5000);
  stop.condition.shared = dice.below(2) == 0;
  if (dice.below(4) == 0) stop.buffer = dice.below(2) ? "out" : std::to_string(dice.below(9));
  if (dice.below(6) == 0) {
    stop.element = Coord{static_cast<int>(dice.number(9)), static_cast<int>(dice.number(9))};
  }
  return motion;
}

class AnyLaunch : public testing::TestWithParam<unsigned> {};

TEST_P(AnyLaunch, IsAnsweredOrRefusedInASentence) {
  Dice dice(GetParam());
  const std::string ptx = text_of("scale.ptx");
  StepKeeper keeper;
  int answered = 0, refused = 0;
  const auto ask = [&](const std::function<void()>& question) {
    try {
      question();
      ++answered;
    } catch (const RpcError& error) {
      EXPECT_GT(error.message.size(), 10u) << error.message;
      ++refused;
    }
  };
  const calls::Bounds bounds{.max_lane_instructions = kFewLaneInstructions};
  for (int i = std::getenv("TILESCOPE_ALL") ? 3000 : 300; i > 0; --i) {
    const LaunchRequest launch = any_launch(dice, ptx);
    ask([&] {
      RunRequest asked;
      asked.launch = launch;
      asked.max_lane_instructions = kFewLaneInstructions;
      asked.check = dice.below(2) == 0, asked.by_line = dice.below(2) == 0;
      run_launch(asked, nullptr);
    });
    ask([&] {
      accesses_of_launch(launch, {.cta = dice.cta(),
                                  .whole_grid = dice.below(2) == 0,
                                  .max_lane_instructions = kFewLaneInstructions,
                                  .most = 1 + dice.below(400)});
    });
    ask([&] {
      calls::Stores::Request asked{.launch = launch, .bounds = bounds};
      asked.argument = static_cast<int>(dice.below(5)) - 1;
      asked.cta = dice.cta();
      asked.most_ctas = dice.number(70), asked.grid_lane_instructions = dice.below(100'000);
      stores_of(asked, nullptr);
    });
    ask([&] {
      calls::Step::Request asked;
      asked.launch = launch, asked.bounds = bounds;
      if (dice.below(2) == 0) asked.cta = dice.cta();
      asked.from = dice.number(200);
      for (uint32_t n = dice.below(4); n > 0; --n) asked.motions.push_back(any_motion(dice));
      keeper.step(asked, nullptr, nullptr);
    });
    ask([&] {
      calls::Origin::Request asked;
      asked.launch = launch, asked.bounds = bounds;
      asked.question.what = dice.below(2) ? "register" : "element";
      asked.question.cta = dice.cta();
      asked.question.ptx_line = static_cast<int>(dice.below(45));
      asked.question.lane = static_cast<int>(dice.below(40));
      origin_of_launch(asked, nullptr);
    });
  }
  std::printf("%d answered, %d refused\n", answered, refused);
  EXPECT_GT(answered, 100);
  EXPECT_GT(refused, 100);
}
INSTANTIATE_TEST_SUITE_P(Seeds, AnyLaunch, testing::Values(1u, 2u, 3u, 4u));

}  // namespace
}  // namespace tilescope::worker
