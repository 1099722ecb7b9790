#include "app/cli/ptx_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "app/cli/cli_error.h"
#include "app/cli/parse.h"
#include "core/files/whole_file.h"
#include "core/model/format.h"

namespace tilescope::cli {
namespace {

constexpr long long kMaxBuffer = 1LL << 36;  // 64 GiB: more than a host has to spare

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

template <class T>
std::vector<std::byte> integer(const std::string& flag, const std::string& text, long long low,
                               long long high) {
  const long long value = parse_integer(flag, text);
  if (value < low || value > high) {
    throw CliError(kBadUsage,
                   fmt::format("{}: {} does not fit; choose {} to {}", flag, model::grouped(value),
                               model::grouped(low), model::grouped(high)));
  }
  return bytes_of(static_cast<T>(value));
}

std::vector<std::byte> unsigned_64(const std::string& flag, const std::string& text) {
  errno = 0;
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || text[0] == '-' || *end != '\0' || errno != 0) {
    throw CliError(kBadUsage, fmt::format("{}: '{}' is not a whole number of 64 bits", flag, text));
  }
  return bytes_of(static_cast<uint64_t>(value));
}

PtxArgument buffer_with(std::span<const std::byte> content, const std::string& name, bool read_only,
                        emulator::Memory& memory) {
  PtxArgument argument;
  argument.buffer = memory.allocate(name, content.size(), read_only);
  std::copy(content.begin(), content.end(), memory.bytes(argument.buffer).begin());
  argument.bytes = bytes_of(argument.buffer);
  argument.read_only = read_only;
  argument.given = true;
  return argument;
}

/// "@0,@3,00000010": addresses and bytes, one behind the other.
PtxArgument struct_of(const std::string& flag, const std::string& text) {
  PtxArgument argument;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    at = end + 1;
    if (part.starts_with('@')) {
      const long long index = parse_integer(flag, part.substr(1));
      if (index < 0) {
        throw CliError(kBadUsage,
                       fmt::format("{}: {} names no argument; they count from 0", flag, part));
      }
      argument.pointers.push_back({argument.bytes.size(), static_cast<size_t>(index)});
      argument.bytes.resize(argument.bytes.size() + sizeof(uint64_t));
      continue;
    }
    for (uint8_t b : parse_hex(flag, part)) argument.bytes.push_back(static_cast<std::byte>(b));
  }
  return argument;
}

/// Fills in the addresses of `arguments[i]`; notes who is pointed to.
std::vector<std::byte> bytes_with_pointers(const std::vector<PtxArgument>& arguments, size_t i,
                                           std::vector<bool>& pointed_to) {
  std::vector<std::byte> bytes = arguments[i].bytes;
  for (const PtxArgument::Pointer& p : arguments[i].pointers) {
    if (p.index >= arguments.size() || arguments[p.index].buffer == 0) {
      throw CliError(
          kBadUsage,
          fmt::format("--arg {}: @{} is {}; name one that is in:, out: or inout:", i, p.index,
                      p.index < arguments.size()
                          ? std::string("a value, not a buffer")
                          : fmt::format("not there: --arg gives {}", arguments.size())));
    }
    std::memcpy(bytes.data() + p.offset, &arguments[p.index].buffer, sizeof(uint64_t));
    pointed_to[p.index] = true;
  }
  return bytes;
}

}  // namespace

uint16_t to_half(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7e00;
  const double size = std::abs(value);
  if (size >= 65520) return sign | 0x7c00;  // rounds beyond the largest, 65504
  int exponent = 0;
  std::frexp(size, &exponent);                      // size = f · 2^exponent, f in [0.5, 1)
  const int lowest = std::max(exponent - 11, -24);  // of the last bit that is kept
  const double steps = std::nearbyint(std::ldexp(size, -lowest));
  const int bits = static_cast<int>(steps);
  if (lowest == -24 && bits < 1024) return static_cast<uint16_t>(sign | bits);  // subnormal
  // A carry out of the mantissa lands in the exponent, where it belongs.
  return static_cast<uint16_t>(sign | (((lowest + 24) << 10) + bits));
}

