#include "app/features/step/step_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <tuple>

#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

using emulator::StepSplit;

std::string short_real(double value, size_t most) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  for (int digits = 7; digits > 0; --digits) {
    std::string text = fmt::format("{:.{}g}", value, digits);
    if (text.size() <= most) return text;
  }
  // "-6e-3": one digit and its power, without the zero and the plus that a power is padded with.
  std::string text = fmt::format("{:.0e}", value);
  for (size_t at = text.find('e') + 1; at < text.size();) {
    if (text[at] == '-') {
      ++at;
    } else if ((text[at] == '0' || text[at] == '+') && at + 1 < text.size()) {
      text.erase(at, 1);
    } else {
      break;
    }
  }
  return text;
}

std::string short_integer(uint64_t value, int bits, size_t most) {
  const int64_t is = bits == 64   ? static_cast<int64_t>(value)
                     : bits == 16 ? static_cast<int16_t>(value)
                     : bits == 8  ? static_cast<int8_t>(value)
                                  : static_cast<int32_t>(value);
  std::string text = fmt::format("{}", is);
  if (text.size() <= most) return text;
  text = fmt::format("{:x}", value);
  return "…" + text.substr(text.size() - std::min(text.size(), most - 1));
}

uint16_t low_half(uint64_t value) { return static_cast<uint16_t>(value & 0xffff); }
uint16_t high_half(uint64_t value) { return static_cast<uint16_t>(value >> 16 & 0xffff); }

/// "-0.5 1.25": the two halves of a word, the low one first.
template <class Write>
std::string as_pair(NumberForm form, int bits, uint64_t value, Write write) {
  const auto real = [form](uint16_t half) {
    return static_cast<double>(form == NumberForm::bf16 ? bfloat_value(half) : half_value(half));
  };
  if (bits < 32) return write(real(low_half(value)));
  return write(real(low_half(value))) + " " + write(real(high_half(value)));
}

double real_of(int bits, uint64_t value) {
  if (bits == 64) return std::bit_cast<double>(value);
  return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(value)));
}

}  // namespace

float half_value(uint16_t bits) {
  const bool negative = (bits & 0x8000u) != 0;
  const int exponent = bits >> 10 & 31;
  const auto mantissa = static_cast<float>(bits & 0x3ffu);
  float value = 0;
  if (exponent == 31) {
    value = mantissa != 0 ? std::nanf("") : HUGE_VALF;
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, -24);
  } else {
    value = std::ldexp(mantissa + 1024.0f, exponent - 25);
  }
  return negative ? -value : value;
}

