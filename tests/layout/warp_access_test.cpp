// Wavefronts, sectors and lines against brute force: one byte at a time into sets, nothing shared
// with core/layout/warp_access.h but the struct that says what lanes do.
#include "core/layout/warp_access.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "tests/fixtures/counted_patterns.h"

namespace tilescope {
namespace {

// Usable where a compiler needs a number: kernels and static checks count with the same functions.
static_assert(bank_phases(strided_access(4, 4)).total() == 1);
static_assert(bank_phases(strided_access(4, 128)).total() == 32);
static_assert(bank_phases(strided_access(16, 128)).conflicts() == 28);
static_assert(bank_phases(strided_access(16, 128, Swizzle::b128)).conflicts() == 0);
static_assert(bank_phases(matrix_access(4, 144)).conflicts() == 0);
static_assert(bank_phases(matrix_access(1, 128)).phases == 4);
static_assert(sectors_of(strided_access(4, 4)) == 4 && lines_of(strided_access(4, 4)) == 1);
static_assert(sectors_of(strided_access(4, 4, Swizzle::none, 4)) == 5);
static_assert(sectors_of(strided_access(16, 256)) == 32);

struct Active {
  int lane;
  long long from;
};
std::vector<Active> active_lanes(const WarpAccess& access) {
  std::vector<Active> lanes;
  for (int lane = 0; lane < 32; ++lane) {
    if (access.active & (1u << lane)) lanes.push_back({lane, access.address[lane]});
  }
  return lanes;
}

size_t blocks_by_bytes(const WarpAccess& access, long long block) {
  std::set<long long> touched;
  for (const Active& a : active_lanes(access)) {
    for (long long byte = a.from; byte < a.from + access.bytes; ++byte)
      touched.insert(byte / block);
  }
  return touched.size();
}

/// The lanes that are on have one address in each couple {n, n + step} of every 2 · step lanes.
bool couples(const WarpAccess& access, int step) {
  for (int first = 0; first < 32; first += 2 * step) {
    for (int n = first; n < first + step; ++n) {
      std::set<long long> addresses;
      for (const Active& a : active_lanes(access)) {
        if (a.lane == n || a.lane == n + step) addresses.insert(a.from);
      }
      if (addresses.size() == 2) return false;
    }
  }
  return true;
}

/// Wavefronts phase by phase: bank → the words that somebody wants of it, byte by byte.
std::vector<int> wavefronts_by_bytes(const WarpAccess& access) {
  int lanes_per_phase = std::min(32, 128 / access.bytes);
  if (access.use == SharedUse::load && access.bytes > 4 && access.active != 0 &&
      (couples(access, 1) || couples(access, 2))) {
    lanes_per_phase *= 2;
  }
  std::map<int, std::map<long long, std::set<long long>>> wanted;  // phase → bank → words
  for (const Active& a : active_lanes(access)) {
    for (long long byte = a.from; byte < a.from + access.bytes; ++byte) {
      wanted[a.lane / lanes_per_phase][byte / 4 % 32].insert(byte / 4);
    }
  }
  std::vector<int> wavefronts(static_cast<size_t>(32 / lanes_per_phase));
  for (const auto& [phase, banks] : wanted) {
    for (const auto& [bank, words] : banks) {
      int& most = wavefronts[static_cast<size_t>(phase)];
      most = std::max(most, static_cast<int>(words.size()));
    }
  }
  return wavefronts;
}

/// Random, strided, swizzled tiles, few rows, one broadcast: what kernels do and what they should
/// not.
WarpAccess random_access(std::mt19937& random) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  WarpAccess access;
  access.bytes = 4 << below(3);
  access.use = below(2) == 0 ? SharedUse::load : SharedUse::store;
  const int stride = below(64) * access.bytes, base = below(32) * access.bytes;
  const Swizzle mode = std::array{Swizzle::none, Swizzle::b32, Swizzle::b64,
                                  Swizzle::b128}[static_cast<size_t>(below(4))];
  const int pattern = below(4), span = 1 + below(400);
  for (int lane = 0; lane < 32; ++lane) {
    long long at = base + lane * stride;
    if (pattern == 1) at = below(span) * access.bytes;
    if (pattern == 2) at = lane % 16 * (stride / 16 * 16) + lane / 16 * 16;
    if (pattern == 3) at = base + lane / (1 + span % 8) * stride;
    access.add(lane, swizzled(mode, at));
  }
  switch (below(4)) {  // all lanes, a random half, few, or a run of them
    case 1:
      access.active = random();
      break;
    case 2:
      access.active = random() & random() & random();
      break;
    case 3:
      access.active = (random() | 1u) >> below(32) << below(8);
      break;
    default:
      break;
  }
  return access;
}

// What an NVIDIA H200 counted (l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld, 1000 loads each,
// 2026-11-20) where lanes share addresses: bytes per lane, lane → offset, lanes on, wavefronts.
int without_bit(int lane, int bit) {
  return (lane & ((1 << bit) - 1)) | (lane >> (bit + 1) << bit);
}

TEST(WarpAccess, IsWhatACardCounted) {
  constexpr unsigned kAll = ~0u, kEven = 0x55555555u, kHalf = 0xFFFFu;
  struct Row {
    const char* name;
    long long (*offset)(int lane, int bytes);
    unsigned active;
    int wavefronts16, wavefronts8;
  };
  const Row rows[] = {
      {"contiguous", [](int l, int w) -> long long { return l * w; }, kAll, 4, 2},
      {"n ^ 1", [](int l, int w) -> long long { return without_bit(l, 0) * w; }, kAll, 2, 1},
      {"n ^ 2", [](int l, int w) -> long long { return without_bit(l, 1) * w; }, kAll, 2, 1},
      {"n ^ 4", [](int l, int w) -> long long { return without_bit(l, 2) * w; }, kAll, 4, 2},
      {"n ^ 8", [](int l, int w) -> long long { return without_bit(l, 3) * w; }, kAll, 4, 2},
      {"n ^ 16", [](int l, int w) -> long long { return without_bit(l, 4) * w; }, kAll, 4, 2},
      {"broadcast", [](int, int) -> long long { return 0; }, kAll, 2, 1},
      {"n ^ 1 in the first half",
       [](int l, int w) -> long long { return l < 16 ? without_bit(l, 0) * w : 256 + l * w; }, kAll,
       4, 2},
      {"n ^ 1 in the first quarter",
       [](int l, int w) -> long long { return l < 8 ? without_bit(l, 0) * w : 256 + l * w; }, kAll,
       4, 2},
      {"n ^ 1 in quarters 0 and 2",
       [](int l, int w) -> long long { return l % 16 < 8 ? without_bit(l, 0) * w : 256 + l * w; },
       kAll, 4, 3},
      {"one pair", [](int l, int w) -> long long { return l == 1 ? 0 : l * w; }, kAll, 4, 2},
      {"groups of 4", [](int l, int w) -> long long { return l / 4 * w; }, kAll, 2, 1},
      {"groups of 8", [](int l, int w) -> long long { return l / 8 * w; }, kAll, 2, 1},
      {"n ^ 1 and n ^ 16", [](int l, int w) -> long long { return without_bit(l & 15, 0) * w; },
       kAll, 2, 1},
      {"n ^ 2, rows of 128", [](int l, int) -> long long { return without_bit(l, 1) * 128; }, kAll,
       16, 16},
      {"a quarter of a warp", [](int l, int w) -> long long { return l * w; }, 0xFFu, 1, 1},
      {"n ^ 1, then n ^ 2",
       [](int l, int w) -> long long {
         return l < 8    ? without_bit(l, 0) * w
                : l < 16 ? 128 + without_bit(l - 8, 1) * w
                         : 512 + l * w;
       },
       kAll, 4, 3},
      {"all but two lanes",
       [](int l, int w) -> long long {
         return l == 14 || l == 15 ? 512 + l * w : without_bit(l, 0) * w;
       },
       kAll, 5, 2},
      {"two groups of 16", [](int l, int w) -> long long { return l / 16 * w; }, kAll, 2, 1},
      {"n ^ 1, rows of 128", [](int l, int) -> long long { return without_bit(l, 0) * 128; }, kAll,
       16, 16},
      {"rows of 128", [](int l, int) -> long long { return l * 128; }, kAll, 32, 32},
      {"n ^ 1, rows of 32", [](int l, int) -> long long { return without_bit(l, 0) * 32; }, kAll, 4,
       4},
      {"n ^ 3",
       [](int l, int w) -> long long { return (l / 4 * 2 + (l % 4 == 1 || l % 4 == 2)) * w; }, kAll,
       4, 2},
      {"even lanes", [](int l, int w) -> long long { return l * w; }, kEven, 4, 2},
      {"even lanes, packed", [](int l, int w) -> long long { return l / 2 * w; }, kEven, 2, 1},
      {"half a warp", [](int l, int w) -> long long { return l * w; }, kHalf, 2, 1},
      {"half a warp, n ^ 1", [](int l, int w) -> long long { return without_bit(l, 0) * w; }, kHalf,
       1, 1},
  };
  for (const Row& row : rows) {
    for (const int bytes : {16, 8}) {
      WarpAccess access;
      access.bytes = bytes;
      for (int lane = 0; lane < 32; ++lane) access.add(lane, row.offset(lane, bytes));
      access.active = row.active;
      EXPECT_EQ(bank_phases(access).total(), bytes == 16 ? row.wavefronts16 : row.wavefronts8)
          << row.name << ", " << bytes << " bytes";
    }
  }
}

// Loads and stores of an H100: all ways of sharing, strides, random addresses, lanes off.
TEST(WarpAccess, LoadsAndStoresAreWhatACardCounted) {
  const std::vector<test::CountedAccess> all = test::counted_accesses();
  ASSERT_EQ(all.size(), 288u);
  int differ = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    WarpAccess access;
    access.bytes = all[i].bytes;
    for (int lane = 0; lane < 32; ++lane) {
      const int slot = all[i].slot[static_cast<size_t>(lane)];
      if (slot >= 0) access.add(lane, slot * all[i].bytes);
    }
    EXPECT_EQ(bank_phases(access).total() * 1000, all[i].load_wavefronts) << i;
    access.use = SharedUse::store;
    EXPECT_EQ(bank_phases(access).total() * 1000, all[i].store_wavefronts) << i;
    differ += all[i].load_wavefronts != all[i].store_wavefronts ? 1 : 0;
  }
  EXPECT_EQ(differ, 44);  // the two rules are told apart
}

