// A plain load of what CTAs update by atomics alone is no error, whatever the data and the order of
// CTAs: what it brings may be old, which is a remark. With any other write it is a race, as ever.
#include <algorithm>

#include "support.h"

namespace tilescope::emulator::test::atomic_read_file {
namespace {

using Kind = Fault::Kind;

/// Four CTAs of a warp, each with its own value in %r5; %rd1 is the place that all update.
std::vector<Finding> findings_of(const std::string& body, const std::vector<uint32_t>& values) {
  RunOptions options;
  options.check = true;
  return run_kernel(kernel("mul.wide.u32 %rd5, %r2, 4;\nadd.s64 %rd6, %rd0, %rd5;\n"
                           "ld.global.u32 %r5, [%rd6];\n" +
                           body + "END:\n"),
                    32, 64, values, options, 4)
      .result.findings;
}
const std::vector<std::vector<uint32_t>> kValues = {
    {1, 2, 3, 4}, {4, 3, 2, 1}, {7, 9, 9, 2}, {0, 5, 0, 5}};

// if (x > *o) atomicMax(o, x): who finds a larger value there already runs no atomic.
const std::string kLook = "ld.global.u32 %r6, [%rd1];\nsetp.le.u32 %p1, %r5, %r6;\n@%p1 bra END;\n";

TEST(AtomicReads, OfWhatIsOnlyUpdatedAreARemark) {
  for (const char* update :
       {"atom.global.max.u32 %r7, [%rd1], %r5;\n", "red.global.max.u32 [%rd1], %r5;\n"}) {
    for (const auto& values : kValues) {
      const auto all = findings_of(kLook + update, values);
      ASSERT_EQ(all.size(), 1u) << update;
      EXPECT_TRUE(all[0].remark) << all[0].fault.message;
      EXPECT_EQ(all[0].fault.kind, Kind::cta_conflict);
      for (const char* words : {"a plain read of global memory", "may bring an old value",
                                "updates by an atomic", "PTX line"}) {
        EXPECT_NE(all[0].fault.message.find(words), std::string::npos) << all[0].fault.message;
      }
    }
  }
}

// As Warp writes the maximum of reals: the value that was read is compared by the swap.
TEST(AtomicReads, BeforeALoopOfCompareAndSwapAreNothing) {
  const std::string loop =
      "AGAIN:\natom.global.cas.b32 %r7, [%rd1], %r6, %r5;\nsetp.eq.u32 %p1, %r7, %r6;\n@%p1 bra "
      "END;\nmov.u32 %r6, %r7;\nsetp.gt.u32 %p1, %r5, %r6;\n@%p1 bra AGAIN;\n";
  for (const auto& values : kValues) {
    for (const Finding& f : findings_of(kLook + loop, values)) ADD_FAILURE() << f.fault.message;
  }
}

TEST(AtomicReads, OfWhatIsWrittenOtherwiseTooAreRaces) {
  const std::string read = "ld.global.u32 %r6, [%rd1];\n",
                    update = "red.global.max.u32 [%rd1], %r5;\n",
                    one = "setp.ne.u32 %p2, %r2, 3;\n@%p2 bra END;\n";
  for (const std::string& body : {
           read + update + one + "st.global.u32 [%rd1], %r5;\n",
           read + one + "st.volatile.global.u32 [%rd1], %r5;\n",
           read + "atom.global.cta.max.u32 %r7, [%rd1+4], %r5;\n" + one +
               "atom.global.cta.max.u32 %r7, [%rd1], %r5;\n",  // for its own CTA alone
       }) {
    const auto all = findings_of(body, kValues[0]);
    ASSERT_FALSE(all.empty()) << body;
    EXPECT_FALSE(all[0].remark) << body << all[0].fault.message;
    EXPECT_EQ(all[0].fault.kind, Kind::cta_conflict) << body;
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::atomic_read_file
