// core/layout against the PTX ISA 9.0's own formulas, written here as the ISA writes them: %laneid,
// groupID, threadID_in_group, and `row = … for ai where …`. A witness of its own: nothing here is
// shape:stride. Sections "Matrix Fragments for mma.…" of mma, and "Register Fragments" of wgmma,
// which has figures alone. wmma is not here: the ISA leaves its fragments open.
#include <gtest/gtest.h>

#include "core/layout/mma_list.h"

namespace tilescope {
namespace {

using Formula = Coord (*)(int laneid, int i);

int group_id(int laneid) { return laneid >> 2; }
int thread_in_group(int laneid) { return laneid % 4; }

// mma.m8n8k4 with .f64: one element of A and B.
Coord m8n8k4_f64_a(int laneid, int) { return {laneid >> 2, laneid % 4}; }
Coord m8n8k4_f64_b(int laneid, int) { return {laneid % 4, laneid >> 2}; }

// mma.m8n8k16 with .u8 / .s8
Coord m8n8k16_a(int laneid, int i) { return {group_id(laneid), thread_in_group(laneid) * 4 + i}; }
Coord m8n8k16_b(int laneid, int i) { return {thread_in_group(laneid) * 4 + i, group_id(laneid)}; }

// mma.m8n8k32 with .u4 / .s4
Coord m8n8k32_a(int laneid, int i) { return {group_id(laneid), thread_in_group(laneid) * 8 + i}; }
Coord m8n8k32_b(int laneid, int i) { return {thread_in_group(laneid) * 8 + i, group_id(laneid)}; }

// mma.m8n8k128 with .b1
Coord m8n8k128_a(int laneid, int i) { return {group_id(laneid), thread_in_group(laneid) * 32 + i}; }
Coord m8n8k128_b(int laneid, int i) { return {thread_in_group(laneid) * 32 + i, group_id(laneid)}; }

// Accumulators of the m8n8 shapes.
Coord m8n8_c(int laneid, int i) { return {group_id(laneid), thread_in_group(laneid) * 2 + i}; }

// mma.m16n8k4 with .tf32, and with .f64
Coord m16n8k4_a(int laneid, int i) {
  const int row = i == 0 ? group_id(laneid) : group_id(laneid) + 8;  // for a0, for a1
  return {row, thread_in_group(laneid)};
}
Coord m16n8k4_b(int laneid, int) { return {thread_in_group(laneid), group_id(laneid)}; }

// mma.m16n8k8 with .f16 / .bf16
Coord m16n8k8_f16_a(int laneid, int i) {
  const int row = i == 0 || i == 1 ? group_id(laneid) : group_id(laneid) + 8;
  return {row, thread_in_group(laneid) * 2 + (i & 0x1)};
}
Coord m16n8k8_f16_b(int laneid, int i) {
  return {thread_in_group(laneid) * 2 + i, group_id(laneid)};
}
// mma.m16n8k8 with .tf32, and with .f64
Coord m16n8k8_tf32_a(int laneid, int i) {
  const int row = i == 0 || i == 2 ? group_id(laneid) : group_id(laneid) + 8;
  const int col = i == 0 || i == 1 ? thread_in_group(laneid) : thread_in_group(laneid) + 4;
  return {row, col};
}
Coord m16n8k8_tf32_b(int laneid, int i) {
  const int row = i == 0 ? thread_in_group(laneid) : thread_in_group(laneid) + 4;
  return {row, group_id(laneid)};
}

// mma.m16n8k16 with .f16 / .bf16
Coord m16n8k16_f16_a(int laneid, int i) {
  const bool upper = (0 <= i && i < 2) || (4 <= i && i < 6);
  const int row = upper ? group_id(laneid) : group_id(laneid) + 8;
  const int in_group = thread_in_group(laneid) * 2 + (i & 0x1);
  return {row, i < 4 ? in_group : in_group + 8};
}
Coord m16n8k16_f16_b(int laneid, int i) {
  const int in_group = thread_in_group(laneid) * 2 + (i & 0x1);
  return {i < 2 ? in_group : in_group + 8, group_id(laneid)};
}
// mma.m16n8k16 with .f64
Coord m16n8k16_f64_a(int laneid, int i) {
  const int row = i % 2 == 0 ? group_id(laneid) : group_id(laneid) + 8;
  const int col =
      i % 2 == 0 ? i * 2 + thread_in_group(laneid) : i * 2 - 2 + thread_in_group(laneid);
  return {row, col};
}
Coord m16n8k16_f64_b(int laneid, int i) {
  return {thread_in_group(laneid) + i * 4, group_id(laneid)};
}
// mma.m16n8k16 with 8-bit types
Coord m16n8k16_s8_a(int laneid, int i) {
  const int row = i < 4 ? group_id(laneid) : group_id(laneid) + 8;
  return {row, thread_in_group(laneid) * 4 + (i & 0x3)};
}
Coord m16n8k16_s8_b(int laneid, int i) {
  return {thread_in_group(laneid) * 4 + i, group_id(laneid)};
}

// mma.m16n8k32 with .s4 / .u4
Coord m16n8k32_s4_a(int laneid, int i) {
  const int row = i < 8 ? group_id(laneid) : group_id(laneid) + 8;
  return {row, thread_in_group(laneid) * 8 + (i & 0x7)};
}
Coord m16n8k32_s4_b(int laneid, int i) {
  return {thread_in_group(laneid) * 8 + (i & 0x7), group_id(laneid)};
}
// mma.m16n8k32 with 8-bit types
Coord m16n8k32_s8_a(int laneid, int i) {
  const bool upper = (0 <= i && i < 4) || (8 <= i && i < 12);
  const int row = upper ? group_id(laneid) : group_id(laneid) + 8;
  const int in_group = thread_in_group(laneid) * 4 + (i & 0x3);
  return {row, i < 8 ? in_group : in_group + 16};
}
Coord m16n8k32_s8_b(int laneid, int i) {
  const int in_group = thread_in_group(laneid) * 4 + (i & 0x3);
  return {i < 4 ? in_group : in_group + 16, group_id(laneid)};
}

// mma.m16n8k64 with .s4 / .u4
Coord m16n8k64_a(int laneid, int i) {
  const bool upper = (0 <= i && i < 8) || (16 <= i && i < 24);
  const int row = upper ? group_id(laneid) : group_id(laneid) + 8;
  const int in_group = thread_in_group(laneid) * 8 + (i & 0x7);
  return {row, i < 16 ? in_group : in_group + 32};
}
Coord m16n8k64_b(int laneid, int i) {
  const int in_group = thread_in_group(laneid) * 8 + (i & 0x7);
  return {i < 8 ? in_group : in_group + 32, group_id(laneid)};
}

// mma.m16n8k128 with .b1
Coord m16n8k128_a(int laneid, int i) {
  const int row = i < 32 ? group_id(laneid) : group_id(laneid) + 8;
  return {row, thread_in_group(laneid) * 32 + (i & 0x1F)};
}
Coord m16n8k128_b(int laneid, int i) {
  return {thread_in_group(laneid) * 32 + i, group_id(laneid)};
}

// mma.m16n8k256 with .b1. For ai where i < 64 the ISA writes `(threadID_in_group * 32) + i`: with
// i = 32…63 that runs out of the thread's own bits into its neighbours' (thread 3: to column 159 in
// row + 8, which i >= 64 gives once more). Its figure, its formulas for m16n8k128 and its own
// second line have `(i & 0x1F)`, which is meant here too.
Coord m16n8k256_a(int laneid, int i) {
  const bool upper = (0 <= i && i < 32) || (64 <= i && i < 96);
  const int row = upper ? group_id(laneid) : group_id(laneid) + 8;
  const int in_group = thread_in_group(laneid) * 32 + (i & 0x1F);
  return {row, i < 64 ? in_group : in_group + 128};
}
Coord m16n8k256_b(int laneid, int i) {
  const int in_group = thread_in_group(laneid) * 32 + (i & 0x1F);
  return {i < 32 ? in_group : in_group + 128, group_id(laneid)};
}

// Accumulators of the m16n8 shapes.
Coord m16n8_c(int laneid, int i) {
  const int row = i < 2 ? group_id(laneid) : group_id(laneid) + 8;
  return {row, thread_in_group(laneid) * 2 + (i & 0x1)};
}

struct IsaRow {
  int m, n, k, bits;  // of A and B
  int values_a, values_b, values_c;
  Formula a, b, c;
};
constexpr IsaRow kIsa[] = {
    {8, 8, 4, 64, 1, 1, 2, m8n8k4_f64_a, m8n8k4_f64_b, m8n8_c},
    {8, 8, 16, 8, 4, 4, 2, m8n8k16_a, m8n8k16_b, m8n8_c},
    {8, 8, 32, 4, 8, 8, 2, m8n8k32_a, m8n8k32_b, m8n8_c},
    {8, 8, 128, 1, 32, 32, 2, m8n8k128_a, m8n8k128_b, m8n8_c},
    {16, 8, 4, 32, 2, 1, 4, m16n8k4_a, m16n8k4_b, m16n8_c},
    {16, 8, 4, 64, 2, 1, 4, m16n8k4_a, m16n8k4_b, m16n8_c},
    {16, 8, 8, 16, 4, 2, 4, m16n8k8_f16_a, m16n8k8_f16_b, m16n8_c},
    {16, 8, 8, 32, 4, 2, 4, m16n8k8_tf32_a, m16n8k8_tf32_b, m16n8_c},
    {16, 8, 8, 64, 4, 2, 4, m16n8k8_tf32_a, m16n8k8_tf32_b, m16n8_c},
    {16, 8, 16, 16, 8, 4, 4, m16n8k16_f16_a, m16n8k16_f16_b, m16n8_c},
    {16, 8, 16, 64, 8, 4, 4, m16n8k16_f64_a, m16n8k16_f64_b, m16n8_c},
    {16, 8, 16, 8, 8, 4, 4, m16n8k16_s8_a, m16n8k16_s8_b, m16n8_c},
    {16, 8, 32, 4, 16, 8, 4, m16n8k32_s4_a, m16n8k32_s4_b, m16n8_c},
    {16, 8, 32, 8, 16, 8, 4, m16n8k32_s8_a, m16n8k32_s8_b, m16n8_c},
    {16, 8, 64, 4, 32, 16, 4, m16n8k64_a, m16n8k64_b, m16n8_c},
    {16, 8, 128, 1, 64, 32, 4, m16n8k128_a, m16n8k128_b, m16n8_c},
    {16, 8, 256, 1, 128, 64, 4, m16n8k256_a, m16n8k256_b, m16n8_c},
};

const IsaRow* isa_row(int m, int n, int k, int bits) {
  for (const IsaRow& row : kIsa) {
    if (row.m == m && row.n == n && row.k == k && row.bits == bits) return &row;
  }
  return nullptr;
}

bool is_quad(const MmaSpec& s) {
  return s.kind == MmaKind::mma_sync && s.k == 4 && s.type_a == ElementType::f16;
}

template <class Visit>
void for_all(Visit&& visit) {
  for (int f = 0; f < kMmaFamilies; ++f) {
    for_each_mma(mma_family(f), [&](const MmaSpec& spec, const MmaFamily&) { visit(spec); });
  }
}

void expect_formula(const FragmentLayout& f, int values, Formula formula, const MmaSpec& spec,
                    const char* operand) {
  ASSERT_EQ(f.threads(), 32);
  ASSERT_EQ(f.values(), values);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < values; ++i) {
      ASSERT_EQ(fragment_coord(f, lane, i), formula(lane, i))
          << "m" << spec.m << "n" << spec.n << "k" << spec.k << " type "
          << static_cast<int>(spec.type_a) << ' ' << operand << ", lane " << lane << ", i " << i;
    }
  }
}

