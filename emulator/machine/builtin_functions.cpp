#include "emulator/machine/builtin_functions.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "emulator/compile/code.h"

namespace tilescope::emulator {
namespace {

constexpr size_t kMaxText = 4096;  // of a string that a kernel passes

/// Reads one lane's memory; what lies outside of it reads as zero.
class LaneMemory {
 public:
  LaneMemory(Context& c, uint32_t lane) : c_(c), lane_(lane) {}

  std::byte* generic(uint64_t address, uint64_t bytes) const {
    const uint64_t window = address & kWindowMask, offset = address & ~kWindowMask;
    if (window == kSharedWindow) {
      return offset + bytes <= c_.shared_bytes ? c_.shared + offset : nullptr;
    }
    if (window == kLocalWindow) return local(offset, bytes);
    const uint64_t index = address >> kRegionShift, in_region = address & kOffsetMask;
    if (index >= c_.region_count || !c_.regions[index].data) return nullptr;
    return in_region + bytes <= c_.regions[index].bytes ? c_.regions[index].data + in_region
                                                        : nullptr;
  }
  std::byte* local(uint64_t offset, uint64_t bytes) const {
    if (offset > c_.local_bytes || offset + bytes > c_.local_bytes) return nullptr;
    return c_.local + size_t{lane_} * c_.local_bytes + offset;
  }
  std::string text(uint64_t address) const {
    std::string result;
    while (result.size() < kMaxText) {
      const std::byte* p = generic(address + result.size(), 1);
      if (!p || *p == std::byte{0}) break;
      result += static_cast<char>(*p);
    }
    return result;
  }
  static uint64_t value(const std::byte* p, uint32_t bytes) {
    uint64_t v = 0;
    if (p) std::memcpy(&v, p, bytes);
    return v;
  }

 private:
  Context& c_;
  uint32_t lane_;
};

/// A call's operands: where its .param variables lie in each lane's local memory.
struct Operands {
  const Context& c;
  const Inst& in;
  uint32_t count;

  uint64_t place(uint32_t k, uint32_t lane) const {
    const uint32_t* list = c.lists + in.list;  // slots, then the offsets after the first
    const int32_t offset = k == 0 ? in.imm : static_cast<int32_t>(list[count + k - 1]);
    const uint64_t base = reinterpret_cast<const uint64_t*>(c.registers + list[k])[lane];
    return base + static_cast<uint64_t>(int64_t{offset});
  }
};

/// What a conversion of printf asks for: `%-8.3llf` and so on.
struct Conversion {
  std::string flags;  // and width and precision
  char letter = 0;
  bool wide = false;  // 64 bits
};

template <class T>
std::string formatted(const std::string& how, T value) {
  char buffer[1024];
  const int n = std::snprintf(buffer, sizeof buffer, how.c_str(), value);
  return std::string(buffer, static_cast<size_t>(std::clamp(n, 0, 1023)));
}

class Printer {
 public:
  Printer(const LaneMemory& memory, uint64_t block) : memory_(memory), next_(block) {}

  std::string print(std::string_view format) {
    std::string out;
    for (size_t i = 0; i < format.size() && out.size() <= kMaxOutput; ++i) {
      if (format[i] != '%') {
        out += format[i];
      } else if (i + 1 < format.size() && format[i + 1] == '%') {
        out += format[++i];
      } else {
        const size_t begin = i;
        const Conversion conversion = read(format, i);
        out += conversion.letter ? convert(conversion) : std::string(format.substr(begin));
      }
    }
    return out;
  }
  uint32_t conversions() const { return conversions_; }

 private:
  // From the %, at `i`, to its letter, where `i` is left.
  Conversion read(std::string_view format, size_t& i) {
    Conversion c;
    int longs = 0;
    for (++i; i < format.size(); ++i) {
      const char ch = format[i];
      if (ch == '*') {
        c.flags += std::to_string(std::clamp(static_cast<int32_t>(take(4)), -999, 999));
      } else if (std::string_view("-+ #0.123456789").find(ch) != std::string_view::npos) {
        if (c.flags.size() < 8) c.flags += ch;
      } else if (ch == 'l') {
        ++longs;
      } else if (ch == 'j' || ch == 'z' || ch == 't') {
        longs = 1;
      } else if (ch != 'h' && ch != 'L') {
        c.letter = ch;
        break;
      }
    }
    c.wide = longs > 0;
    return c;
  }

  uint64_t take(uint32_t bytes) {
    next_ = (next_ + bytes - 1) & ~uint64_t{bytes - 1};
    const uint64_t v = LaneMemory::value(memory_.generic(next_, bytes), bytes);
    next_ += bytes;
    return v;
  }

  std::string convert(const Conversion& c) {
    ++conversions_;
    const std::string how = "%" + c.flags;
    switch (c.letter) {
      case 'd':
      case 'i': {
        const uint64_t v = take(c.wide ? 8 : 4);
        return formatted(how + "lld", c.wide ? static_cast<long long>(v)
                                             : static_cast<long long>(static_cast<int32_t>(v)));
      }
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        return formatted(how + "ll" + c.letter,
                         static_cast<unsigned long long>(take(c.wide ? 8 : 4)));
      case 'c':
        return formatted(how + "c", static_cast<int>(take(4)));
      case 'a':
      case 'A':
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        return formatted(how + c.letter, std::bit_cast<double>(take(8)));
      case 'p':
        return formatted(how + "p", reinterpret_cast<void*>(take(8)));
      case 's':
        return formatted(how + "s", memory_.text(take(8)).c_str());
      default:
        return how + c.letter;
    }
  }

  const LaneMemory& memory_;
  uint64_t next_;
  uint32_t conversions_ = 0;
};

void append(Context& c, const std::string& text) {
  if (c.output->size() < kMaxOutput) *c.output += text.substr(0, kMaxOutput - c.output->size());
}

}  // namespace

void call_vprintf(Context& c, const Inst& in) {
  const Operands operands{c, in, 3};
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!((c.mask >> lane) & 1u)) continue;
    const LaneMemory memory(c, lane);
    auto argument = [&](uint32_t k) {
      return LaneMemory::value(memory.local(operands.place(k, lane), 8), 8);
    };
    Printer printer(memory, argument(2));
    append(c, printer.print(memory.text(argument(1))));
    const uint32_t count = printer.conversions();
    if (std::byte* p = memory.local(operands.place(0, lane), 4)) std::memcpy(p, &count, 4);
  }
}

void call_assertfail(Context& c, const Inst& in) {
  const Operands operands{c, in, 5};
  const uint32_t lane = static_cast<uint32_t>(std::countr_zero(c.mask));
  const LaneMemory memory(c, lane);
  auto argument = [&](uint32_t k, uint32_t bytes) {
    return LaneMemory::value(memory.local(operands.place(k, lane), bytes), bytes);
  };
  append(c, memory.text(argument(1, 8)) + ":" + std::to_string(argument(2, 4)) + ": " +
                memory.text(argument(3, 8)) + ": Assertion `" + memory.text(argument(0, 8)) +
                "` failed.\n");
  raise(in, Fault::Kind::trap, lane, 0, "a failed assertion");
}

}  // namespace tilescope::emulator
