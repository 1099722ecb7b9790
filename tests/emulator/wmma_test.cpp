// wmma: fragments as an H200 has them (kernels/wmma_h200.txt), products, and kernels from nvcc.
#include <sstream>

#include "matrix_support.h"

namespace tilescope::emulator::test::wmma_file {
namespace {

/// A line of the file: one operand of one shape and type.
struct Spread {
  std::string matrix, shape, type;
  std::vector<isa::Place> of_lane, of_element;
  int m = 0, n = 0, k = 0;

  int elements() const { return 1 << of_element.size(); }
  int rows() const { return matrix == "b" ? k : m; }
  int cols() const { return matrix == "a" ? k : n; }
  isa::Place at(int lane, int i) const {
    isa::Place p{0, 0};
    auto add = [&p](int number, const std::vector<isa::Place>& bits) {
      for (size_t b = 0; b < bits.size(); ++b) {
        if ((number >> b) & 1) p.row += bits[b].row, p.col += bits[b].col;
      }
    };
    add(lane, of_lane);
    add(i, of_element);
    return p;
  }
  Operand operand() const {
    return {type, elements(), [this](int lane, int i) { return at(lane, i); }};
  }
};

const std::vector<Spread>& spreads() {
  static const std::vector<Spread> all = [] {
    std::vector<Spread> result;
    std::istringstream file(read_kernel("wmma_h200.txt"));
    for (std::string line; std::getline(file, line);) {
      if (line[0] == '#') continue;
      std::istringstream words(line);
      Spread s;
      words >> s.matrix >> s.shape >> s.type;
      s.type.pop_back();  // the colon
      std::sscanf(s.shape.c_str(), "m%dn%dk%d", &s.m, &s.n, &s.k);
      auto* to = &s.of_lane;
      for (std::string word; words >> word;) {
        isa::Place p{};
        if (word == "|") {
          to = &s.of_element;
        } else if (std::sscanf(word.c_str(), "%d,%d", &p.row, &p.col) == 2) {
          to->push_back(p);
        }
      }
      result.push_back(s);
    }
    return result;
  }();
  return all;
}
Operand operand(const std::string& matrix, const std::string& shape, const std::string& type) {
  for (const Spread& s : spreads()) {
    if (s.matrix == matrix && s.shape == shape && s.type == type) return s.operand();
  }
  ADD_FAILURE() << "no " << matrix << " of " << shape << " " << type;
  return {};
}

struct Way {
  bool row_major;
  const char* space;  // ".global", ".shared", or "" for a generic address of shared memory
  int padding;        // bytes between lines; -1: no stride operand
};

// 16 KiB of the matrix lie at `in`, 64 bytes per lane of registers at in + 16384; `out` likewise.
void check_transfer(const Spread& s, const Way& way) {
  const bool store = s.matrix == "d";
  const int bits = bits_of(s.type), line = way.row_major ? s.cols() : s.rows();
  const int stride = line + std::max(way.padding, 0) * 8 / bits;
  const std::string name = s.type == "f64" ? "%fd" : s.type == "f32" ? "%f" : "%r";
  const std::string type = s.type == "f64" ? ".f64" : s.type == "f32" ? ".f32" : ".b32";
  const Operand o = s.operand();
  std::string list, load, dump;
  for (int i = 0; i < o.registers(); ++i) {
    const std::string reg = name + std::to_string(10 + i);
    const std::string at = std::to_string(16384 + i * (s.type == "f64" ? 8 : 4));
    list += (i ? "," : "") + reg;
    load += "ld.global" + type + " " + reg + ", [%rd5+" + at + "];\n";
    dump += "st.global" + type + " [%rd6+" + at + "], " + reg + ";\n";
  }
  const std::string space = way.space;
  const std::string address = space == ".global" ? (store ? "%rd1" : "%rd0") : "%rd7";
  std::string text = std::string("wmma.") + (store ? "store.d" : "load." + s.matrix) +
                     ".sync.aligned." + (way.row_major ? "row." : "col.") + s.shape + space + "." +
                     s.type + " ";
  text += store ? "[" + address + "], {" + list + "}" : "{" + list + "}, [" + address + "]";
  if (way.padding >= 0) text += ", %r60";
  // Copies of 16 KiB in and out of shared memory, 32 lanes at a time.
  auto copy = [](const char* from, const char* to, const std::string& label) {
    return std::string("mov.u32 %r50, %r0;\n") + label +
           ":\nshl.b32 %r51, %r50, 2;\ncvt.u64.u32 %rd8, %r51;\nadd.s64 %rd9, %rd8, " + from +
           ";\nadd.s64 %rd10, %rd8, " + to +
           ";\nld.u32 %r52, [%rd9];\nst.u32 [%rd10], %r52;\nadd.u32 %r50, %r50, 32;\n"
           "setp.lt.u32 %p1, %r50, 4096;\n@%p1 bra " +
           label + ";\nbar.warp.sync -1;\n";
  };
  const std::string body =
      ".shared .align 32 .b8 s[16384];\nmov.u64 %rd7, s;\ncvta.shared.u64 %rd11, %rd7;\n" +
      std::string(space == "" ? "mov.u64 %rd7, %rd11;\n" : "") + "mov.u32 %r60, " +
      std::to_string(stride) +
      ";\nmul.wide.u32 %rd5, %r0, 64;\nadd.s64 %rd6, %rd1, %rd5;\nadd.s64 %rd5, %rd0, %rd5;\n" +
      load + copy("%rd0", "%rd11", "IN") + text + ";\nbar.warp.sync -1;\n" +
      (store && space != ".global" ? copy("%rd11", "%rd1", "OUT") : "") + dump;
  std::mt19937 random(3);
  std::vector<uint32_t> in(4096 + 512);
  for (uint32_t& w : in) w = static_cast<uint32_t>(random());
  const Outcome outcome = run_kernel(kernel(body), 32, in.size(), in);
  ASSERT_FALSE(outcome.result.fault) << text << ": " << outcome.result.fault->message;
  const std::vector<uint32_t>& matrix = store ? outcome.out : in;
  const std::vector<uint32_t>& fragment = store ? in : outcome.out;
  auto element = [&](const std::vector<uint32_t>& from, size_t bit) -> uint64_t {
    if (bits == 64) return from[bit / 32] | uint64_t{from[bit / 32 + 1]} << 32;
    return (uint64_t{from[bit / 32]} >> (bit % 32)) & ((1ull << bits) - 1);
  };
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < s.elements(); ++i) {
      const isa::Place p = s.at(lane, i);
      const int at = way.row_major ? p.row * stride + p.col : p.col * stride + p.row;
      const size_t held = (16384 + 64 * static_cast<size_t>(lane)) * 8;
      ASSERT_EQ(element(fragment, held + static_cast<size_t>(i * bits)),
                element(matrix, static_cast<size_t>(at * bits)))
          << text << " lane " << lane << " element " << i;
    }
  }
}

