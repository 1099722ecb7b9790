// Wavefronts of the access patterns that people meet, by the rules of docs/model.md.
#include "core/model/banks.h"

#include <gtest/gtest.h>

namespace tilescope::model {
namespace {

TEST(Banks, UnitStrideHasNoConflict) {
  EXPECT_EQ(bank_access(strided_access(4, 4, Swizzle::none)).wavefronts, 1);
  EXPECT_EQ(bank_access(strided_access(8, 8, Swizzle::none)).wavefronts, 2);
  EXPECT_EQ(bank_access(strided_access(16, 16, Swizzle::none)).wavefronts, 4);
  for (int bytes : {4, 8, 16}) {
    const BankResult r = bank_access(strided_access(bytes, bytes, Swizzle::none));
    EXPECT_EQ(r.ideal, bytes / 4);
    EXPECT_EQ(r.conflicts(), 0);
    EXPECT_EQ(static_cast<int>(r.per_phase.size()), bytes / 4);
  }
}

TEST(Banks, StridedWords) {
  for (int words : {1, 2, 4, 8, 16, 32}) {
    EXPECT_EQ(bank_access(strided_access(4, words * 4, Swizzle::none)).wavefronts, words);
  }
  for (int odd : {3, 5, 31, 33}) {
    EXPECT_EQ(bank_access(strided_access(4, odd * 4, Swizzle::none)).wavefronts, 1);
  }
}

TEST(Banks, SameWordIsShared) {
  EXPECT_EQ(bank_access(strided_access(4, 0, Swizzle::none)).wavefronts, 1);
  // Neighbours share: half warps instead of quarters.
  EXPECT_EQ(bank_access(strided_access(16, 0, Swizzle::none)).wavefronts, 2);
  EXPECT_EQ(bank_access(strided_access(8, 0, Swizzle::none)).wavefronts, 1);
}

TEST(Banks, WideAccessesByPhase) {
  // 8 bytes at a stride of 16: a half warp spans 256 bytes, each bank pair twice.
  const BankResult r64 = bank_access(strided_access(8, 16, Swizzle::none));
  EXPECT_EQ(r64.per_phase, (std::vector<int>{2, 2}));
  // 16 bytes at a stride of 128: a quarter warp's eight rows meet in four banks.
  const BankResult r128 = bank_access(strided_access(16, 128, Swizzle::none));
  EXPECT_EQ(r128.per_phase, (std::vector<int>{8, 8, 8, 8}));
  EXPECT_EQ(r128.conflicts(), 28);
  EXPECT_EQ(bank_access(strided_access(16, 128, Swizzle::b128)).wavefronts, 4);
}

TEST(Banks, HalvesShareAWord) {
  WarpAccess access;
  access.bytes = 2;
  for (int lane = 0; lane < 32; ++lane) access.add(lane, lane * 2);
  EXPECT_EQ(bank_access(access).wavefronts, 1);
}

TEST(Banks, PhasesWithoutLanesCostNothing) {
  WarpAccess access;
  access.bytes = 16;
  for (int lane = 0; lane < 8; ++lane) access.add(lane, lane * 16);
  const BankResult r = bank_access(access);
  EXPECT_EQ(r.wavefronts, 1);
  EXPECT_EQ(r.ideal, 1);
}

TEST(Banks, LdmatrixWithAndWithoutSwizzle) {
  const BankResult plain = bank_access(matrix_access(4, 128, Swizzle::none), 4);
  EXPECT_EQ(plain.per_phase, (std::vector<int>{8, 8, 8, 8}));
  EXPECT_EQ(plain.ideal, 4);
  EXPECT_EQ(plain.conflicts(), 28);
  const BankResult swizzled = bank_access(matrix_access(4, 128, Swizzle::b128), 4);
  EXPECT_EQ(swizzled.per_phase, (std::vector<int>{1, 1, 1, 1}));
  EXPECT_EQ(swizzled.conflicts(), 0);
  EXPECT_EQ(bank_access(matrix_access(4, 64, Swizzle::none), 4).wavefronts, 16);
  EXPECT_EQ(bank_access(matrix_access(4, 64, Swizzle::b64), 4).wavefronts, 4);
  EXPECT_EQ(bank_access(matrix_access(4, 32, Swizzle::none), 4).wavefronts, 8);
  EXPECT_EQ(bank_access(matrix_access(4, 32, Swizzle::b32), 4).wavefronts, 4);
}

TEST(Banks, LdmatrixPadded) {
  EXPECT_EQ(bank_access(matrix_access(4, 128 + 16, Swizzle::none), 4).conflicts(), 0);
}

TEST(Banks, LdmatrixPhases) {
  EXPECT_EQ(bank_access(matrix_access(1, 128, Swizzle::none), 1).per_phase, (std::vector<int>{8}));
  EXPECT_EQ(bank_access(matrix_access(2, 128, Swizzle::none), 2).per_phase,
            (std::vector<int>{8, 8}));
}

}  // namespace
}  // namespace tilescope::model
