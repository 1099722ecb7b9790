// Every access of a launch, element by element: against what is known of small kernels, and over
// the ladder against what the emulator counts.
#include "worker/engine/access/accesses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "engine_support.h"
#include "kernels/registry.h"
#include "tests/every_kernel.h"
#include "worker/engine/access/access_log.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

// out[c][r] = in[r][c], through shared memory, of tiles of 32 × 32 by 32 × 8 threads without
// padding: its reads of shared memory hit one bank.
constexpr const char* kTranspose = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry turn(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<24>;
  .reg .f32 %f<2>;
  .reg .b64 %rd<8>;
  .shared .align 4 .b8 tile[4096];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %tid.y;
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %ctaid.y;
  mov.u32 %r6, tile;
  shl.b32 %r7, %r4, 5;
  shl.b32 %r8, %r5, 5;
  mov.u32 %r9, %r3;
IN:
  add.u32 %r10, %r8, %r9;
  add.u32 %r11, %r7, %r2;
  mad.lo.u32 %r12, %r10, %r1, %r11;
  mul.wide.u32 %rd3, %r12, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.f32 %f1, [%rd4];
  mad.lo.u32 %r13, %r9, 32, %r2;
  mad.lo.u32 %r14, %r13, 4, %r6;
  st.shared.f32 [%r14], %f1;
  add.u32 %r9, %r9, 8;
  setp.lt.u32 %p1, %r9, 32;
  @%p1 bra IN;
  bar.sync 0;
  mov.u32 %r9, %r3;
OUT:
  mad.lo.u32 %r15, %r2, 32, %r9;
  mad.lo.u32 %r16, %r15, 4, %r6;
  ld.shared.f32 %f1, [%r16];
  add.u32 %r17, %r7, %r9;
  add.u32 %r18, %r8, %r2;
  mad.lo.u32 %r19, %r17, %r1, %r18;
  mul.wide.u32 %rd5, %r19, 4;
  add.s64 %rd6, %rd2, %rd5;
  st.global.f32 [%rd6], %f1;
  add.u32 %r9, %r9, 8;
  setp.lt.u32 %p1, %r9, 32;
  @%p1 bra OUT;
  ret;
}
)";

LaunchRequest turned(uint32_t tiles) {
  LaunchRequest launch;
  launch.ptx = kTranspose;
  launch.sheet.emplace();
  launch.sheet->entry = "turn";
  launch.sheet->grid = {tiles, tiles, 1};
  launch.sheet->block = {32, 8, 1};
  const std::string shape = std::to_string(32 * tiles) + "x" + std::to_string(32 * tiles);
  launch.sheet->args = {"buf:f32:" + shape + ":index:in",
                        "out:" + std::to_string(4096 * tiles * tiles),
                        "i32:" + std::to_string(32 * tiles)};
  launch.names = {"in", "out", "n"};
  return launch;
}

/// Of one element: who touched it.
struct Touched {
  int reads = 0, writes = 0;
  std::set<std::tuple<uint32_t, int, int>> by;  // CTA, warp, lane
};
/// By (buffer's address or 0 of shared memory, byte / 4).
std::map<std::pair<uint64_t, uint64_t>, Touched> words_of(const AccessAnswer& a) {
  std::map<std::pair<uint64_t, uint64_t>, Touched> words;
  for (const AccessRecord& r : a.records) {
    const AccessPattern& p = a.patterns[r.pattern];
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((p.lanes >> lane & 1) == 0) continue;
      const uint64_t at = r.address + static_cast<uint64_t>(p.difference[lane]);
      const uint64_t buffer = r.shared() ? 0 : at >> 40 << 40;
      for (uint32_t byte = 0; byte < p.bytes; byte += 4) {
        Touched& t = words[{buffer, (at - buffer + byte) / 4}];
        t.reads += r.reads(), t.writes += r.writes();
        t.by.insert({r.cta, r.warp, static_cast<int>(lane)});
      }
    }
  }
  return words;
}