float bfloat_value(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

std::string short_number(NumberForm form, int bits, uint64_t value, size_t most) {
  switch (form) {
    case NumberForm::f16:
    case NumberForm::bf16:
      if (bits > 32) break;
      return as_pair(form, bits, value, [&](double real) {
        return short_real(real, bits < 32 ? most : (most - 1) / 2);
      });
    case NumberForm::f32:
      if (bits < 32) break;
      return short_real(real_of(bits, value), most);
    case NumberForm::hex: {
      std::string text = fmt::format("{:x}", value);
      if (text.size() <= most) return text;
      return "…" + text.substr(text.size() - (most - 1));
    }
    case NumberForm::automatic:
    case NumberForm::integer:
      break;
  }
  return short_integer(value, bits, most);
}

std::string whole_number(NumberForm form, int bits, uint64_t value) {
  switch (form) {
    case NumberForm::f16:
    case NumberForm::bf16:
      if (bits > 32) break;
      return as_pair(form, bits, value, [](double real) { return fmt::format("{:.6g}", real); });
    case NumberForm::f32:
      if (bits == 64) return fmt::format("{:.17g}", real_of(bits, value));
      if (bits < 32) break;
      return fmt::format("{:.9g}", real_of(bits, value));
    case NumberForm::hex:
      return wording("0x{:0{}x}", value, bits / 4);
    case NumberForm::automatic:
    case NumberForm::integer:
      break;
  }
  return short_integer(value, bits, 32);
}

size_t cell_characters(NumberForm form) {
  switch (form) {
    case NumberForm::f16:
      return 11;  // "-0.12 6e-5"
    case NumberForm::bf16:
      return 13;  // "-1e-38 -1e-38"
    case NumberForm::hex:
      return 8;
    case NumberForm::integer:
    case NumberForm::automatic:
    case NumberForm::f32:
      break;
  }
  return 6;
}

NumberForm form_of_register(NumberForm chosen, const emulator::StepRegister& r) {
  if (chosen != NumberForm::automatic) return chosen;
  return r.name.starts_with("%f") ? NumberForm::f32 : NumberForm::integer;
}

std::vector<RegisterRow> register_rows(const emulator::StepRegisters& of, uint32_t lanes) {
  if (lanes == 0) lanes = ~0u;
  std::vector<RegisterRow> rows;
  for (const emulator::StepRegister& r : of.registers) {
    const size_t words = r.bits == 1 ? 1 : r.bits == 64 ? 64 : 32;
    if (r.first + words > of.words.size()) continue;
    const uint32_t* from = of.words.data() + r.first;
    RegisterRow row;
    row.ptx_name = row.name = r.name;
    if (r.function != 0) row.name += wording(" of function {}", r.function);
    row.bits = r.bits, row.is_live = r.is_live, row.changed = r.changed;
    for (size_t lane = 0; lane < 32; ++lane) {
      row.values[lane] = r.bits == 1    ? from[0] >> lane & 1u
                         : r.bits == 64 ? from[2 * lane] | uint64_t{from[2 * lane + 1]} << 32
                                        : from[lane];
    }
    const auto first = static_cast<size_t>(std::countr_zero(lanes));
    row.uniform = true;
    for (size_t lane = 0; lane < 32; ++lane) {
      if ((lanes >> lane & 1u) != 0 && row.values[lane] != row.values[first]) row.uniform = false;
    }
    rows.push_back(std::move(row));
  }
  const auto place = [](const RegisterRow& r) {
    const size_t digits = std::min(r.ptx_name.find_first_of("0123456789"), r.ptx_name.size());
    int number = 0;
    std::from_chars(r.ptx_name.data() + digits, r.ptx_name.data() + r.ptx_name.size(), number);
    return std::tuple(r.bits == 1, r.ptx_name.substr(0, digits), number);
  };
  std::ranges::stable_sort(rows, {}, place);
  return rows;
}

WarpLanes lanes_of(const emulator::StepState& state, int warp) {
  if (warp < 0 || static_cast<size_t>(warp) >= state.warps.size()) return {};
  const emulator::StepWarp& w = state.warps[static_cast<size_t>(warp)];
  WarpLanes lanes{.active = 0, .alive = w.alive};
  for (const StepSplit& split : w.splits) {
    if (split.status == StepSplit::Status::next) lanes.active = state.place.active;
  }
  if (lanes.active == 0 && !w.splits.empty()) lanes.active = w.splits.front().lanes;
  return lanes;
}

std::string lanes_words(uint32_t lanes) {
  if (lanes == ~0u) return tr("all 32 lanes");
  if (lanes == 0) return tr("no lane");
  std::string text;
  for (int from = 0; from < 32;) {
    if ((lanes >> from & 1u) == 0) {
      ++from;
      continue;
    }
    int to = from;
    while (to + 1 < 32 && (lanes >> (to + 1) & 1u) != 0) ++to;
    text += text.empty() ? "" : ", ";
    text += to == from       ? fmt::format("{}", from)
            : to == from + 1 ? fmt::format("{}, {}", from, to)
                             : fmt::format("{}…{}", from, to);
    from = to + 1;
  }
  return std::popcount(lanes) == 1 ? wording("lane {}", text) : wording("lanes {}", text);
}

std::string cta_name(const emulator::Dim3& c) {
  return c.z > 0 ? wording("CTA {},{},{}", c.x, c.y, c.z) : wording("CTA {},{}", c.x, c.y);
}

std::string place_words(const emulator::StepPlace& p, std::string_view file) {
  const std::string tick = model::grouped(static_cast<long long>(p.tick));
  if (p.fault) return wording("The run ends here, at tick {}: {}", tick, retold(p.fault->message));
  if (p.ended) return wording("The run has ended, at tick {}.", tick);
  std::string text = wording("{} warp {}: ", cta_name(p.cta), p.warp);
  if (p.source.line > 0) {
    text += p.source.file == file ? wording("line {} · ", p.source.line)
                                  : fmt::format("{}:{} · ", p.source.file, p.source.line);
  }
  if (p.iteration >= 0) text += wording("k step {} · ", model::grouped(p.iteration));
  if (p.active != ~0u) text += lanes_words(p.active) + " · ";
  return text + wording("{} at PTX {} · step {} · tick {}", p.opcode, p.ptx_line,
                        model::grouped(static_cast<long long>(p.step)), tick);
}

}  // namespace tilescope