TEST(IsaFormulas, EveryMmaSync) {
  int checked = 0;
  for_all([&](const MmaSpec& spec) {
    if (spec.kind != MmaKind::mma_sync || is_quad(spec)) return;
    const IsaRow* isa = isa_row(spec.m, spec.n, spec.k, element_bits(spec.type_a));
    ASSERT_NE(isa, nullptr) << spec.m << ' ' << spec.n << ' ' << spec.k;
    const MmaAtom atom = make_mma(spec);
    expect_formula(atom.a, isa->values_a, isa->a, spec, "A");
    expect_formula(atom.b, isa->values_b, isa->b, spec, "B");
    expect_formula(atom.c, isa->values_c, isa->c, spec, "C");
    expect_formula(atom.d, isa->values_c, isa->c, spec, "D");
    ++checked;
  });
  EXPECT_EQ(checked, 82);
}

// The ISA's line for m16n8k256 as it stands is no bijection, hence not what the hardware does.
TEST(IsaFormulas, M16N8K256AsPrintedHoldsElementsTwice) {
  const auto printed = [](int laneid, int i) -> Coord {
    if (i >= 64) return m16n8k256_a(laneid, i);
    return {m16n8k256_a(laneid, i).row, thread_in_group(laneid) * 32 + i};
  };
  EXPECT_EQ(printed(0, 32), printed(1, 0) + (Coord{8, 0}));  // row + 8, columns of thread 1
  EXPECT_EQ(printed(3, 32), m16n8k256_a(0, 96));
}

