// Bulk copies: boxes of random tensors, with all that lies outside, against a plain loop; runs of
// bytes; reductions; what the ISA does not allow.
#include <algorithm>
#include <random>

#include "emulator/tensor_map.h"
#include "support.h"

namespace tilescope::emulator::test::bulk_file {
namespace {

using Random = std::mt19937;
uint32_t below(Random& random, uint32_t n) { return static_cast<uint32_t>(random() % n); }

std::string entry(const std::string& body) {
  return ".version 9.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n"
         ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 in, .param .u64 out)\n{\n"
         ".reg .pred %p<10>;\n.reg .b32 %r<60>;\n.reg .b64 %rd<20>;\n"
         "ld.param.u64 %rd0, [in];\nld.param.u64 %rd1, [out];\n"
         "mov.b64 %rd2, map;\ncvta.param.u64 %rd3, %rd2;\nmov.u32 %r0, %tid.x;\n" +
         body + "ret;\n}\n";
}

/// All of shared memory from `first` on goes to `out`, or comes from `in`.
std::string sweep_shared(bool to_global, uint32_t first, uint32_t words) {
  const std::string label = to_global ? "out_" : "in_";
  return "mov.u32 %r10, %r0;\n" + label + ":\nsetp.ge.u32 %p0, %r10, " + std::to_string(words) +
         ";\n@%p0 bra " + label + "end;\nmul.wide.u32 %rd4, %r10, 4;\nshl.b32 %r11, %r10, 2;\n" +
         (to_global
              ? "add.s64 %rd4, %rd4, %rd1;\nld.shared.u32 %r12, [%r11+" + std::to_string(first) +
                    "];\nst.global.u32 [%rd4], %r12;\n"
              : "add.s64 %rd4, %rd4, %rd0;\nld.global.u32 %r12, [%rd4];\nst.shared.u32 [%r11+" +
                    std::to_string(first) + "], %r12;\n") +
         "add.s32 %r10, %r10, 32;\nbra " + label + ";\n" + label + "end:\nbar.sync 0;\n";
}

constexpr const char* kLoadBegin =
    "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra wait;\nmbarrier.init.shared::cta.b64 [smem], 1;\n"
    "fence.mbarrier_init.release.cluster;\n";
constexpr const char* kLoadEnd =
    "wait:\nbar.sync 0;\nmov.u32 %r20, smem;\n"
    "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r20], 0;\n@!%p2 bra again;\n";
constexpr uint32_t kData = 1024;  // where data lies in shared memory

struct Box {
  TensorMap map;
  int32_t at[5] = {};
  std::string text() const {
    std::string coordinates;
    for (uint32_t d = 0; d < map.rank; ++d) {
      coordinates += (d ? ", " : "") + std::to_string(at[d]);
    }
    return "[%rd3, {" + coordinates + "}]";
  }
  std::string form() const { return std::to_string(map.rank) + "d"; }
  uint32_t count(uint32_t d) const {
    return d == 0 ? map.box[0] : (map.box[d] + map.element_strides[d] - 1) / map.element_strides[d];
  }
  uint32_t elements() const {
    uint32_t n = 1;
    for (uint32_t d = 0; d < map.rank; ++d) n *= count(d);
    return n;
  }
  uint32_t bytes() const { return elements() * tensor_type_bytes(map.type); }
  /// f(element in global memory or −1, byte in shared memory)
  template <class F>
  void each(F f) const {
    const uint32_t size = tensor_type_bytes(map.type);
    for (uint32_t i = 0; i < elements(); ++i) {
      uint32_t rest = i;
      int64_t byte = 0;
      for (uint32_t d = 0; d < map.rank; ++d) {
        const int64_t x = int64_t{at[d]} + rest % count(d) * (d ? map.element_strides[d] : 1);
        rest /= count(d);
        if (x < 0 || x >= static_cast<int64_t>(map.dims[d])) byte = -(1ll << 60);
        byte += x * static_cast<int64_t>(d ? map.strides[d - 1] : size);
      }
      uint32_t to = kData + i * size;
      for (uint32_t bit = 0; bit < 3; ++bit) {
        if (map.swizzle >= 32u << bit) to ^= (to >> (7 + bit) & 1u) << (4 + bit);
      }
      f(byte < 0 ? -1 : byte, to - kData);
    }
  }
};

Box random_box(Random& random, bool stores) {
  for (;;) {
    Box b;
    TensorMap& m = b.map;
    m.type = static_cast<TensorType>(below(random, kTensorTypes));
    m.rank = 1 + below(random, 5);
    const uint32_t size = tensor_type_bytes(m.type);
    m.swizzle = below(random, 2) ? 0 : 32u << below(random, 3);
    uint64_t stride = 0;
    for (uint32_t d = 0; d < m.rank; ++d) {
      m.dims[d] = 1 + below(random, d == 0 ? 100 : 9);
      m.box[d] = 1 + below(random, d == 0 ? 64 : 5);
      if (d == 0) {
        if (m.swizzle) m.box[0] = m.swizzle / size;
        m.box[0] = std::max(m.box[0] * size / 16, 1u) * 16 / size;
        stride = (m.dims[0] * size + 15) / 16 * 16;
      } else {
        m.strides[d - 1] = stride;
        stride *= m.dims[d];
        if (below(random, 4) == 0) m.element_strides[d] = 1 + below(random, 3);
      }
      b.at[d] = static_cast<int32_t>(below(random, static_cast<uint32_t>(m.dims[d]) + 8)) -
                (stores ? 0 : 6);
      const auto step = static_cast<int32_t>(16 / size);  // the first begins at 16 bytes
      if (d == 0) b.at[0] = b.at[0] / step * step - (stores ? 0 : step * (b.at[0] < 0));
    }
    m.nan_fill = (m.type == TensorType::f16 || m.type == TensorType::f32) && below(random, 3) == 0;
    m.address = 1ull << 40;
    if (stride < 1u << 18 && b.bytes() <= 1u << 15 && wrong_in(m).empty()) return b;
  }
}

uint64_t tensor_bytes(const TensorMap& m) {
  if (m.rank == 1) return (m.dims[0] * tensor_type_bytes(m.type) + 15) / 16 * 16;
  return m.strides[m.rank - 2] * m.dims[m.rank - 1];
}

struct Ran {
  RunResult result;
  std::vector<uint8_t> tensor, out;
};
Ran run_box(const Box& b, const std::string& body, const std::vector<uint8_t>& tensor,
            const std::vector<uint8_t>& in, uint32_t out_bytes, bool check = false) {
  Ran ran;
  const auto program = parse(entry(body));
  if (!program) return ran;
  Memory memory;
  const uint64_t t = memory.allocate("tensor", tensor.size());
  EXPECT_EQ(t, b.map.address);
  std::memcpy(memory.bytes(t).data(), tensor.data(), tensor.size());
  const uint64_t i = memory.allocate("in", in.size() + 16, true);
  if (!in.empty()) std::memcpy(memory.bytes(i).data(), in.data(), in.size());
  const uint64_t o = memory.allocate("out", out_bytes + 16);
  const auto map = encode(b.map);
  std::vector<std::byte> block(map.begin(), map.end());
  const auto rest = parameters(i, o);
  block.insert(block.end(), rest.begin(), rest.end());
  RunOptions options;
  options.check = check;
  ran.result = run(*program, "k", {{1, 1, 1}, {32, 1, 1}, 1u << 16, block}, memory, options);
  const auto* bytes = reinterpret_cast<const uint8_t*>(memory.bytes(t).data());
  ran.tensor.assign(bytes, bytes + tensor.size());
  bytes = reinterpret_cast<const uint8_t*>(memory.bytes(o).data());
  ran.out.assign(bytes, bytes + out_bytes);
  return ran;
}

std::vector<uint8_t> noise(Random& random, size_t n) {
  std::vector<uint8_t> bytes(n);
  for (uint8_t& x : bytes) x = static_cast<uint8_t>(random());
  return bytes;
}

std::string load_text(const Box& b) {
  return std::string(kLoadBegin) + "mbarrier.arrive.expect_tx.shared::cta.b64 _, [smem], " +
         std::to_string(b.bytes()) + ";\ncp.async.bulk.tensor." + b.form() +
         ".shared::cluster.global.mbarrier::complete_tx::bytes [smem+" + std::to_string(kData) +
         "], " + b.text() + ", [smem];\n" + kLoadEnd;
}

TEST(Bulk, BoxesAreLoaded) {
  Random random(3);
  for (int n = 0; n < 400; ++n) {
    const Box b = random_box(random, false);
    const auto tensor = noise(random, tensor_bytes(b.map));
    const Ran ran = run_box(b, load_text(b) + sweep_shared(true, kData, b.bytes() / 4), tensor, {},
                            b.bytes(), n % 4 == 0);
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->message;
    const uint32_t size = tensor_type_bytes(b.map.type);
    b.each([&](int64_t from, uint32_t to) {
      for (uint32_t i = 0; i < size; ++i) {
        const uint8_t wanted = from >= 0        ? tensor[static_cast<size_t>(from) + i]
                               : b.map.nan_fill ? (i % 2 ? 0x7f : 0xf7)
                                                : 0;
        ASSERT_EQ(ran.out[to + i], wanted) << "box " << n << ", byte " << to + i;
      }
    });
  }
}

std::string store_text(const Box& b, const std::string& op) {
  return sweep_shared(false, kData, b.bytes() / 4) +
         "fence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra done;\n" +
         (op.empty() ? "cp.async" : "cp.reduce.async") + ".bulk.tensor." + b.form() +
         ".global.shared::cta" + (op.empty() ? "" : "." + op) + ".bulk_group " + b.text() +
         ", [smem+" + std::to_string(kData) +
         "];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\ndone:\n";
}

TEST(Bulk, BoxesAreStored) {
  Random random(4);
  for (int n = 0; n < 400; ++n) {
    const Box b = random_box(random, true);
    const auto tensor = noise(random, tensor_bytes(b.map)), in = noise(random, b.bytes());
    auto wanted = tensor;
    const uint32_t size = tensor_type_bytes(b.map.type);
    b.each([&](int64_t at, uint32_t from) {
      if (at >= 0) std::copy_n(in.begin() + from, size, wanted.begin() + at);
    });
    const Ran ran = run_box(b, store_text(b, ""), tensor, in, 16, n % 4 == 0);
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->message;
    ASSERT_EQ(ran.tensor, wanted) << "box " << n;
  }
}

// As cards have it: of loads and stores.
TEST(Bulk, ABoxBeginsAtAMultipleOf16Bytes) {
  Random random(7);
  for (const bool stores : {false, true}) {
    for (int n = 0; n < 40; ++n) {
      Box b = random_box(random, stores);
      const uint32_t size = tensor_type_bytes(b.map.type);
      b.at[0] += 1 + static_cast<int32_t>(below(random, 16 / size - 1));
      const auto tensor = noise(random, tensor_bytes(b.map));
      const Ran ran = stores ? run_box(b, store_text(b, ""), tensor, noise(random, b.bytes()), 16)
                             : run_box(b, load_text(b), tensor, {}, 16);
      ASSERT_TRUE(ran.result.fault);
      EXPECT_NE(ran.result.fault->message.find("no multiple of 16 is an illegal instruction"),
                std::string::npos)
          << ran.result.fault->message;
    }
  }
}

TEST(Bulk, BoxesAreReduced) {
  Random random(5);
  for (const char* op : {"add", "min", "max", "inc", "dec", "and", "or", "xor"}) {
    const std::string name = op;
    for (int n = 0; n < 20; ++n) {
      Box b = random_box(random, true);
      if (b.map.type != TensorType::u32) {
        --n;
        continue;
      }
      const auto tensor = noise(random, tensor_bytes(b.map)), in = noise(random, b.bytes());
      auto wanted = tensor;
      b.each([&](int64_t at, uint32_t from) {
        if (at < 0) return;
        uint32_t x, y;
        std::memcpy(&x, wanted.data() + at, 4);
        std::memcpy(&y, in.data() + from, 4);
        x = name == "add"   ? x + y
            : name == "min" ? std::min(x, y)
            : name == "max" ? std::max(x, y)
            : name == "inc" ? (x >= y ? 0 : x + 1)
            : name == "dec" ? (x == 0 || x > y ? y : x - 1)
            : name == "and" ? (x & y)
            : name == "or"  ? (x | y)
                            : (x ^ y);
        std::memcpy(wanted.data() + at, &x, 4);
      });
      const Ran ran = run_box(b, store_text(b, op), tensor, in, 16);
      ASSERT_FALSE(ran.result.fault) << ran.result.fault->message;
      ASSERT_EQ(ran.tensor, wanted) << op;
    }
  }
}

TEST(Bulk, BytesGoThereAndBack) {
  Random random(6);
  Box none;
  none.map.address = 1ull << 40;
  for (const uint32_t bytes : {16u, 48u, 4096u, 16384u}) {
    const auto tensor = noise(random, bytes);
    const std::string n = std::to_string(bytes);
    const Ran ran = run_box(
        none,
        std::string(kLoadBegin) + "mbarrier.arrive.expect_tx.shared::cta.b64 _, [smem], " + n +
            ";\nmov.u64 %rd5, 1099511627776;\ncp.async.bulk.shared::cluster.global.mbarrier::"
            "complete_tx::bytes [smem+1024], [%rd5], " +
            n + ", [smem];\n" + kLoadEnd +
            "setp.ne.u32 %p3, %r0, 0;\n@%p3 bra done;\n"
            "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [smem+1024], " +
            n + ";\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\ndone:\n",
        tensor, {}, bytes, true);
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->message;
    EXPECT_EQ(ran.out, tensor);
  }
}

// What reads before its mbarrier says that the bytes are there, and what writes where they go.
TEST(Bulk, ReadsBeforeTheEndAreFound) {
  Random random(7);
  Box b = random_box(random, false);
  const auto tensor = noise(random, tensor_bytes(b.map));
  std::string body = load_text(b);
  const std::string wait = "@!%p2 bra again;\n";
  body.erase(body.find("again:"), body.find(wait) + wait.size() - body.find("again:"));
  const Ran ran =
      run_box(b, body + sweep_shared(true, kData, b.bytes() / 4), tensor, {}, b.bytes(), true);
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, Fault::Kind::race) << ran.result.fault->message;
  EXPECT_NE(ran.result.fault->message.find("a bulk copy's write"), std::string::npos)
      << ran.result.fault->message;
}

TEST(Bulk, WhatIsNotAllowedIsSaid) {
  Random random(8);
  Box b = random_box(random, false);
  const auto tensor = noise(random, tensor_bytes(b.map));
  std::string body = load_text(b);
  const std::string place = "[smem+" + std::to_string(kData);
  body.replace(body.find(place), place.size(), "[smem+" + std::to_string(kData + 16));
  Ran ran = run_box(b, body, tensor, {}, 16);
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, Fault::Kind::misaligned) << ran.result.fault->message;
  EXPECT_NE(ran.result.fault->message.find("align the box in shared memory to 128 bytes"),
            std::string::npos)
      << ran.result.fault->message;
  // No map at all.
  Box other = b;
  body = load_text(b);
  const std::string map = "[%rd3";
  body.replace(body.find(map), map.size(), "[%rd0");
  ran = run_box(other, body, tensor, noise(random, 256), 16);
  ASSERT_TRUE(ran.result.fault);
  EXPECT_NE(ran.result.fault->message.find("tensor map"), std::string::npos)
      << ran.result.fault->message;
}