TEST(WarpAccess, EqualsBruteForceOverRandomAccesses) {
  std::mt19937 random(20261120);
  int with_conflicts = 0, idle = 0;
  for (int i = 0; i < 100000; ++i) {
    const WarpAccess access = random_access(random);
    const std::vector<int> expected = wavefronts_by_bytes(access);
    const BankPhases found = bank_phases(access);
    ASSERT_EQ(found.phases, static_cast<int>(expected.size())) << i;
    int sum = 0, ideal = 0;
    for (int p = 0; p < found.phases; ++p) {
      const int wavefronts = expected[static_cast<size_t>(p)];
      ASSERT_EQ(found.wavefronts[p], wavefronts) << "access " << i << ", phase " << p;
      sum += wavefronts, ideal += wavefronts > 0 ? 1 : 0;
    }
    ASSERT_EQ(found.total(), sum);
    ASSERT_EQ(found.ideal(), ideal);
    ASSERT_EQ(static_cast<size_t>(sectors_of(access)), blocks_by_bytes(access, 32)) << i;
    ASSERT_EQ(static_cast<size_t>(lines_of(access)), blocks_by_bytes(access, 128)) << i;
    with_conflicts += found.conflicts() > 0 ? 1 : 0;
    idle += access.active == 0 ? 1 : 0;
  }
  EXPECT_GT(with_conflicts, 10000);  // the patterns are worth something
  EXPECT_LT(with_conflicts, 90000);
  EXPECT_GT(idle, 0);
}

