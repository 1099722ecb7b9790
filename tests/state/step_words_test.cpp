// A stepped run in words and numbers, its breakpoints, and what is asked of it.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "app/features/step/step_words.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/own_sheet.h"
#include "app/state/present_launch.h"
#include "app/state/session.h"
#include "app/state/stepped.h"
#include "worker/messages/motion.h"

namespace tilescope {
namespace {

using emulator::StepSplit;

uint64_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }

/// mma_multistage, compiled as if: its PTX has lines of the kernel's file.
AppState compiled_state(const std::string& ptx) {
  AppState s = initial_state();
  s.results.edit_serial = s.edit_serial;
  s.results.compile.emplace().ptx = ptx;
  s.results.compile->revision = "r1";
  return s;
}

/// Two warps: one runs next in half of its lanes, the other waits at a barrier.
worker::StepAnswer answer_of_two_warps() {
  worker::StepAnswer answer;
  emulator::StepState& s = answer.state;
  s.place.warp = 0, s.place.active = 0xffff, s.place.ptx_line = 40,
  s.place.opcode = "ld.shared.f32";
  s.place.source = {"a.cu", 7};
  s.place.iteration = 3;
  s.warps.resize(2);
  s.warps[0].alive = ~0u;
  s.warps[0].iteration = 3;
  s.warps[0].splits = {{StepSplit::Status::next, 0xffff, 40, {"a.cu", 7}, 0},
                       {StepSplit::Status::ready, 0xffff0000u, 50, {"a.cu", 9}, 0}};
  s.warps[1].alive = ~0u;
  s.warps[1].splits = {{StepSplit::Status::at_barrier, ~0u, 60, {"a.cu", 12}, 0}};
  s.barriers = {{0, 0, {0, ~0u}}};
  return answer;
}

TEST(StepNumbers, FitTheirCellsAndRoundTheirRest) {
  EXPECT_EQ(short_number(NumberForm::f32, 32, bits_of(-0.888388f), 5), "-0.89");
  EXPECT_EQ(short_number(NumberForm::f32, 32, bits_of(1.5f), 5), "1.5");
  EXPECT_EQ(short_number(NumberForm::f32, 32, bits_of(-0.00612f), 5), "-6e-3");
  EXPECT_EQ(short_number(NumberForm::f32, 32, bits_of(-1.2e-38f), 6), "-1e-38");
  EXPECT_EQ(short_number(NumberForm::f32, 32, bits_of(3e12f), 5), "3e+12");
  EXPECT_EQ(short_number(NumberForm::f32, 32, bits_of(NAN), 5), "nan");
  EXPECT_EQ(short_number(NumberForm::f32, 32, bits_of(-INFINITY), 5), "-inf");
  EXPECT_EQ(short_number(NumberForm::integer, 32, 0xffffffffu, 6), "-1");
  EXPECT_EQ(short_number(NumberForm::integer, 64, 0x10000123a40ull, 6), "…23a40");
  EXPECT_EQ(short_number(NumberForm::hex, 32, 0xdeadbeef, 8), "deadbeef");
  EXPECT_EQ(whole_number(NumberForm::hex, 32, 0xbeef), "0x0000beef");
  EXPECT_EQ(whole_number(NumberForm::f16, 32, 0xc000'3c00u), "1 -2");
  EXPECT_EQ(whole_number(NumberForm::bf16, 32, 0x3f80'c000u), "-2 1");
}

TEST(StepNumbers, AnyBitsOfAnyFormFit) {
  std::mt19937_64 random(std::random_device{}());
  for (int i = 0; i < 20000; ++i) {
    const uint64_t value = random() >> random() % 64;
    const int bits = i % 3 == 0 ? 64 : i % 3 == 1 ? 32 : 16;
    const auto form = static_cast<NumberForm>(random() % std::size(kNumberForms));
    const size_t most = cell_characters(form);
    const std::string text =
        short_number(form, bits, bits == 64 ? value : value & 0xffffffffu, most);
    size_t characters = 0;
    for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    EXPECT_LE(characters, bits == 64 ? most + 2 : most) << text;  // "-1e-300"
    EXPECT_FALSE(text.empty());
    EXPECT_FALSE(whole_number(form, bits, value).empty());
  }
}

TEST(StepNumbers, AHalfIsWhatTheHardwareSays) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = half_value(static_cast<uint16_t>(bits));
    const int exponent = static_cast<int>(bits >> 10 & 31);
    if (exponent == 31) {
      EXPECT_EQ(std::isnan(value), (bits & 0x3ff) != 0);
    } else {
      const double right = (exponent ? 1024.0 + (bits & 0x3ff) : bits & 0x3ff) *
                           std::pow(2.0, (exponent ? exponent : 1) - 25);
      EXPECT_EQ(static_cast<double>(value), bits & 0x8000 ? -right : right);
    }
  }
}

TEST(StepRegisters, WhatIsTheSameInAllLanesThatCountIsFolded) {
  emulator::StepRegisters of;
  of.registers = {
      {"%p1", 0, 1, 0, 0, true}, {"%r1", 0, 32, 1, ~0u, true}, {"%rd2", 3, 64, 33, 0, false}};
  of.words.assign(1 + 32 + 64, 0);
  of.words[0] = 0x0000ffffu;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    of.words[1 + lane] = lane < 16 ? 7 : lane;
    of.words[33 + 2 * lane] = lane, of.words[34 + 2 * lane] = 1;
  }
  std::vector<RegisterRow> rows = register_rows(of, ~0u);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].name, "%r1");
  EXPECT_EQ(rows[1].name, "%rd2 of function 3");
  EXPECT_EQ(rows[2].name, "%p1") << "predicates last";
  EXPECT_FALSE(rows[0].uniform || rows[2].uniform);
  EXPECT_EQ(rows[1].values[5], 0x1'0000'0005u);
  rows = register_rows(of, 0x0000ffffu);
  EXPECT_TRUE(rows[0].uniform && rows[2].uniform) << "of half of the lanes they are";
  of.words.resize(40);  // less than the registers say
  EXPECT_EQ(register_rows(of, ~0u).size(), 2u);
}

