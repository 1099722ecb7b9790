#include "core/sheet/argument_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "core/model/format.h"
#include "core/sheet/sheet_error.h"

namespace tilescope::sheet {
namespace {

template <class T>
std::optional<T> whole_number(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  const auto [stop, error] = std::from_chars(text.data() + (plus ? 1 : 0), end, value);
  if (text.empty() || error != std::errc() || stop != end) return {};
  return value;
}

[[noreturn]] void no_whole_number(const std::string& text) {
  throw SheetError(fmt::format("'{}' is not a whole number", text));
}

ArgumentSpec integer_value(const ValueType& type, const std::string& text) {
  const bool is_signed = type.kind == ValueType::Kind::signed_integer;
  const int bits = static_cast<int>(type.bytes) * 8;
  if (bits == 64 && !is_signed) {
    const auto value = whole_number<uint64_t>(text);
    if (!value) throw SheetError(fmt::format("'{}' is not a whole number of 64 bits", text));
    return ValueSpec{&type, integer_bytes(type, static_cast<int64_t>(*value))};
  }
  const auto value = whole_number<int64_t>(text);
  if (!value) no_whole_number(text);
  const int64_t high = bits == 64 ? INT64_MAX : (int64_t{1} << (bits - (is_signed ? 1 : 0))) - 1;
  const int64_t low = is_signed ? -high - 1 : 0;
  if (*value < low || *value > high) {
    throw SheetError(fmt::format("{} does not fit; choose {} to {}", model::grouped(*value),
                                 model::grouped(low), model::grouped(high)));
  }
  return ValueSpec{&type, integer_bytes(type, *value)};
}

ArgumentSpec real_value(const ValueType& type, const std::string& text) {
  errno = 0;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || text[0] == ' ') {
    throw SheetError(fmt::format("'{}' is not a number", text));
  }
  return ValueSpec{&type, real_bytes(type, value)};
}

std::string need_file(const std::string& text) {
  if (text.empty()) throw SheetError("the file's name is missing");
  if (text.find('\0') != text.npos) throw SheetError("no file has a zero in its name");
  return text;
}

uint64_t bounded(const std::string& text, const char* what) {
  const auto value = whole_number<uint64_t>(text);
  if (!value) no_whole_number(text);
  if (*value < 1 || *value > kMostBufferBytes) {
    throw SheetError(
        fmt::format("choose 1 to {} {}", model::grouped(int64_t{kMostBufferBytes}), what));
  }
  return *value;
}

ArgumentSpec parse_in(const std::string& text) {
  return BufferSpec{nullptr, 1, 0, Fill::file, Direction::in, need_file(text)};
}
ArgumentSpec parse_inout(const std::string& text) {
  return BufferSpec{nullptr, 1, 0, Fill::file, Direction::inout, need_file(text)};
}
ArgumentSpec parse_out(const std::string& text) {
  return BufferSpec{nullptr, 1, bounded(text, "bytes"), Fill::zeros, Direction::out};
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// "@0,@3,00000010": addresses and bytes, one behind the other.
ArgumentSpec parse_bytes(const std::string& text) {
  StructSpec all;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    at = end + 1;
    if (part.starts_with('@')) {
      const auto index = whole_number<uint64_t>(part.substr(1));
      if (!index) no_whole_number(part.substr(1));
      all.pointers.push_back({all.bytes.size(), static_cast<size_t>(*index)});
      all.bytes.resize(all.bytes.size() + sizeof(uint64_t));
      continue;
    }
    if (part.empty() || part.size() % 2 != 0 ||
        !std::ranges::all_of(part, [](char c) { return hex_digit(c) >= 0; })) {
      throw SheetError(
          fmt::format("'{}' is not an even number of hexadecimal digits", part.substr(0, 60)));
    }
    for (size_t i = 0; i < part.size(); i += 2) {
      all.bytes.push_back(static_cast<std::byte>(hex_digit(part[i]) * 16 + hex_digit(part[i + 1])));
    }
  }
  return all;
}

struct NamedFill {
  const char* name;
  Fill fill;
};
constexpr NamedFill kFills[] = {
    {"random", Fill::random}, {"zeros", Fill::zeros}, {"index", Fill::index}};
struct NamedDirection {
  const char* name;
  Direction direction;
};
constexpr NamedDirection kDirections[] = {
    {"in", Direction::in}, {"out", Direction::out}, {"inout", Direction::inout}};

/// "TYPE:ROWSxCOLS:FILL[:DIRECTION]"; a file's name may have colons in it.
ArgumentSpec parse_buffer(const std::string& text) {
  constexpr const char* kForm =
      "write buf:TYPE:ROWSxCOLS:random, zeros, index or a file, and perhaps :in, :out or :inout";
  const size_t shape_at = text.find(':');
  const size_t fill_at = shape_at == text.npos ? text.npos : text.find(':', shape_at + 1);
  if (fill_at == text.npos || fill_at + 1 == text.size()) throw SheetError(kForm);
  BufferSpec buffer;
  const std::string type = text.substr(0, shape_at);
  buffer.type = value_type_named(type);
  if (!buffer.type) {
    std::string names;
    for (const ValueType& t : value_types())
      names += (names.empty() ? "" : " ") + std::string(t.name);
    throw SheetError(fmt::format("'{}' is no type of a buffer; choose one of {}", type, names));
  }
  const std::string shape = text.substr(shape_at + 1, fill_at - shape_at - 1);
  const size_t times = shape.find('x');
  if (times == shape.npos) {
    throw SheetError(fmt::format("the shape '{}' is not ROWSxCOLS; {}", shape, kForm));
  }
  buffer.rows = bounded(shape.substr(0, times), "rows");
  buffer.cols = bounded(shape.substr(times + 1), "columns");
  if (buffer.rows > kMostBufferBytes / buffer.type->bytes / buffer.cols) {
    throw SheetError(fmt::format("{} {} need more than {} bytes", shape, type,
                                 model::grouped(int64_t{kMostBufferBytes})));
  }
  std::string fill = text.substr(fill_at + 1);
  for (const NamedDirection& d : kDirections) {
    const std::string ending = std::string(":") + d.name;
    if (!fill.ends_with(ending) || fill.size() == ending.size()) continue;
    buffer.direction = d.direction;
    fill.resize(fill.size() - ending.size());
    break;
  }
  buffer.fill = Fill::file;
  for (const NamedFill& f : kFills) {
    if (fill == f.name) buffer.fill = f.fill;
  }
  if (buffer.fill == Fill::file) buffer.file = need_file(fill);
  return buffer;
}

ArgumentSpec parse_map(const std::string& text) { return parse_tensor_map(text); }

struct Form {
  const char* name;
  ArgumentSpec (*parse)(const std::string& text);
};
constexpr Form kForms[] = {{"in", parse_in},       {"out", parse_out},       {"inout", parse_inout},
                           {"bytes", parse_bytes}, {"tensormap", parse_map}, {"buf", parse_buffer}};

}  // namespace

std::string spec_kinds() {
  std::string names;
  for (const ValueType& type : value_types()) names += std::string(type.name) + " ";
  for (const Form& form : kForms) names += std::string(form.name) + " ";
  names.pop_back();
  return names;
}

ArgumentSpec parse_spec(const std::string& text) {
  const size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string rest = colon == text.npos ? "" : text.substr(colon + 1);
  if (const ValueType* type = value_type_named(kind)) {
    return type->is_real() ? real_value(*type, rest) : integer_value(*type, rest);
  }
  for (const Form& form : kForms) {
    if (kind == form.name) return form.parse(rest);
  }
  throw SheetError(fmt::format("'{}' is not one of {}", kind.substr(0, 60), spec_kinds()));
}

std::string buffer_spec(const std::string& type, uint64_t rows, uint64_t cols,
                        const std::string& fill, const std::string& direction) {
  return fmt::format("buf:{}:{}x{}:{}:{}", type, rows, cols, fill, direction);
}

}  // namespace tilescope::sheet
