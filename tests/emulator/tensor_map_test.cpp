// Tensor maps that a kernel makes of zeros, field by field, copies to global memory and loads a box
// by; and what no map can hold.
#include <random>

#include "emulator/tensor_map.h"
#include "support.h"

namespace tilescope::emulator::test::tensor_map_file {
namespace {

/// As PTX numbers them.
int type_number(TensorType type) {
  switch (type) {
    case TensorType::f64:
      return 9;
    case TensorType::bf16:
      return 10;
    case TensorType::f32_ftz:
      return 8;
    default:
      return static_cast<int>(type);
  }
}
std::string text(uint64_t n) { return std::to_string(n); }

/// Makes `m` of zeros at `at`, in a state space.
std::string made(const TensorMap& m, const std::string& at, const std::string& space) {
  std::string body;
  const auto replace = [&](const std::string& field, const std::string& bits,
                           const std::string& operands) {
    body += "tensormap.replace.tile." + field + space + ".b1024." + bits + " [" + at + "], " +
            operands + ";\n";
  };
  body += "mov.b64 %rd20, " + text(m.address) + ";\n";
  replace("global_address", "b64", "%rd20");
  replace("rank", "b32", text(m.rank - 1));
  for (uint32_t d = 0; d < m.rank; ++d) {
    body += "mov.b32 %r20, " + text(m.box[d]) + ";\nmov.b32 %r21, " + text(m.dims[d]) + ";\n";
    replace("box_dim", "b32", text(d) + ", %r20");
    replace("global_dim", "b32", text(d) + ", %r21");
    replace("element_stride", "b32", text(d) + ", " + text(m.element_strides[d]));
    if (d == 0) continue;
    body += "mov.b64 %rd21, " + text(m.strides[d - 1]) + ";\n";
    replace("global_stride", "b64", text(d - 1) + ", %rd21");
  }
  replace("elemtype", "b32", text(static_cast<uint64_t>(type_number(m.type))));
  replace("interleave_layout", "b32", "0x0");
  replace("swizzle_mode", "b32",
          text(m.swizzle == 0    ? 0
               : m.swizzle == 32 ? 1
                                 : m.swizzle / 64 + 1));
  replace("fill_mode", "b32", m.nan_fill ? "0x1" : "0x0");
  return body;
}

constexpr const char* kBegin =
    ".shared .align 128 .b8 map[128];\nshl.b32 %r4, %r0, 2;\nmov.b32 %r5, map;\n"
    "add.u32 %r6, %r4, %r5;\nst.shared.b32 [%r6], 0;\nbar.warp.sync -1;\n"
    "setp.eq.s32 %p1, %r0, 0;\nsetp.ne.s32 %p2, %r0, 0;\n";

TensorMap random_map(std::mt19937& random) {
  for (;;) {
    TensorMap m;
    m.type = static_cast<TensorType>(random() % kTensorTypes);
    m.rank = 1 + random() % 5;
    m.address = uint64_t{1} << 40 | (random() % 64) * 16;
    m.swizzle = random() % 2 ? 0 : 32u << random() % 3;
    m.nan_fill = random() % 3 == 0;
    for (uint32_t d = 0; d < m.rank; ++d) {
      m.dims[d] = 1 + random() % 100000;
      m.box[d] = d == 0 ? 16 / tensor_type_bytes(m.type) * (1 + random() % 4) : 1 + random() % 256;
      m.element_strides[d] = 1 + random() % 8;
      if (d > 0) m.strides[d - 1] = 16 * (random() % 10000);
    }
    if (wrong_in(m).empty()) return m;
  }
}

TEST(TensorMapInKernel, IsWhatTheHostWouldMake) {
  std::mt19937 random(8);
  for (int n = 0; n < 200; ++n) {
    const TensorMap m = random_map(random);
    const std::string space = n % 3 == 0 ? "" : ".shared::cta";
    std::string body = std::string(kBegin) + "cvt.u64.u32 %rd10, %r5;\n" +
                       (n % 3 == 0 ? "cvta.shared.u64 %rd10, %rd10;\n" : "") + "@%p2 bra made;\n" +
                       made(m, "%rd10", space) +
                       "made:\nbar.warp.sync -1;\n"
                       "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu"
                       ".sync.aligned [%rd1], [map], 128;\n"
                       "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;\n";
    RunOptions options;
    options.check = true;
    const Outcome o = run_kernel(kernel(body), 32, 32, {}, options);
    ASSERT_FALSE(o.result.fault) << o.result.fault->message;
    EXPECT_TRUE(o.result.findings.empty()) << o.result.findings[0].fault.message;
    TensorMap got;
    ASSERT_TRUE(decode(reinterpret_cast<const std::byte*>(o.out.data()), got)) << wrong_in(m);
    EXPECT_EQ(got, m);
  }
}

// As Triton and grouped products do: one field after another of a map that stands in global memory.
TEST(TensorMapInKernel, IsChangedWhereItStands) {
  std::mt19937 random(9);
  for (int n = 0; n < 50; ++n) {
    TensorMap m = random_map(random), before = random_map(random);
    if (m.rank != before.rank) continue;
    const auto bytes = encode(before);
    std::vector<uint32_t> in(32);
    std::memcpy(in.data(), bytes.data(), 128);
    const Outcome o = run_kernel(
        kernel("mul.wide.u32 %rd2, %r0, 4;\nadd.s64 %rd3, %rd0, %rd2;\nadd.s64 %rd4, %rd1, %rd2;\n"
               "ld.global.b32 %r4, [%rd3];\nst.global.b32 [%rd4], %r4;\nbar.warp.sync -1;\n"
               "setp.ne.s32 %p2, %r0, 0;\n@%p2 bra made;\n" +
               made(m, "%rd1", ".global") + "made:\nfence.proxy.tensormap::generic.release.gpu;\n"),
        32, 32, in);
    ASSERT_FALSE(o.result.fault) << o.result.fault->message;
    TensorMap got;
    ASSERT_TRUE(decode(reinterpret_cast<const std::byte*>(o.out.data()), got));
    EXPECT_EQ(got, m);
  }
}

// A box of 8 × 4 halves comes by a map that the kernel itself has made; a wrong map is told of
// where it is used.
std::string loads(const std::string& change) {
  TensorMap m;
  m.rank = 2, m.address = uint64_t{1} << 40;
  m.dims = {24, 10}, m.strides = {48}, m.box = {8, 4};
  return std::string(kBegin) +
         ".shared .align 128 .b8 box[64];\n.shared .align 8 .b64 bar;\n@%p2 bra made;\n" +
         made(m, "map", ".shared::cta") + change +
         "made:\nbar.warp.sync -1;\n"
         "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
         "[%rd1], [map], 128;\n@%p2 bra wait;\n"
         "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;\n"
         "mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\n"
         "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\n"
         "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [box], "
         "[%rd1, "
         "{8, 2}], [bar];\nwait:\nbar.sync 0;\n"
         "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0;\n@!%p3 bra again;\n"
         "setp.ge.s32 %p4, %r0, 16;\n@%p4 bra done;\nmov.b32 %r7, box;\nadd.u32 %r7, %r7, %r4;\n"
         "ld.shared.b32 %r8, [%r7];\ncvt.u64.u32 %rd5, %r4;\nadd.s64 %rd5, %rd5, %rd1;\n"
         "st.global.b32 [%rd5+128], %r8;\ndone:\n";
}

TEST(TensorMapInKernel, BringsItsBox) {
  std::vector<uint32_t> in(120);
  for (uint32_t i = 0; i < 120; ++i) in[i] = i;
  RunOptions options;
  options.check = true;
  const Outcome o = run_kernel(kernel(loads("")), 32, 48, in, options);
  ASSERT_FALSE(o.result.fault) << o.result.fault->message;
  EXPECT_TRUE(o.result.findings.empty()) << o.result.findings[0].fault.message;
  for (uint32_t i = 0; i < 16; ++i) EXPECT_EQ(o.out[32 + i], (2 + i / 4) * 12 + 4 + i % 4);
}

TEST(TensorMapInKernel, WhatNoMapCanHold) {
  const auto message = [](const std::string& change) {
    const Outcome o = run_kernel(kernel(loads(change)), 32, 48, std::vector<uint32_t>(120));
    return o.result.fault ? o.result.fault->message : std::string("nothing");
  };
  const std::string replace = "tensormap.replace.tile.";
  const std::pair<std::string, std::string> wrong[] = {
      {"box_dim.shared::cta.b1024.b32 [map], 1, 300;\n", "the box's size 300 of dimension 1"},
      {"box_dim.shared::cta.b1024.b32 [map], 5, 3;\n", "dimension 5 is none of"},
      {"global_stride.shared::cta.b1024.b64 [map], 4, 32;\n", "dimension 4 is none of"},
      {"global_stride.shared::cta.b1024.b64 [map], 0, 50;\n",
       "the stride of 50 bytes of dimension 0 is no multiple of 16"},
      {"rank.shared::cta.b1024.b32 [map], 7;\n", "the rank 7, which counts from 0"},
      {"rank.shared::cta.b1024.b32 [map], 2;\n", "another number of dimensions"},
      {"elemtype.shared::cta.b1024.b32 [map], 13;\n", "the element type 13"},
      {"interleave_layout.shared::cta.b1024.b32 [map], 1;\n", "interleaved"},
      {"swizzle_mode.shared::cta.b1024.b32 [map], 4;\n", "the swizzle mode 4"},
      {"fill_mode.shared::cta.b1024.b32 [map], 2;\n", "the fill mode 2"},
      {"rank.shared::cta.b1024.b32 [map+8192], 1;\n", "out of bounds"},
      {"rank.shared::cta.b1024.b32 [map+16], 1;\n", "misaligned"}};
  for (const auto& [change, words] : wrong) {
    EXPECT_NE(message(replace + change).find(words), std::string::npos)
        << change << message(replace + change);
  }
  EXPECT_NE(
      message("st.shared.b32 [map], 5;\n" + replace + "rank.shared::cta.b1024.b32 [map], 1;\n")
          .find("neither a tensor map"),
      std::string::npos);
}

}  // namespace
}  // namespace tilescope::emulator::test::tensor_map_file