// Bytes that nobody brings: who waits for what, and not until a limit.
TEST(Bulk, BytesThatNeverComeAreADeadlock) {
  const std::string wait =
      "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], 0;\n@!%p0 bra again;\n";
  const std::string begin =
      ".shared .align 8 .b64 bar;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra ready;\n"
      "mbarrier.init.shared::cta.b64 [bar], 1;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\nready:\nbar.sync 0;\n";
  const Outcome never = run_kernel(kernel(begin + wait), 96, 1);
  ASSERT_TRUE(never.result.fault);
  EXPECT_EQ(never.result.fault->kind, Fault::Kind::deadlock);
  const char* words =
      "warps 0 to 2 ask at PTX line 27 for the mbarrier at 0x0, to which 0 of 1 arrivals and 64 "
      "bytes have yet to come";
  EXPECT_NE(never.result.fault->message.find(words), std::string::npos)
      << never.result.fault->message;
  // One that computes for long, and brings them then.
  const std::string late =
      "setp.lt.u32 %p2, %r0, 64;\n@%p2 bra again;\nmov.u32 %r5, 0;\nmore:\nadd.u32 %r5, %r5, 1;\n"
      "setp.lt.u32 %p3, %r5, 3000000;\n@%p3 bra more;\nsetp.ne.u32 %p3, %r0, 64;\n"
      "@%p3 bra again;\nmbarrier.complete_tx.shared::cta.relaxed.cluster.b64 [bar], 64;\n";
  const Outcome comes = run_kernel(kernel(begin + late + wait), 96, 1);
  EXPECT_FALSE(comes.result.fault) << comes.result.fault->message;
}