TEST(StepWarps, SayWhatTheyDoAndForWhomTheyWait) {
  const worker::StepAnswer answer = answer_of_two_warps();
  const std::vector<WarpWords> first = warp_words(answer.state, 0);
  ASSERT_EQ(first.size(), 2u) << "a row for each place where lanes stand";
  EXPECT_EQ(first[0].doing, "runs next");
  EXPECT_EQ(first[0].where, "line 7 · k 3");
  EXPECT_EQ(first[1].doing, "ready");
  EXPECT_EQ(warp_words(answer.state, 1)[0].doing, "at barrier 0, for warp 0");
  EXPECT_EQ(warps_summary(answer.state), "1 next · 0 ready · 1 waiting · 0 ended");
  EXPECT_EQ(lanes_of(answer.state, 0).active, 0xffffu);
  EXPECT_EQ(lanes_of(answer.state, 9).alive, 0u);
  EXPECT_EQ(lanes_words(0x0000ffff), "lanes 0…15");
  EXPECT_EQ(lanes_words(0x80000005), "lanes 0, 2, 31");
  EXPECT_EQ(lanes_words(1), "lane 0");
  EXPECT_EQ(
      place_words(answer.state.place, "a.cu"),
      "CTA 0,0 warp 0: line 7 · k step 3 · lanes 0…15 · ld.shared.f32 at PTX 40 · step 0 · tick 0");
  EXPECT_NE(place_words(answer.state.place, "b.cu").find(": a.cu:7 · "), std::string::npos);
}

TEST(StepShared, TheLastWritersOfAWordAreToldOnceEach) {
  emulator::StepState s;
  s.shared.resize(16);
  EXPECT_TRUE(writers_of_bytes(s, 0, 4).empty()) << "not asked for";
  const emulator::StepWriter first{2, 17, 301, 1118}, second{3, 4, 305, 7};
  const auto a = emulator::StepWriters::packed(first), b = emulator::StepWriters::packed(second);
  s.writers = {2, {a, b, b, b, 0, 0, 0, 0}, {{301, {"a.cu", 54}}, {305, {}}}};
  const std::vector<ByteWriter> both = writers_of_bytes(s, 0, 4);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].by, first);
  EXPECT_EQ(both[0].words, "warp 2, lane 17 at line 54, PTX 301, step 1,118");
  EXPECT_EQ(both[1].byte, 2);
  EXPECT_EQ(both[1].words, "warp 3, lane 4 at PTX 305, step 7");
  EXPECT_EQ(writers_of_bytes(s, 4, 4).size(), 1u);
  EXPECT_TRUE(writers_of_bytes(s, 8, 4).empty()) << "nobody has written there";
  EXPECT_TRUE(writers_of_bytes(s, 14, 4).empty());
}

TEST(StepShared, TheAccessAndItsBanksAreThoseOfTheModel) {
  worker::StepAnswer answer = answer_of_two_warps();
  emulator::StepState& s = answer.state;
  s.shared.resize(8192);
  EXPECT_FALSE(shared_access(s));
  emulator::StepAccess& a = s.accesses.emplace_back();
  a.shared = a.reads = true, a.bytes = 4, a.lanes = ~0u;
  for (uint64_t lane = 0; lane < 32; ++lane) a.addresses[lane] = lane * 128;  // one bank
  ASSERT_TRUE(shared_access(s));
  EXPECT_EQ(words_on_banks(*shared_access(s))[0], 32);
  EXPECT_NE(shared_access_words(s).find("32 wavefronts, 1 at best"), std::string::npos);
  for (uint64_t lane = 0; lane < 32; ++lane) a.addresses[lane] = 4 * lane;
  EXPECT_NE(shared_access_words(s).find("1 wavefront, no conflict"), std::string::npos);
}