TEST(Wmma, FragmentsAreThoseOfAnH200) {
  ASSERT_EQ(spreads().size(), 60u);
  for (const Spread& s : spreads()) {
    for (const bool row_major : {true, false}) {
      const bool small = s.type == "s4" || s.type == "u4" || s.type == "b1";
      if (small && row_major != (s.matrix == "a")) continue;
      for (const Way& way : {Way{row_major, ".global", 0}, Way{row_major, ".shared", 16},
                             Way{row_major, "", 32}, Way{row_major, ".global", -1}}) {
        check_transfer(s, way);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// d, a, b and c types; for f16 the instruction names d and c alone.
void check_product(const std::string& shape, const std::vector<std::string>& types,
                   ProductRules rules = {}, const std::string& after = "",
                   const std::string& operation = "") {
  const Operand operands[4] = {operand("d", shape, types[0]), operand("a", shape, types[1]),
                               operand("b", shape, types[2]), operand("c", shape, types[3])};
  rules.k = std::stoi(shape.substr(shape.find('k') + 1));
  const bool small = types[1] == "s4" || types[1] == "u4" || types[1] == "b1";
  std::mt19937 random(5);
  const Data data[] = {Data::exact, Data::random, Data::special};
  std::vector<std::array<Fragment, 3>> inputs;
  for (Data d : data) {
    auto& in = inputs.emplace_back();
    for (size_t o = 0; o < 3; ++o) in[o] = random_fragment(operands[o + 1], d, random);
  }
  for (const std::string layouts : {"row.col", "row.row", "col.row", "col.col"}) {
    const std::string text =
        "wmma.mma" + operation + ".sync.aligned." + layouts + "." + shape + "." + types[0] +
        (types[1] == "f16" ? "" : "." + types[1] + "." + types[2]) + "." + types[3] + after;
    const auto results = run_product(text, operands, inputs);
    if (::testing::Test::HasFailure()) return;
    for (size_t i = 0; i < 3; ++i) {
      expect_product(text, operands, rules, data[i], inputs[i], results[i]);
    }
    if (small) break;  // no other layouts
  }
}

TEST(Wmma, Products) {
  for (const char* shape : {"m16n16k16", "m32n8k16", "m8n32k16"}) {
    for (const char* d : {"f16", "f32"}) {
      for (const char* c : {"f16", "f32"}) check_product(shape, {d, "f16", "f16", c});
    }
    check_product(shape, {"f32", "bf16", "bf16", "f32"});
    for (const char* t : {"s8", "u8"}) {
      check_product(shape, {"s32", t, t, "s32"});
      check_product(shape, {"s32", t, t, "s32"}, {.saturate = true}, ".satfinite");
    }
  }
  check_product("m16n16k8", {"f32", "tf32", "tf32", "f32"});
  for (const char* t : {"s4", "u4"}) {
    check_product("m8n8k32", {"s32", t, t, "s32"});
    check_product("m8n8k32", {"s32", t, t, "s32"}, {.saturate = true}, ".satfinite");
  }
  const std::vector<std::string> f64 = {"f64", "f64", "f64", "f64"},
                                 b1 = {"s32", "b1", "b1", "s32"};
  check_product("m8n8k128", b1, {.bit_operation = 'x'}, "", ".xor.popc");
  check_product("m8n8k128", b1, {.bit_operation = 'a'}, "", ".and.popc");
  for (const auto& [suffix, mode] : kRoundings) {
    check_product("m8n8k4", f64, {.rounding = mode}, suffix);
  }
}

TEST(Wmma, CountsAnAccessARun) {
  const std::string list = "{%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}";
  auto counts = [&](const std::string& text) {
    const Outcome o = run_kernel(kernel(text), 32, 256, std::vector<uint32_t>(256));
    EXPECT_FALSE(o.result.fault) << o.result.fault->message;
    return o.result.counts;
  };
  // Rows of 32 bytes: a request of 4-byte runs takes half of each of eight.
  const auto rows =
      counts("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " + list + ", [%rd0];\n");
  EXPECT_EQ(rows.global_load.requests, 4u);
  EXPECT_EQ(rows.global_load.sectors, 32u);
  EXPECT_EQ(rows.global_load.bytes, 512u);
  const auto columns =
      counts("wmma.load.a.sync.aligned.col.m16n16k16.global.f16 " + list + ", [%rd0];\n");
  EXPECT_EQ(columns.global_load.requests, 4u);  // pairs along the columns, turned in registers
  EXPECT_EQ(columns.global_load.sectors, 32u);
  EXPECT_EQ(columns.global_load.bytes, 512u);
  const auto sums =
      counts("wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%rd1], " + list + ", 16;\n");
  EXPECT_EQ(sums.global_store.requests, 4u);  // pairs
  EXPECT_EQ(sums.global_store.bytes, 1024u);
  EXPECT_EQ(counts("wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {%r20,%r21,%r22,%r23}, " +
                   list + ", " + list + ", {%r20,%r21,%r22,%r23};\n")
                .mma,
            1u);
}

TEST(Wmma, Faults) {
  auto kind = [](const std::string& text) {
    const Outcome o = run_kernel(kernel(text), 32, 256, std::vector<uint32_t>(256));
    return o.result.fault ? std::optional(o.result.fault->kind) : std::nullopt;
  };
  const std::string load = "wmma.load.c.sync.aligned.row.m8n8k32.global.s32 {%r10,%r11}, [%rd0]";
  EXPECT_EQ(kind(load + ", 8;\n"), std::nullopt);
  EXPECT_EQ(kind(load + ", 80;\n"), Fault::Kind::out_of_bounds);
  EXPECT_EQ(kind(load + ", 9;\n"), Fault::Kind::misaligned);
  EXPECT_EQ(kind("setp.lt.u32 %p1, %r0, 8;\n@%p1 " + load + ", 8;\n"), Fault::Kind::partial_warp);
  EXPECT_EQ(kind("wmma.store.d.sync.aligned.row.m8n8k32.s32 [%rd0], {%r10,%r11}, 8;\n"),
            Fault::Kind::read_only);
}

}  // namespace
}  // namespace tilescope::emulator::test::wmma_file