// mma.m8n8k4 with .f16: four computations, each by eight lanes.
Coord quad_a(Order order, int laneid, int i) {
  if (order == Order::row_major) {
    return {laneid < 16 ? laneid % 4 : laneid % 4 + 4, i};
  }
  return {laneid < 16 ? i % 4 : i % 4 + 4, laneid % 4};
}
Coord quad_b(Order order, int laneid, int i) {
  if (order == Order::row_major) return {laneid % 4, laneid < 16 ? i : i + 4};
  return {i, laneid < 16 ? laneid % 4 : laneid % 4 + 4};
}
Coord quad_c(ElementType type, int laneid, int i) {
  if (type == ElementType::f16) return {laneid < 16 ? laneid % 4 : laneid % 4 + 4, i};
  const int x = (laneid & 0b1) + (i & 0b10);
  return {laneid < 16 ? x : x + 4, (i & 0b100) + (laneid & 0b10) + (i & 0b1)};
}

TEST(IsaFormulas, M8N8K4InFourLayoutsAndBothAccumulators) {
  int checked = 0;
  for_all([&](const MmaSpec& spec) {
    if (!is_quad(spec)) return;
    const MmaAtom atom = make_mma(spec);
    ASSERT_EQ(atom.threads(), 32);
    ASSERT_EQ(atom.a.values(), 4);
    ASSERT_EQ(atom.b.values(), 4);
    ASSERT_EQ(atom.c.values(), 8);
    ASSERT_EQ(atom.d.values(), 8);
    for (int g = 0; g < 4; ++g) {
      for (int t = 0; t < 8; ++t) {
        // The ISA's table: computation 1 has lanes 0–3 and 16–19, computation 2 lanes 4–7 and
        // 20–23.
        const int lane = (t < 4 ? t : 16 + t - 4) + 4 * g;
        ASSERT_EQ(atom.lanes(t) + atom.group(g), lane);
        for (int i = 0; i < 4; ++i) {
          ASSERT_EQ(fragment_coord(atom.a, t, i), quad_a(spec.order_a, lane, i));
          ASSERT_EQ(fragment_coord(atom.b, t, i), quad_b(spec.order_b, lane, i));
        }
        for (int i = 0; i < 8; ++i) {
          ASSERT_EQ(fragment_coord(atom.c, t, i), quad_c(spec.type_c, lane, i));
          ASSERT_EQ(fragment_coord(atom.d, t, i), quad_c(spec.type_d, lane, i));
        }
      }
    }
    ++checked;
  });
  EXPECT_EQ(checked, 12);  // four layouts, f16 → f16, f16 → f32, f32 → f32
}

