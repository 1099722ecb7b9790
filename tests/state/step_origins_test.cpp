// Of a kernel of one's own: the mma that was executed, and the way from a value back to elements.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/features/fragment/executed_mma.h"
#include "app/features/step/step_words.h"
#include "app/state/edit.h"
#include "app/state/origin_elements.h"
#include "app/state/own_sheet.h"
#include "app/state/present_launch.h"
#include "app/state/stepped.h"
#include "worker/messages/motion.h"

namespace tilescope {
namespace {

constexpr const char* kGemmPtx =
    ".version 8.0\n.target sm_80\nmov.u32 %r1, 1;\n"
    "\t@%p1 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\n\t{%f1,%f2,%f3,%f4}, …;\n"
    "mma.sync.aligned.m16n8k99.row.col.f32.f16.f16.f32 {%f1}, {%r1};\nret;\n";
constexpr int kMmaLine = 4, kUnknownLine = 6;

/// A GEMM of 64×32×16 in halves, launched; its first warp runs the mma at steps 10 and 20.
AppState own_state() {
  AppState s = initial_state();
  open_own_kernel(s, {"/some/gemm.ptx", "{}"});
  worker::LaunchRequest launch;
  launch.ptx = kGemmPtx;
  launch.names = {"a", "b", "c", "n", "extra"};
  launch.sheet.emplace();
  launch.sheet->args = {"buf:f16:64x16:random:in", "buf:f16:16x32:random:in",
                        "buf:f32:64x32:zeros:out", "i32:5", "buf:f32:2x8:zeros:out"};
  sheet::GemmSheet& gemm = launch.sheet->gemm.emplace();
  gemm.a = 0, gemm.b = 1, gemm.c = 2, gemm.m = 64, gemm.n = 32, gemm.k = 16;
  confirm_launch(s, launch);
  s.results.edit_serial = s.edit_serial;
  s.results.compile.emplace().ptx = kGemmPtx;
  s.results.compile->revision = "r1";
  auto trace = std::make_shared<worker::TraceResult>();
  trace->cta = {1, 0, 0};
  for (const uint64_t step : {10, 20}) {
    worker::TraceEvent& e = trace->events.emplace_back();
    e.kind = worker::TraceEvent::Kind::mma;
    e.line = 33, e.ptx_line = kMmaLine, e.first_raw = static_cast<int32_t>(trace->raw.size());
    worker::RawAccess& raw = trace->raw.emplace_back();
    raw.step = step, raw.ptx_line = kMmaLine;
  }
  s.results.trace = std::move(trace);
  return s;
}

Stepped& stand(AppState& s, int warp, uint64_t step, int ptx_line) {
  Stepped& at = s.of<Stepped>();
  at.on = true, at.serial = s.edit_serial, at.revision = "r1";
  at.cta = {1, 0, 0}, at.warp = warp, at.step = step, at.ptx_line = ptx_line;
  return at;
}

TEST(ExecutedMma, IsTheOneThatTheWarpHasRunLast) {
  AppState s = own_state();
  auto mma = executed_mma(s);
  ASSERT_TRUE(mma);
  EXPECT_TRUE(mma->comes_later) << "the playhead stands before all";
  EXPECT_FALSE(origin_of_executed(*mma, {}));
  stand(s, 0, 15, 3);
  mma = executed_mma(s);
  ASSERT_TRUE(mma && mma->instruction);
  EXPECT_EQ(mma->instruction->name, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  EXPECT_EQ(mma->step, 10u);
  EXPECT_EQ(executed_words(*mma), "executed: line 33, PTX 4 · CTA 1,0 warp 0 · step 10");
  stand(s, 0, 99, 3);
  EXPECT_EQ(executed_mma(s)->step, 20u);
  stand(s, 0, 20, kMmaLine);
  mma = executed_mma(s);
  EXPECT_TRUE(mma->is_next) << "it has not run yet";
  EXPECT_FALSE(origin_of_executed(*mma, {}));
  stand(s, 1, 99, 3);
  EXPECT_FALSE(executed_mma(s)) << "the trace has none of that warp";
  EXPECT_NE(why_no_executed_mma(s).find("This warp"), std::string::npos);
  stand(s, 0, 99, 3).cta = {0, 0, 0};
  EXPECT_FALSE(executed_mma(s)) << "of another CTA than the trace";
}

TEST(ExecutedMma, IsNeverAGuess) {
  AppState s = own_state();
  stand(s, 0, 5, kUnknownLine);
  const auto mma = executed_mma(s);
  ASSERT_TRUE(mma);
  EXPECT_TRUE(mma->instruction == nullptr) << "no map is known of m16n8k99";
  EXPECT_EQ(mma->opcode, "mma.sync.aligned.m16n8k99.row.col.f32.f16.f16.f32");
  s.results.trace = std::make_shared<worker::TraceResult>();
  s.of<Stepped>() = {};
  EXPECT_FALSE(executed_mma(s));
  EXPECT_NE(why_no_executed_mma(s).find("executes no mma"), std::string::npos);
  EXPECT_FALSE(executed_mma(initial_state())) << "of a rung its plan says it";
}

TEST(ExecutedMma, AsksAfterItsRegistersByLaneAndHalf) {
  AppState s = own_state();
  stand(s, 0, 15, 3);
  const auto mma = executed_mma(s);
  ASSERT_TRUE(mma);
  viz::Pick pick;
  pick.matrix = 0, pick.lane = 17, pick.value = 3;  // A: two halves a register
  const auto a = origin_of_executed(*mma, pick);
  ASSERT_TRUE(a);
  EXPECT_EQ(a->what, "register");
  EXPECT_EQ(a->operand, 1);
  EXPECT_EQ(a->index, 1);
  EXPECT_EQ(a->half, 1);
  EXPECT_EQ(a->lane, 17);
  EXPECT_EQ(a->step, 10u);
  pick.matrix = 2, pick.value = 2;
  EXPECT_EQ(origin_of_executed(*mma, pick)->operand, 0);
  EXPECT_EQ(origin_of_executed(*mma, pick)->index, 2);
  EXPECT_EQ(origin_of_executed(*mma, pick)->half, -1);
}

/// With an answer of the present place.
AppState stepped_state() {
  AppState s = own_state();
  StepView& view = s.of<StepView>();
  auto answer = std::make_shared<worker::StepAnswer>();
  answer->state.cta = {1, 0, 0};
  answer->state.warps.resize(2);
  answer->state.warps[1].ran_step = 77;
  answer->state.shared.resize(16);
  answer->state.writers = {
      4, {0, emulator::StepWriters::packed({1, 9, 4, 55}), 0, 0}, {{4, {"gemm.cu", 33}}}};
  view.answer = answer;
  view.of = step_key(s);
  return s;
}

TEST(StepOrigins, AreAskedOfAKernelOfOnesOwn) {
  AppState s = stepped_state();
  ASSERT_NE(step_answer(s), nullptr);
  const auto value = origin_of_register(s, 1, "%f1", 5);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->step, 77u);
  EXPECT_EQ(value->cta, (BlockIndex{1, 0, 0}));
  EXPECT_FALSE(origin_of_register(s, 0, "%f1", 5)) << "that warp has not run";
  const auto word = origin_of_shared(s, 4);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->what, "shared");
  EXPECT_EQ(word->offset, 4u);
  EXPECT_EQ(word->warp, 1);
  EXPECT_EQ(word->step, 55u) << "as its last writer left it";
  EXPECT_EQ(word->bytes, 2) << "A is of halves";
  EXPECT_FALSE(origin_of_shared(s, 0)) << "nobody has written it";
  s.of<StepView>().whole_grid = true;
  EXPECT_FALSE(origin_of_shared(s, 4));
}

TEST(StepOrigins, LeadBackToElementsAndToBytesOfOtherBuffers) {
  const AppState s = stepped_state();
  worker::OriginResult r;
  r.boxes = {{0, 17, 3, 1, 1}, {1, 0, 5, 16, 1}, {3, 1, 2, 1, 2}};
  const std::vector<OriginElements> all = origin_elements(s, r);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].words, "A[17, 3]");
  EXPECT_EQ(all[0].motion, "read:A[17,3]");
  EXPECT_EQ(all[1].words, "B[0…15, 5]");
  EXPECT_EQ(all[1].motion, "read:B[0,5]");
  EXPECT_EQ(all[2].words, "extra[1, 2…3]");
  EXPECT_EQ(all[2].motion, "read:3+40:4") << "row 1 of 8 columns of 4 bytes";
  for (const OriginElements& e : all) {
    worker::StepMotion motion = worker::parse_motion(e.motion);
    EXPECT_NO_THROW(place_elements(s, motion));
  }
}

}  // namespace
}  // namespace tilescope