TEST(StepShared, BytesAreThoseOfThePlansRegions) {
  const AppState s = initial_state();  // mma_multistage: a ring of A and B
  const KernelPlan& plan = s.derived.plan;
  const std::vector<SharedPart> parts = shared_parts(s, static_cast<size_t>(plan.shared_bytes()));
  ASSERT_EQ(parts.size(), 1u + 2u * static_cast<size_t>(plan.stages()));
  EXPECT_EQ(parts[1].name, "A 0");
  for (int outer = 0; outer < plan.block_m; outer += 7) {
    const int byte = plan.stage_bytes() + shared_offset(plan.shared_a(), outer, 5);
    const auto what = shared_byte(s, byte);
    ASSERT_TRUE(what);
    EXPECT_EQ(what->words, "A[" + std::to_string(outer) + ", 5] of the slice in stage 1");
    EXPECT_EQ(what->operand, Operand::a);
  }
  EXPECT_FALSE(shared_byte(s, plan.shared_bytes() + 100));
  EXPECT_EQ(shared_form(s, NumberForm::automatic).form, NumberForm::f16);
}

constexpr const char* kPtx = R"(.version 8.0
.visible .entry k(
	.param .u64 p
)
{
	.reg .b32 	%r<3>;
	.file	1 "/somewhere/11_mma_multistage.cuh"
	.file	2 "/elsewhere/mma.cuh"
	.loc	1 10 3
	mov.u32 	%r1, %tid.x;
$L__BB0_1:
	.loc	2 99 3, function_name $L__info_string0, inlined_at 1 20 5
	add.s32 	%r2, %r1, 1;
	.loc	1 30 3
	.loc	1 40 3
	@%p1 bra 	$L__BB0_1;
	ret;
}
)";

TEST(Breakpoints, LinesAreThoseThatHaveInstructions) {
  EXPECT_EQ(lines_with_code(kPtx, "11_mma_multistage.cuh"), (std::vector<int>{10, 20, 40}));
  EXPECT_EQ(lines_with_code(kPtx, "mma.cuh"), std::vector<int>{99});
  EXPECT_TRUE(lines_with_code(kPtx, "other.cuh").empty());
  EXPECT_TRUE(is_ptx_instruction("\t@%p1 bra $L;"));
  EXPECT_TRUE(is_ptx_instruction("$L__BB0_1: ret;"));
  for (const char* none :
       {"", "// ret;", ".loc 1 2 3", "\t.reg .b32 %r<3>;", "$L__BB0_1:", "{", ")"})
    EXPECT_FALSE(is_ptx_instruction(none)) << none;
}

TEST(Breakpoints, AreSetAtTheNextLineThatHasAnInstruction) {
  AppState s = compiled_state(kPtx);
  s.derived.kernel = find_kernel("mma_multistage");
  const std::string file = s.derived.kernel->file;
  std::string ptx = kPtx;
  ptx.replace(ptx.find("11_mma_multistage.cuh"), 21, file);
  s.results.compile->ptx = ptx;
  StepView& view = s.of<StepView>();
  toggle_breakpoint(s, CodeText::kernel, 11);
  ASSERT_EQ(view.breakpoints.size(), 1u);
  EXPECT_EQ(view.breakpoints[0].line, 20);
  toggle_breakpoint(s, CodeText::kernel, 41);
  EXPECT_EQ(view.breakpoints.size(), 1u) << "there is no line from there on";
  toggle_breakpoint(s, CodeText::ptx, 10);
  ASSERT_EQ(view.breakpoints.size(), 2u);
  EXPECT_EQ(stops_of(s, view).size(), 2u);
  view.breakpoints[0].on = false;
  ASSERT_EQ(stops_of(s, view).size(), 1u);
  EXPECT_EQ(stops_of(s, view)[0].condition.kind, emulator::StopCondition::Kind::ptx_line);
  s.results.compile->revision = "r2";
  EXPECT_TRUE(stops_of(s, view).empty()) << "its PTX is another";
  toggle_breakpoint(s, CodeText::kernel, 20);
  EXPECT_EQ(view.breakpoints.size(), 1u) << "a second click removes it";
}