// wgmma's figures: each of the four warps holds sixteen rows of A and D. A's sixteen rows are held
// as mma.sync holds A of the same k; D in blocks of eight columns, each held as m16n8 is.
TEST(IsaFormulas, EveryWgmma) {
  int checked = 0;
  for_all([&](const MmaSpec& spec) {
    if (spec.kind != MmaKind::wgmma) return;
    const IsaRow* isa = isa_row(16, 8, spec.k, element_bits(spec.type_a));
    ASSERT_NE(isa, nullptr);
    const MmaAtom atom = make_mma(spec);
    ASSERT_TRUE(atom.b_in_shared);
    ASSERT_EQ(atom.threads(), 128);
    ASSERT_EQ(atom.a.values(), isa->values_a);
    ASSERT_EQ(atom.c.values(), spec.n / 2);
    for (int thread = 0; thread < 128; ++thread) {
      const int warp = thread / 32, laneid = thread % 32;
      for (int i = 0; i < isa->values_a; ++i) {
        ASSERT_EQ(fragment_coord(atom.a, thread, i), isa->a(laneid, i) + (Coord{16 * warp, 0}))
            << "A of k" << spec.k << ", thread " << thread << ", i " << i;
      }
      for (int i = 0; i < spec.n / 2; ++i) {
        const Coord at = m16n8_c(laneid, i % 4) + Coord{16 * warp, 8 * (i / 4)};
        ASSERT_EQ(fragment_coord(atom.c, thread, i), at) << "D, thread " << thread << ", i " << i;
        ASSERT_EQ(fragment_coord(atom.d, thread, i), at);
      }
    }
    ++checked;
  });
  EXPECT_EQ(checked, 546);
}

}  // namespace
}  // namespace tilescope
