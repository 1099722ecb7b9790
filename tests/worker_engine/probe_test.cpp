// Probes in the emulator: right maps pass, every kind of wrong map is found.
#include "worker/engine/probe/probe.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "emulator/emulator.h"
#include "tests/sampled.h"
#include "worker/engine/error.h"
#include "worker/engine/probe/probe_codes.h"
#include "worker/engine/probe/probe_image.h"
#include "worker/engine/probe/probe_methods.h"

namespace tilescope::worker {
namespace {

using model::Instruction;

ProbeMachine& machine() {
  static const std::unique_ptr<ProbeMachine> emulator = emulator_probe_machine();
  return *emulator;
}
Instruction named(const std::string& name) {
  const Instruction* found = model::find_instruction(name);
  EXPECT_TRUE(found) << name;
  return found ? *found : Instruction();
}
const char* const kHalf = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";

void expect_right(const Instruction& instruction) {
  const Proof proof = prove(instruction, machine());
  EXPECT_TRUE(proof.ok) << proof.atom << ": " << proof.first_wrong << proof.unsupported
                        << proof.failed;
}
/// A wrong map, of an instruction whose right one passes.
void expect_found(const Instruction& wrong, const std::string& what) {
  const Proof proof = prove(wrong, machine());
  EXPECT_FALSE(proof.ok) << what;
  EXPECT_GT(proof.wrong, 0u) << what << proof.unsupported << proof.failed;
  EXPECT_FALSE(proof.first_wrong.empty()) << what;
}

TEST(ProbeCodes, EveryTypeHoldsItsNumbersExactly) {
  for (const ElementType type :
       {ElementType::f16, ElementType::f32, ElementType::f64, ElementType::s32}) {
    for (int64_t number = 0; number < 2048; ++number) {
      const uint64_t bits = code_bits(type, number);
      ASSERT_EQ(code_number(type, &bits), number);
    }
  }
  EXPECT_EQ(code_bits(ElementType::bf16, 255), 0x437fu);
  EXPECT_EQ(code_bits(ElementType::e4m3, 15), 0x57u);  // 1.875 · 2^3
  EXPECT_EQ(code_bits(ElementType::e5m2, 7), 0x47u);   // 1.75 · 2^2
  EXPECT_EQ(code_bits(ElementType::tf32, 1), 0x3f800000u);
  const float odd[] = {0.5f, -1.0f};
  EXPECT_EQ(code_number(ElementType::f32, &odd[0]), kNoNumber);
  EXPECT_EQ(code_number(ElementType::f32, &odd[1]), kNoNumber);
  EXPECT_EQ(digits_of(2048, 2048), 1);
  EXPECT_EQ(digits_of(2049, 2048), 2);
}

TEST(Probe, CountsWhatItCompared) {
  const Proof proof = prove(named(kHalf), machine());
  EXPECT_TRUE(proof.ok) << proof.first_wrong << proof.unsupported << proof.failed;
  EXPECT_EQ(proof.compared, 128u * 16 * 2 + 128);
  EXPECT_EQ(proof.wrong, 0u);
  EXPECT_EQ(proof.device, "emulator");
  EXPECT_EQ(proof.date.size(), 10u);
  const nlohmann::json j = proof;
  EXPECT_TRUE(j.at("first_wrong").is_null());
  EXPECT_EQ(nlohmann::json(j.get<Proof>()), j);
}

TEST(Probe, EveryInstructionOfTheEmulatorIsAsTheLayoutSays) {
  std::vector<const Instruction*> instructions;
  for (const Instruction& i : model::instructions()) {
    // Of wgmma the smallest and the middle n here; `fragments --prove --all` has them all.
    const bool some = i.mma.kind != MmaKind::wgmma || i.mma.n == 8 || i.mma.n == 128;
    if (i.kind == Instruction::Kind::move || some) instructions.push_back(&i);
  }
  int unsupported = 0;
  for (const Proof& proof : prove(sampled(std::move(instructions), 60), machine())) {
    unsupported += !proof.unsupported.empty();
    EXPECT_TRUE(proof.ok || !proof.unsupported.empty())
        << proof.atom << ": " << proof.first_wrong << proof.failed;
  }
  RecordProperty("unsupported", unsupported);
  EXPECT_EQ(unsupported, 0);
}

TEST(Probe, WrongOperandsAreFound) {
  Instruction wrong = named(kHalf);
  wrong.mma.a.value = make_layout({2, 16}, {2, 8 * 16}, {2, 8});
  expect_found(wrong, "a1 and a2 exchanged");
  wrong = named(kHalf);
  wrong.mma.a.thread = make_layout({4, 32}, {2, 4}, {4, 1});
  expect_found(wrong, "rows of A in another order");
  wrong = named(kHalf);
  wrong.mma.b.thread = make_layout({2, 4}, {2, 2}, {8, 16});
  expect_found(wrong, "k of B in another order, alone");
  wrong = named(kHalf);
  wrong.mma.b.thread = make_layout({4, 2}, {2, 4 * 16}, {4, 16});
  expect_found(wrong, "columns of B in another order");
  wrong = named(kHalf);
  wrong.mma.a.value = make_layout({2, 16}, {2, 8}, {2, 0});
  expect_found(wrong, "half of A twice");
}

TEST(Probe, TheOrderOfKIsAName) {
  // The same order of k in A and B: another name for the same sums, so no proof can tell.
  Instruction renamed = named(kHalf);
  renamed.mma.a.thread = make_layout({2, 4 * 16}, {2, 2 * 16}, {8, 1});
  renamed.mma.b.thread = make_layout({2, 4}, {2, 2}, {8, 16});
  expect_right(renamed);
}

TEST(Probe, WrongResultsAreFound) {
  Instruction wrong = named(kHalf);
  wrong.mma.d.value = make_layout({2, 8}, {2, 16});
  expect_found(wrong, "D's rows and columns exchanged within a lane");
  wrong = named(kHalf);
  wrong.mma.c.thread = make_layout({4, 32}, {2, 4}, {4, 1});
  expect_found(wrong, "C alone in another order");
  const std::string square = "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32";
  expect_right(named(square));
  wrong = named(square);
  wrong.mma.c.thread = wrong.mma.d.thread = make_layout({4, 2}, {8, 8});
  wrong.mma.c.value = wrong.mma.d.value = make_layout({2, 1});
  expect_found(wrong, "C and D transposed");
}

TEST(Probe, WrongGroupsOfLanesAreFound) {
  const std::string quad = "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32";
  expect_right(named(quad));
  Instruction wrong = named(quad);
  wrong.mma.lanes = make_layout({4, 1}, {2, 4});
  wrong.mma.group = make_layout({4, 8});
  expect_found(wrong, "groups of eight neighbours");
  wrong = named(quad);
  wrong.mma.d = quad_accumulators(ElementType::f16);
  wrong.mma.d.bits = 32, wrong.mma.d.values_per_register = 1;
  expect_found(wrong, "f32 held as f16 is");
}

TEST(Probe, WrongBitsAreFound) {
  for (const char* op : {"xor", "and"}) {
    const std::string bits =
        std::string("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.") + op + ".popc";
    expect_right(named(bits));
    Instruction wrong = named(bits);
    wrong.mma.b.value = make_layout({2, 2}, {2, 1}, {8, 4});
    expect_found(wrong, "bits of B in another order, alone");
  }
}

TEST(Probe, WrongMovesAreFound) {
  const std::string load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16";
  expect_right(named(load));
  expect_right(named("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16"));
  Instruction wrong = named(load);
  wrong.move.address = make_layout({2, 2}, {2, 1}, {8, 4});
  expect_found(wrong, "addresses of other lanes");
  wrong = named(load);
  wrong.move.registers = matrix_registers(4, true);
  expect_found(wrong, "registers transposed");
  const std::string store = "stmatrix.sync.aligned.m8n8.x2.shared.b16";
  expect_right(named(store));
  wrong = named(store);
  wrong.move.address = make_layout({2, 8}, {8, 1});
  expect_found(wrong, "addresses of stmatrix");
}

TEST(Probe, MethodAnswersOneOrSeveral) {
  const auto one = probe_fragment({.atom = kHalf}, machine());
  ASSERT_EQ(one.proofs.size(), 1u);
  EXPECT_TRUE(one.alone);
  EXPECT_TRUE(one.proofs[0].ok);
  const auto two = probe_fragment(
      {.atoms = {kHalf, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16"}}, machine());
  ASSERT_EQ(two.proofs.size(), 2u);
  EXPECT_FALSE(two.alone);
  EXPECT_TRUE(two.proofs[1].ok) << two.proofs[1].unsupported;
  try {
    probe_fragment({.atom = "mma.sync.m1n1k1"}, machine());
    ADD_FAILURE() << "answered";
  } catch (const RpcError& error) {
    EXPECT_EQ(error.exit_code, 2);
  }
}

}  // namespace
}  // namespace tilescope::worker