std::vector<std::byte> read_file(const std::string& flag, const std::string& file) {
  std::string why_not;
  const auto content = files::read_file(file, kMaxBuffer, &why_not);
  if (!content) throw CliError(kBadUsage, flag + ": " + clause(why_not));
  const auto* bytes = reinterpret_cast<const std::byte*>(content->data());
  return {bytes, bytes + content->size()};
}

PtxArgument read_argument(const std::string& spec, size_t index, emulator::Memory& memory) {
  const std::string flag = fmt::format("--arg {} ({})", index, spec);
  const size_t colon = spec.find(':');
  const std::string kind = spec.substr(0, colon);
  const std::string text = colon == std::string::npos ? "" : spec.substr(colon + 1);
  const std::string name = fmt::format("argument {}", index);
  if (kind == "i32") return {integer<int32_t>(flag, text, INT32_MIN, INT32_MAX), 0};
  if (kind == "u32") return {integer<uint32_t>(flag, text, 0, UINT32_MAX), 0};
  if (kind == "i64") return {integer<int64_t>(flag, text, INT64_MIN, INT64_MAX), 0};
  if (kind == "u64") return {unsigned_64(flag, text), 0};
  if (kind == "f16") return {bytes_of(to_half(parse_number(flag, text))), 0};
  if (kind == "f32") return {bytes_of(static_cast<float>(parse_number(flag, text))), 0};
  if (kind == "f64") return {bytes_of(parse_number(flag, text)), 0};
  if (kind == "in") return buffer_with(read_file(flag, text), name, true, memory);
  if (kind == "inout") return buffer_with(read_file(flag, text), name, false, memory);
  if (kind == "out") {
    const long long bytes = parse_integer(flag, text);
    if (bytes < 1 || bytes > kMaxBuffer) {
      throw CliError(kBadUsage,
                     fmt::format("{}: choose 1 to {} bytes", flag, model::grouped(kMaxBuffer)));
    }
    PtxArgument argument;
    argument.buffer = memory.allocate(name, static_cast<uint64_t>(bytes));
    memory.expect_written_first(argument.buffer);
    argument.bytes = bytes_of(argument.buffer);
    return argument;
  }
  if (kind == "bytes") {
    return struct_of(flag, text);
  }
  throw CliError(kBadUsage, fmt::format("{}: '{}' is not one of i32 u32 i64 u64 f16 f32 f64 in "
                                        "out inout bytes",
                                        flag, kind));
}

std::vector<std::byte> parameter_block(const std::vector<PtxArgument>& arguments,
                                       const emulator::EntryInfo& entry) {
  const auto wrong_number = [&] {
    return CliError(kBadUsage, fmt::format("{} takes {} parameters; --arg gives {}", entry.name,
                                           entry.parameters.size(), arguments.size()));
  };
  if (arguments.size() < entry.parameters.size()) throw wrong_number();
  std::vector<std::byte> block(entry.parameter_bytes);
  std::vector<bool> pointed_to(arguments.size());
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const emulator::Parameter& parameter = entry.parameters[i];
    const std::vector<std::byte> bytes = bytes_with_pointers(arguments, i, pointed_to);
    if (bytes.size() != parameter.bytes) {
      throw CliError(kBadUsage,
                     fmt::format("--arg {} has {} bytes; parameter {} of {} has {}", i,
                                 bytes.size(), parameter.name, entry.name, parameter.bytes));
    }
    std::copy(bytes.begin(), bytes.end(), block.begin() + parameter.offset);
  }
  for (size_t i = entry.parameters.size(); i < arguments.size(); ++i) {
    if (!pointed_to[i]) throw wrong_number();
  }
  return block;
}

}  // namespace tilescope::cli