// Global memory is counted from any base, aligned to the access or not.
TEST(WarpAccess, SectorsFromAnyBase) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    WarpAccess access = random_access(random);
    const long long base = static_cast<long long>(random() % 4096) + (1ll << 40);
    WarpAccess moved = access;
    for (long long& at : moved.address) at += base;
    ASSERT_EQ(static_cast<size_t>(sectors_of(access, base)), blocks_by_bytes(moved, 32));
    ASSERT_EQ(static_cast<size_t>(lines_of(access, base)), blocks_by_bytes(moved, 128));
  }
}

// A sector is fetched for each 32 bytes of shared memory that some of it goes to.
TEST(FetchedSectors, AreTwiceThoseWhoseHalvesPart) {
  const auto fetched = [](long long global_base, const WarpAccess& to) {
    return fetched_sectors(strided_access(16, 16), to, global_base);
  };
  EXPECT_EQ(fetched(0, strided_access(16, 16)), 16) << "512 bytes to 512 bytes";
  EXPECT_EQ(fetched(0, strided_access(16, 16, Swizzle::none, 16)), 32) << "every sector parts";
  EXPECT_EQ(fetched(16, strided_access(16, 16, Swizzle::none, 16)), 17)
      << "both begin in the middle";
  EXPECT_EQ(fetched(16, strided_access(16, 16)), 32);
  EXPECT_EQ(fetched(0, strided_access(16, 144)), 32) << "halves to two padded lines";
  // Halves that change places within 32 bytes do no harm.
  WarpAccess turned = strided_access(16, 16);
  for (int lane = 0; lane < 32; ++lane) turned.address[lane] ^= 16;
  EXPECT_EQ(fetched(0, turned), 16);
  WarpAccess few = strided_access(16, 16);
  few.active = 0xFu;
  EXPECT_EQ(fetched_sectors(few, turned), 2);
}