TEST(Bulk, MapsAreCheckedAsTheDriverDoes) {
  TensorMap m;
  m.rank = 2, m.dims = {64, 64}, m.strides = {128}, m.box = {64, 64}, m.swizzle = 128;
  EXPECT_EQ(wrong_in(m), "");
  const auto refused = [&](auto change, const char* word) {
    TensorMap wrong = m;
    change(wrong);
    EXPECT_NE(wrong_in(wrong).find(word), std::string::npos) << wrong_in(wrong);
    EXPECT_FALSE(decode(encode(wrong).data(), wrong));
  };
  refused([](TensorMap& w) { w.rank = 6; }, "rank 6");
  refused([](TensorMap& w) { w.address = 8; }, "address 8");
  refused([](TensorMap& w) { w.strides[0] = 130; }, "130");
  refused([](TensorMap& w) { w.box[1] = 257; }, "257");
  refused([](TensorMap& w) { w.box[0] = 65; }, "130 bytes");
  refused([](TensorMap& w) { w.box[0] = 128; }, "above the swizzle's 128");
  refused([](TensorMap& w) { w.dims[1] = 0; }, "size 0");
  refused([](TensorMap& w) { w.element_strides[1] = 9; }, "stride 9");
  refused([](TensorMap& w) { w.type = TensorType::u8, w.nan_fill = true; }, "NaN");
  TensorMap read;
  EXPECT_TRUE(decode(encode(m).data(), read));
  EXPECT_EQ(read, m);
}

}  // namespace
}  // namespace tilescope::emulator::test::bulk_file
