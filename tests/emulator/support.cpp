#include "support.h"

#include <cmath>

namespace tilescope::emulator::test {
namespace {

std::string replace_operands(const std::string& text, const std::vector<std::string>& names) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool alone =
        (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1]))) &&
        (i + 1 == text.size() || !std::isalnum(static_cast<unsigned char>(text[i + 1])));
    const size_t index = c == 'D' ? 0 : static_cast<size_t>(c - 'A') + 1;
    if (alone && c >= 'A' && c <= 'D' && index < names.size()) {
      result += names[index];
    } else {
      result += c;
    }
  }
  return result;
}

std::string name_of(char type, int index) {
  const char* prefix = type == 'h'   ? "%h"
                       : type == 'r' ? "%r"
                       : type == 'l' ? "%rd"
                       : type == 'f' ? "%f"
                       : type == 'd' ? "%fd"
                                     : "%p";
  return prefix + std::to_string(10 + index);
}

bool same(char type, uint64_t a, uint64_t b) {
  if (type == 'f' && std::isnan(as_float(a)) && std::isnan(as_float(b))) return true;
  if (type == 'd' && std::isnan(as_double(a)) && std::isnan(as_double(b))) return true;
  return a == b;
}

}  // namespace

void sweep(const std::string& text, const std::string& types,
           const std::vector<std::vector<uint64_t>>& values, const Reference& reference) {
  ASSERT_EQ(types.size(), values.size() + 1) << text;
  size_t cases = 1;
  for (const auto& v : values) cases *= v.size();
  const size_t threads = (cases + 31) / 32 * 32;
  std::vector<std::array<uint64_t, 3>> operands(threads);
  for (size_t i = 0; i < threads; ++i) {
    size_t rest = i % cases;
    for (size_t k = 0; k < values.size(); ++k) {
      operands[i][k] = values[k][rest % values[k].size()];
      rest /= values[k].size();
    }
  }
  std::vector<std::string> names = {name_of(types[0], 0)};
  std::string body = "mul.wide.u32 %rd5, %r1, 24;\nadd.s64 %rd5, %rd0, %rd5;\n";
  for (size_t k = 0; k < values.size(); ++k) {
    const std::string name = name_of(types[k + 1], static_cast<int>(k) + 1);
    const std::string at = "[%rd5+" + std::to_string(8 * k) + "];\n";
    names.push_back(name);
    switch (types[k + 1]) {
      case 'h':
        body += "ld.global.u16 " + name + ", " + at;
        break;
      case 'r':
        body += "ld.global.u32 " + name + ", " + at;
        break;
      case 'f':
        body += "ld.global.f32 " + name + ", " + at;
        break;
      case 'l':
        body += "ld.global.u64 " + name + ", " + at;
        break;
      case 'd':
        body += "ld.global.f64 " + name + ", " + at;
        break;
      default:
        body += "ld.global.u32 %r9, " + at + "setp.ne.u32 " + name + ", %r9, 0;\n";
        break;
    }
  }
  std::string store = "mul.wide.u32 %rd6, %r1, 8;\nadd.s64 %rd6, %rd1, %rd6;\n";
  switch (types[0]) {
    case 'h':
      store += "st.global.u16 [%rd6], " + names[0] + ";\n";
      break;
    case 'r':
      store += "st.global.u32 [%rd6], " + names[0] + ";\n";
      break;
    case 'f':
      store += "st.global.f32 [%rd6], " + names[0] + ";\n";
      break;
    case 'l':
      store += "st.global.u64 [%rd6], " + names[0] + ";\n";
      break;
    case 'd':
      store += "st.global.f64 [%rd6], " + names[0] + ";\n";
      break;
    default:
      store += "selp.u32 %r9, 1, 0, " + names[0] + ";\nst.global.u32 [%rd6], %r9;\n";
      break;
  }
  const std::string instruction = replace_operands(text, names) + "\n";
  const std::string masked = "rem.u32 %r8, %r1, 3;\nsetp.eq.u32 %p1, %r8, 1;\n@%p1 bra SKIP;\n";
  for (const bool all : {true, false}) {
    auto program = parse(kernel(body + (all ? "" : masked) + instruction + store + "SKIP:\n"));
    ASSERT_TRUE(program) << text;
    Memory memory;
    const uint64_t in = memory.allocate("in", threads * 24, true);
    std::memcpy(memory.bytes(in).data(), operands.data(), threads * 24);
    const uint64_t out = memory.allocate("out", threads * 8);
    Launch launch{{static_cast<uint32_t>(threads / 32), 1, 1}, {32, 1, 1}, 0, parameters(in, out)};
    const RunResult r = run(*program, "k", launch, memory);
    ASSERT_FALSE(r.fault) << text << ": " << r.fault->message;
    const uint64_t* result = data<uint64_t>(memory, out);
    for (size_t i = 0; i < threads; ++i) {
      const auto& o = operands[i];
      const uint64_t expected = !all && i % 3 == 1 ? 0 : reference(o[0], o[1], o[2]);
      ASSERT_TRUE(same(types[0], result[i], expected))
          << text << std::hex << " of 0x" << o[0] << ", 0x" << o[1] << ", 0x" << o[2] << " gave 0x"
          << result[i] << ", not 0x" << expected << (all ? "" : " (masked)");
    }
  }
}

uint16_t half_of(int n) {
  if (n == 0) return 0;
  uint32_t m = static_cast<uint32_t>(n < 0 ? -n : n);
  int shift = 0;
  while (m < 1024) m <<= 1, ++shift;
  while (m > 2047) m >>= 1, --shift;
  return static_cast<uint16_t>((n < 0 ? 0x8000u : 0u) | static_cast<uint32_t>(16 - shift) << 10 |
                               (m & 1023));
}

}  // namespace tilescope::emulator::test