// Cycles of the L1, worked out by hand: words of the worst bank, half and quarter warps after each
// other, or lines of the worst quarter of the tags, whichever are more.
TEST(GlobalWavefronts, OfAccessesWorkedOutByHand) {
  const auto strided = [](int bytes, long long stride, long long base = 0) {
    return global_wavefronts(strided_access(bytes, stride), base);
  };
  EXPECT_EQ(strided(4, 4), 1);    // a line, one word per bank
  EXPECT_EQ(strided(2, 2), 1);    // half a line
  EXPECT_EQ(strided(8, 8), 2);    // two half warps
  EXPECT_EQ(strided(16, 16), 4);  // four quarter warps
  EXPECT_EQ(strided(4, 4, 64), 1) << "two lines, in two quarters of the tags";
  EXPECT_EQ(strided(4, 4, 4), 1);
  // One word for all lanes; that neighbours share it makes no quarter warp longer, unlike in shared
  // memory.
  EXPECT_EQ(strided(4, 0), 1);
  EXPECT_EQ(strided(8, 0), 2);
  EXPECT_EQ(strided(16, 0), 4);
  // Lines apart: all words on one bank.
  for (const long long stride : {128, 256, 1280, 4096}) EXPECT_EQ(strided(4, stride), 32) << stride;
  EXPECT_EQ(strided(8, 128), 32);
  EXPECT_EQ(strided(16, 128), 32);
  // A word more: each on a bank of its own; 32 lines, eight in each quarter of the tags.
  EXPECT_EQ(strided(4, 132), 8);
  // Every lane's line has the same number modulo four, and they cannot be looked up together.
  EXPECT_EQ(strided(4, 516), 32);
  EXPECT_EQ(strided(4, 260), 16) << "even lines";
  // Sixteen lanes on each of two banks.
  EXPECT_EQ(strided(4, 64), 16);
  EXPECT_EQ(strided(4, 68), 5) << "each on a bank of its own; of lines 0 to 16 five in a quarter";
}

TEST(GlobalWavefronts, CountLanesThatTakePart) {
  WarpAccess access = strided_access(4, 128);
  access.active = 0xFu;
  EXPECT_EQ(global_wavefronts(access), 4);
  access.active = 0;
  EXPECT_EQ(global_wavefronts(access), 0);
  access = strided_access(16, 16);
  access.active = 0xFF00FFu;  // quarters 0 and 2
  EXPECT_EQ(global_wavefronts(access), 2);
}

TEST(GlobalWavefronts, EqualBruteForceFromAnyBase) {
  std::mt19937 random(20261205);
  int by_tags = 0, by_data = 0;
  for (int i = 0; i < 20000; ++i) {
    WarpAccess access = random_access(random);
    const long long base = static_cast<long long>(random() % 1024) * 4 + (1ll << 40);
    const int found = global_wavefronts(access, base);
    for (long long& at : access.address) at += base;
    access.use = SharedUse::store;  // no pairs of lanes
    const std::vector<int> phases = wavefronts_by_bytes(access);
    const int data = std::accumulate(phases.begin(), phases.end(), 0);
    std::map<long long, std::set<long long>> lines;  // quarter of the tags → lines
    for (const Active& a : active_lanes(access)) {
      for (long long byte = a.from; byte < a.from + access.bytes; ++byte)
        lines[byte / 128 % 4].insert(byte / 128);
    }
    int tags = 0;
    for (const auto& [quarter, looked_up] : lines)
      tags = std::max(tags, static_cast<int>(looked_up.size()));
    ASSERT_EQ(found, std::max(data, tags)) << i;
    by_tags += tags > data ? 1 : 0, by_data += data > tags ? 1 : 0;
  }
  EXPECT_GT(by_tags, 100);  // both decide
  EXPECT_GT(by_data, 100);
}

}  // namespace
}  // namespace tilescope