TEST(Breakpoints, AFindingIsStoppedAtInItsWarp) {
  AppState s = compiled_state(kPtx);
  worker::CodeFinding race;
  race.kind = "race", race.line = 20, race.ptx_line = 13, race.warp = 4;
  s.results.findings = {race};
  EXPECT_FALSE(has_breakpoint(s, race));
  toggle_finding(s, race);
  EXPECT_TRUE(has_breakpoint(s, race));
  const std::vector<worker::StepStop> stops = stops_of(s, s.of<StepView>());
  ASSERT_EQ(stops.size(), 1u);
  EXPECT_EQ(stops[0].condition.line, 13);
  EXPECT_EQ(stops[0].condition.warp, 4u);
  // Of one warp alone it stays that of the finding.
  s.of<StepView>().warp = 2;
  run_to_breakpoint(s, false);
  EXPECT_EQ(s.of<StepView>().wishes.back().motions[0].stops[0].condition.warp, 4u);
  toggle_finding(s, race);
  EXPECT_TRUE(s.of<StepView>().breakpoints.empty());
}

TEST(Breakpoints, TheSessionKeepsThem) {
  AppState s = initial_state();
  StepView& view = s.of<StepView>();
  view.breakpoints = {{.of = "naive", .line = 12},
                      {.of = "x.ptx", .where = Breakpoint::Where::ptx, .line = 3, .revision = "r"},
                      {.of = "naive",
                       .where = Breakpoint::Where::finding,
                       .line = 9,
                       .revision = "r",
                       .warp = 4,
                       .text = "race",
                       .on = false}};
  view.number_form = 3;
  AppState other = initial_state();
  std::string error;
  ASSERT_TRUE(from_json(other, to_json(s), &error)) << error;
  EXPECT_EQ(other.of<StepView>().breakpoints, view.breakpoints);
  EXPECT_EQ(other.of<StepView>().number_form, 3);
  for (const char* odd :
       {"7", "[1,null]", R"([{"of":"k","where":9,"line":1}])",
        R"([{"of":"k","where":0,"line":-1}])", R"([{"of":3,"where":0,"line":1}])"})
    EXPECT_TRUE(breakpoints_from(nlohmann::json::parse(odd)).empty()) << odd;
}

TEST(StepUntil, ElementsOfAGemmOfOnesOwnAreBytesOfItsBuffers) {
  AppState s = initial_state();
  worker::LaunchRequest launch;
  launch.sheet.emplace();
  launch.sheet->args = {"i32:8", "buf:f32:8x4:random:in", "buf:f32:4x16:random:in",
                        "buf:f32:8x16:zeros:out"};
  launch.sheet->gemm = {.a = 1, .b = 2, .c = 3, .m = 8, .n = 16, .k = 4};
  confirm_launch(s, launch);
  worker::StepMotion motion = worker::parse_motion("written:C[2,3]");
  place_elements(s, motion);
  EXPECT_EQ(motion.stops[0].buffer, "2") << "the third that is a buffer";
  EXPECT_EQ(motion.stops[0].condition.address, (2u * 16 + 3) * 4);
  EXPECT_EQ(motion.stops[0].condition.bytes, 4u);
  EXPECT_FALSE(motion.stops[0].element);
  motion = worker::parse_motion("read:C[8,0]");
  EXPECT_THROW(place_elements(s, motion), std::invalid_argument);
  motion = worker::parse_motion("read:D[0,0]");
  EXPECT_THROW(place_elements(s, motion), std::invalid_argument);
  launch.sheet->args.resize(2);
  confirm_launch(s, launch);
  motion = worker::parse_motion("read:C[0,0]");
  EXPECT_THROW(place_elements(s, motion), std::invalid_argument);
}

TEST(StepUntil, WhatIsNoMotionIsSaidAndAsksNothing) {
  AppState s = initial_state();
  for (const char* text : {"", "written:", "at:99.x", "register:", "C[1,2]", "line:x", "|"}) {
    step_until(s, text, false);
    EXPECT_FALSE(s.of<StepView>().note.empty()) << text;
    EXPECT_TRUE(s.of<StepView>().wishes.empty()) << text;
    s.of<StepView>().note.clear();
  }
  for (const UntilOffer& offer : until_offers(s)) {
    EXPECT_NO_THROW(worker::parse_motion(offer.motion)) << offer.motion;
  }
}

TEST(Stepped, IsOfThePresentEditAlone) {
  AppState s = compiled_state(kPtx);
  Stepped& at = s.of<Stepped>();
  at.on = true, at.serial = s.edit_serial, at.revision = "r1";
  at.file = s.derived.kernel->file, at.line = 20, at.ptx_line = 13;
  ASSERT_TRUE(stepped(s));
  EXPECT_EQ(stepped_line(s, at), 20);
  at.file = "other.cuh";
  EXPECT_EQ(stepped_line(s, at), 0);
  s.results.compile->revision = "r2";
  EXPECT_FALSE(stepped(s));
  s.results.compile->revision = "r1";
  set_tile_field(s, TileFieldId::stages, 2);
  EXPECT_FALSE(stepped(s));
}

}  // namespace
}  // namespace tilescope
