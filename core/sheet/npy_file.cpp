#include "core/sheet/npy_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/sheet/sheet_error.h"

namespace tilescope::sheet {
namespace {

constexpr uint64_t kMostElements = uint64_t{1} << 40;

/// What stands behind 'KEY': in Python's dict, up to the comma or bracket that ends it.
std::string_view member_of(std::string_view dict, std::string_view key) {
  const size_t at = dict.find("'" + std::string(key) + "'");
  if (at == dict.npos) throw SheetError(fmt::format("its head has no '{}'", key));
  size_t begin = dict.find(':', at);
  if (begin == dict.npos) throw SheetError(fmt::format("its head has no '{}'", key));
  ++begin;
  while (begin < dict.size() && dict[begin] == ' ') ++begin;
  const bool list = begin < dict.size() && dict[begin] == '(';
  const size_t end = std::min(dict.find_first_of(list ? ")" : ",}", begin), dict.size());
  return dict.substr(begin, end - begin);
}

uint64_t little_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::vector<uint64_t> shape_of(std::string_view list) {
  std::vector<uint64_t> shape;
  uint64_t elements = 1;
  for (size_t i = 0; i < list.size();) {
    if (!std::isdigit(static_cast<unsigned char>(list[i]))) {
      ++i;
      continue;
    }
    uint64_t extent = 0;
    for (; i < list.size() && std::isdigit(static_cast<unsigned char>(list[i])); ++i) {
      extent =
          std::min<uint64_t>(extent * 10 + static_cast<uint64_t>(list[i] - '0'), kMostElements);
    }
    if (extent != 0 && elements > kMostElements / extent)
      throw SheetError("its shape is too large");
    elements *= extent;
    shape.push_back(extent);
  }
  return shape;
}

}  // namespace

uint64_t NpyHeader::elements() const {
  uint64_t all = 1;
  for (const uint64_t extent : shape) all *= extent;
  return all;
}

NpyHeader npy_header(std::string_view begin) {
  constexpr std::string_view kMagic("\x93NUMPY", 6);
  if (!begin.starts_with(kMagic) || begin.size() < 12) {
    throw SheetError("it does not begin as a .npy file does");
  }
  const bool first_version = begin[6] == 1;
  const size_t length_bytes = first_version ? 2 : 4, head_at = 8 + length_bytes;
  const uint64_t length = little_endian(begin.substr(8, length_bytes));
  if (length > kMostNpyHeader || head_at + length > begin.size()) {
    throw SheetError(fmt::format("its head has {} bytes, and the file {} or at most {} are read",
                                 length, begin.size(), kMostNpyHeader));
  }
  const std::string_view dict = begin.substr(head_at, length);
  NpyHeader header;
  header.data_at = head_at + length;
  std::string_view descr = member_of(dict, "descr");
  while (!descr.empty() && descr.front() == '\'') descr.remove_prefix(1);
  while (!descr.empty() && (descr.back() == '\'' || descr.back() == ' ')) descr.remove_suffix(1);
  for (const ValueType& type : value_types()) {
    if (type.numpy[0] != '\0' && descr == type.numpy) header.type = &type;
  }
  if (!header.type) {
    throw SheetError(
        fmt::format("its elements are '{}', which is none of the types that a buffer "
                    "has; convert it with astype",
                    descr.substr(0, 40)));
  }
  header.by_rows = member_of(dict, "fortran_order").find("True") == std::string_view::npos;
  header.shape = shape_of(member_of(dict, "shape"));
  return header;
}

}  // namespace tilescope::sheet
