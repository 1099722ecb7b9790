// Loads and stores of shared memory against the counters of a card, one pattern of lanes at a time.
#include "tests/fixtures/counted_patterns.h"

#include "support.h"

namespace tilescope::emulator::test::shared_access_file {
namespace {

/// Each active lane loads from and stores to its address three times: the first time is counted
/// lane by lane, later ones as remembered.
std::string accesses(int bytes) {
  const std::string type = bytes == 4 ? "u32" : bytes == 8 ? "v2.u32" : "v4.u32";
  const std::string registers = bytes == 4   ? "%r10"
                                : bytes == 8 ? "{%r10, %r11}"
                                             : "{%r10, %r11, %r12, %r13}";
  return kernel(
      ".shared .align 16 .b8 s[4096];\nmul.wide.u32 %rd5, %r0, 4;\nadd.s64 %rd5, %rd0, %rd5;\n"
      "ld.global.u32 %r5, [%rd5];\nsetp.ne.u32 %p1, %r5, 0xffffffff;\nmov.u32 %r4, s;\n"
      "add.u32 %r5, %r4, %r5;\nmov.u32 %r6, 0;\nLOOP:\n@%p1 ld.shared." +
      type + " " + registers + ", [%r5];\n@%p1 st.shared." + type + " [%r5], " + registers +
      ";\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 3;\n@%p2 bra LOOP;\n");
}

TEST(SharedAccess, IsWhatACardCounted) {
  const auto all = tilescope::test::counted_accesses();
  ASSERT_EQ(all.size(), 288u);
  for (size_t i = 0; i < all.size(); ++i) {
    const auto& pattern = all[i];
    std::vector<uint32_t> offsets;
    for (const int slot : pattern.slot) {
      offsets.push_back(slot < 0 ? ~0u : static_cast<uint32_t>(slot * pattern.bytes));
    }
    const Outcome o = run_kernel(accesses(pattern.bytes), 32, 1, offsets);
    ASSERT_FALSE(o.result.fault) << o.result.fault->message;
    const auto times = [](int of_1000) { return static_cast<uint64_t>(of_1000) * 3 / 1000; };
    EXPECT_EQ(o.result.counts.shared_load.wavefronts, times(pattern.load_wavefronts)) << i;
    EXPECT_EQ(o.result.counts.shared_store.wavefronts, times(pattern.store_wavefronts)) << i;
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::shared_access_file