TEST(Accesses, OfATransposeAreTheElementsOfItsTile) {
  const AccessAnswer a = accesses_of_launch(turned(3), {.cta = {2, 1, 0}});
  EXPECT_EQ(a.stopped, "");
  EXPECT_EQ(a.warps, 8u);
  EXPECT_EQ(a.shared_bytes, 4096u);
  ASSERT_EQ(a.buffers.size(), 2u);
  const AccessBuffer &in = a.buffers[0], &out = a.buffers[1];
  EXPECT_EQ(in.name, "in");
  EXPECT_TRUE(in.shaped);
  EXPECT_EQ(std::tuple(in.rows, in.cols, in.line, in.type), std::tuple(96u, 96u, 96u, "f32"));
  // Of bytes alone no shape is known.
  EXPECT_FALSE(out.shaped);
  EXPECT_EQ(std::tuple(out.rows, out.cols, out.line, out.type), std::tuple(9u, 1024u, 1024u, ""));
  const auto words = words_of(a);
  EXPECT_EQ(words.size(), 3u * 1024);
  for (unsigned row = 0; row < 32; ++row) {
    for (unsigned col = 0; col < 32; ++col) {
      const Touched& read = words.at({in.address, (32 + row) * 96 + 64 + col});
      EXPECT_EQ(std::pair(read.reads, read.writes), std::pair(1, 0));
      // Warp row % 8 of 32 lanes.
      EXPECT_EQ(*read.by.begin(), std::tuple(0u, static_cast<int>(row % 8), static_cast<int>(col)));
      const Touched& written = words.at({out.address, (64 + row) * 96 + 32 + col});
      EXPECT_EQ(std::pair(written.reads, written.writes), std::pair(0, 1));
      EXPECT_EQ(std::get<1>(*written.by.begin()), static_cast<int>(row % 8));
      const Touched& kept = words.at({0, row * 32 + col});
      EXPECT_EQ(std::pair(kept.reads, kept.writes), std::pair(1, 1));
    }
  }
}

TEST(Accesses, TellWhatEachCostsAndWhen) {
  const AccessAnswer a = accesses_of_launch(turned(1), {});
  std::map<std::string, std::set<std::pair<int, int>>> costs;
  std::map<std::string, std::set<uint32_t>> epochs;
  uint32_t last = 0, first_read_of_shared = ~0u, last_write_of_shared = 0;
  for (const AccessRecord& r : a.records) {
    const AccessInstruction& in = a.instructions[r.instruction];
    costs[in.opcode].insert({r.cost, r.ideal});
    epochs[in.opcode].insert(r.epoch);
    EXPECT_GE(r.moment, last) << "by moment";
    last = r.moment;
    if (!r.shared()) continue;
    if (r.reads()) first_read_of_shared = std::min(first_read_of_shared, r.moment);
    if (r.writes()) last_write_of_shared = std::max(last_write_of_shared, r.moment);
  }
  EXPECT_EQ(a.moments, last + 1);
  using Costs = std::set<std::pair<int, int>>;
  EXPECT_EQ(costs["ld.global.f32"], (Costs{{4, 4}}));
  EXPECT_EQ(costs["st.shared.f32"], (Costs{{1, 1}}));
  EXPECT_EQ(costs["ld.shared.f32"], (Costs{{32, 1}}));
  EXPECT_EQ(costs["st.global.f32"], (Costs{{4, 4}}));
  EXPECT_EQ(epochs["st.shared.f32"], std::set<uint32_t>{0});
  EXPECT_EQ(epochs["ld.shared.f32"], std::set<uint32_t>{1});
  // Warp 0 reads in the emulator before warp 7 has even run twice; side by side it does not.
  EXPECT_LT(last_write_of_shared, first_read_of_shared);
}

TEST(Accesses, OfAGridHaveEachElementOnce) {
  const AccessAnswer a = accesses_of_launch(turned(4), {.whole_grid = true});
  EXPECT_TRUE(a.whole_grid);
  std::map<std::pair<uint64_t, uint64_t>, Touched> words = words_of(a);
  EXPECT_EQ(words.size(), 2u * 16384 + 1024);
  for (const auto& [at, t] : words) {
    if (at.first == 0) continue;
    EXPECT_EQ(t.reads + t.writes, 1);
    if (at.first != a.buffers[0].address) continue;
    const auto row = at.second / 128, col = at.second % 128;
    EXPECT_EQ(std::get<0>(*t.by.begin()), row / 32 * 4 + col / 32) << "CTA";
  }
}

TEST(Accesses, AreBoundedAndSayIt) {
  const AccessAnswer a = accesses_of_launch(turned(4), {.whole_grid = true, .most = 100});
  EXPECT_EQ(a.records.size(), 100u);
  EXPECT_NE(a.stopped.find("Only the first 100 accesses"), std::string::npos) << a.stopped;
  EXPECT_EQ(accesses_of_launch(turned(1), {.most = 1000}).stopped, "");
}

TEST(Accesses, HaveWhatWasTouchedUntilAFault) {
  LaunchRequest launch = turned(2);
  launch.sheet->args[1] = "out:64";
  const AccessAnswer a = accesses_of_launch(launch, {});
  EXPECT_NE(a.stopped.find("out of bounds"), std::string::npos) << a.stopped;
  std::set<std::string> seen;
  for (const AccessRecord& r : a.records) seen.insert(a.instructions[r.instruction].opcode);
  EXPECT_TRUE(seen.contains("ld.global.f32"));
  launch.sheet->args[1] = "out:16384";
  EXPECT_THROW(accesses_of_launch(launch, {.cta = {0, 2, 0}}), RpcError);
  std::atomic<bool> cancelled = true;
  EXPECT_THROW(accesses_of_launch(launch, {.cancelled = &cancelled}), RpcError);
}

// Whatever the addresses are, what is written down gives them back; and it keeps its bounds.
TEST(Accesses, OfRandomAddressesAreKeptAsTheyWere) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    const auto most = static_cast<uint32_t>(random() % 300 + 1);
    const auto patterns = static_cast<uint32_t>(random() % 100 + 1);
    AccessLog log({}, {1, 1, 1}, most, patterns);
    std::multiset<std::tuple<int, unsigned, uint64_t, uint32_t>> given, kept;
    size_t taken = 0;
    for (int i = 0; i < 400; ++i) {
      std::array<uint64_t, 32> addresses{};
      const uint64_t spread = uint64_t{1} << random() % 40;
      for (uint64_t& a : addresses) a = (uint64_t{1} << 40) + random() % spread * 16;
      emulator::MemoryAccess a;
      a.warp = random() % 4, a.step = static_cast<uint64_t>(i);
      a.ptx_line = static_cast<int>(random() % 5 + 1);
      a.reads = true;
      a.lanes = static_cast<uint32_t>(random());
      a.bytes = 1u << random() % 5;
      a.addresses = addresses.data();
      const bool goes_on = log.see(a);
      EXPECT_EQ(goes_on, !log.is_full());
      if (!goes_on) break;
      if (a.lanes) ++taken;
      for (unsigned lane = 0; lane < 32; ++lane) {
        if (a.lanes >> lane & 1) given.insert({a.ptx_line, lane, addresses[lane], a.bytes});
      }
    }
    AccessAnswer answer;
    log.give(answer);
    EXPECT_EQ(answer.records.size(), taken);
    EXPECT_LE(answer.records.size(), most);
    EXPECT_LE(answer.patterns.size(), patterns);
    for (const AccessRecord& r : answer.records) {
      const AccessPattern& p = answer.patterns.at(r.pattern);
      for (unsigned lane = 0; lane < 32; ++lane) {
        if ((p.lanes >> lane & 1) == 0) continue;
        kept.insert({answer.instructions.at(r.instruction).ptx_line, lane,
                     r.address + static_cast<uint64_t>(p.difference[lane]), p.bytes});
      }
    }
    EXPECT_EQ(given, kept) << "seed " << seed;
  }
}

class EveryKernelsAccesses : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernelsAccesses, every_kernel(), kernel_name);

// By PTX line they cost what the emulator counts, and they are of elements that are there.
TEST_P(EveryKernelsAccesses, AddUpToWhatIsCounted) {
  KernelRequest request = default_request(GetParam(), 256, 256, 256);
  request.sms = 3;
  const KernelEntry& kernel = *find_kernel(GetParam());
  const std::string ptx = test_compiler().compile(request, "sm_90")->result.ptx;
  const AccessAnswer a = accesses_of_kernel(request, kernel, ptx, {});
  EXPECT_EQ(a.stopped, "");
  GemmFill fill;
  fill.skip = true;
  EmulatedGemm gemm = prepare_gemm(request, kernel, ptx, fill);
  emulator::RunOptions options;
  options.ctas = {{0, 0, 0}};
  const emulator::RunResult ran = gemm.run(options);
  ASSERT_FALSE(ran.fault);
  std::map<int, std::tuple<uint64_t, uint64_t, uint64_t>> counted, found;
  for (const emulator::LineCounts& l : ran.counts.lines) {
    if (l.sectors + l.wavefronts == 0) continue;
    counted[l.ptx_line] = {l.sectors, l.wavefronts, l.ideal_wavefronts};
  }
  std::set<int> matrices;
  for (const AccessRecord& r : a.records) {
    auto& [sectors, wavefronts, ideal] = found[a.instructions[r.instruction].ptx_line];
    (r.shared() ? wavefronts : sectors) += r.cost;
    if (r.shared()) ideal += r.ideal;
    const uint64_t bytes = r.shared() ? a.shared_bytes : 0;
    const AccessPattern& p = a.patterns[r.pattern];
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((p.lanes >> lane & 1) == 0) continue;
      const uint64_t at = r.address + static_cast<uint64_t>(p.difference[lane]);
      if (r.shared()) {
        ASSERT_LE(at + p.bytes, bytes);
        continue;
      }
      const auto buffer = std::ranges::find(a.buffers, at >> 40 << 40, &AccessBuffer::address);
      ASSERT_NE(buffer, a.buffers.end());
      matrices.insert(buffer->matrix);
    }
  }
  EXPECT_EQ(found, counted);
  for (const int matrix : {0, 1, 2}) EXPECT_TRUE(matrices.contains(matrix)) << matrix;
}

}  // namespace
}  // namespace tilescope::worker
