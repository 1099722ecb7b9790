#include "worker/engine/emulate/sheet_buffers.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/files/whole_file.h"
#include "core/model/format.h"
#include "core/sheet/npy_file.h"
#include "core/sheet/sheet_error.h"
#include "worker/engine/emulate/operands.h"
#include "worker/engine/parallel.h"

namespace tilescope::worker {
namespace {

using sheet::BufferSpec;
using sheet::Fill;
using sheet::SheetError;
using sheet::ValueType;

std::string digits(uint64_t n) { return model::grouped(static_cast<long long>(n)); }

[[noreturn]] void wrong(const SheetBuffer& buffer, const std::string& what) {
  throw SheetError(buffer.label + ": " + what + ".");
}

void put_real(const ValueType& type, double value, std::byte* to) {
  const auto narrow = static_cast<float>(value);
  if (type.bytes == 8) {
    std::memcpy(to, &value, 8);
  } else if (type.bytes == 4) {
    std::memcpy(to, &narrow, 4);
  } else {
    const uint16_t bits = type.name[0] == 'b' ? sheet::to_bfloat(value) : sheet::to_half(value);
    std::memcpy(to, &bits, 2);
  }
}

void put_element(const ValueType& type, Fill fill, uint64_t mixed, uint64_t i, std::byte* to) {
  const bool random = fill == Fill::random;
  if (type.is_real()) {
    return put_real(type, random ? data_value(OperandData::random, mixed, i) : double(i), to);
  }
  auto value = static_cast<int64_t>(i);
  if (random) {
    // 17 values in all, as many as the exact data of a GEMM has.
    value = static_cast<int64_t>(data_value(OperandData::exact, mixed, i) * 8);
    if (type.kind == ValueType::Kind::unsigned_integer) value += 8;
  }
  std::memcpy(to, &value, type.bytes);  // the low bytes come first
}

void open_npy(const BufferSpec& spec, std::string_view begin, SheetBuffer& buffer) try {
  const sheet::NpyHeader header = sheet::npy_header(begin);
  if (header.type != spec.type) {
    throw SheetError(std::string("its elements are ") + header.type->name + ", not " +
                     spec.type->name);
  }
  const bool same_shape =
      header.shape.size() == 2 && header.shape[0] == spec.rows && header.shape[1] == spec.cols;
  const bool alike = header.by_rows && header.elements() == spec.rows * spec.cols;
  if (!same_shape && !alike) {
    std::string shape;
    for (const uint64_t extent : header.shape)
      shape += (shape.empty() ? "" : "×") + std::to_string(extent);
    throw SheetError("its shape is " + (shape.empty() ? "that of one number" : shape) + ", not " +
                     std::to_string(spec.rows) + "×" + std::to_string(spec.cols));
  }
  buffer.by_rows = header.by_rows;
  buffer.data_at = header.data_at;
} catch (const SheetError& error) {
  wrong(buffer, std::string("the file ") + spec.file + " does not fit: " + error.what());
}

/// Elements of a column-major array by rows.
void turn(const BufferSpec& spec, std::span<std::byte> bytes) {
  const std::vector<std::byte> columns(bytes.begin(), bytes.end());
  const size_t size = spec.type->bytes;
  for (uint64_t row = 0; row < spec.rows; ++row) {
    for (uint64_t col = 0; col < spec.cols; ++col) {
      std::memcpy(bytes.data() + (row * spec.cols + col) * size,
                  columns.data() + (col * spec.rows + row) * size, size);
    }
  }
}

}  // namespace

SheetBuffer open_buffer(const BufferSpec& spec, const std::string& label) {
  SheetBuffer buffer{label, spec.bytes()};
  if (spec.fill != Fill::file) return buffer;
  std::error_code error;
  uint64_t there = 0;
  if (std::filesystem::is_regular_file(spec.file, error)) {
    there = std::filesystem::file_size(spec.file, error);
    std::ifstream in(spec.file, std::ios::binary);
    if (error || !in) wrong(buffer, "the file " + spec.file + " cannot be read");
    if (spec.type && spec.file.ends_with(".npy")) {
      std::string begin(std::min<uint64_t>(there, sheet::kMostNpyHeader), '\0');
      in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
      open_npy(spec, begin, buffer);
    }
  } else {
    std::string why_not;
    auto content = files::read_file(spec.file, sheet::kMostBufferBytes, &why_not);
    if (!content) {
      while (why_not.ends_with('.')) why_not.pop_back();
      wrong(buffer, why_not);
    }
    buffer.content = std::move(*content);
    there = buffer.content.size();
  }
  const uint64_t holds = there - std::min(there, buffer.data_at);
  if (!spec.type) buffer.bytes = holds;
  if (buffer.bytes == 0) wrong(buffer, "the file " + spec.file + " is empty");
  if (holds != buffer.bytes) {
    wrong(buffer, "the file " + spec.file + " holds " + digits(holds) + " bytes; " +
                      digits(spec.rows) + " × " + digits(spec.cols) + " of " + spec.type->name +
                      " are " + digits(buffer.bytes));
  }
  return buffer;
}

void fill_buffer(const BufferSpec& spec, const SheetBuffer& buffer, size_t argument, uint64_t seed,
                 std::span<std::byte> to) {
  if (spec.fill == Fill::zeros) return;  // as all memory is that nobody has touched
  if (spec.fill == Fill::file) {
    if (!buffer.content.empty()) {
      std::memcpy(to.data(), buffer.content.data(), std::min(to.size(), buffer.content.size()));
      return;
    }
    std::ifstream in(spec.file, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(buffer.data_at));
    in.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
    if (!in) wrong(buffer, "the file " + spec.file + " cannot be read");
    if (!buffer.by_rows) turn(spec, to);
    return;
  }
  constexpr uint64_t kPiece = 1 << 16;  // elements
  const uint64_t mixed = mixed_seed({OperandData::random, seed}, argument);
  const uint64_t elements = spec.rows * spec.cols;
  parallel_for(host_threads(), static_cast<size_t>((elements + kPiece - 1) / kPiece),
               [&](size_t piece) {
                 const uint64_t first = piece * kPiece, end = std::min(elements, first + kPiece);
                 for (uint64_t i = first; i < end; ++i) {
                   put_element(*spec.type, spec.fill, mixed, i, to.data() + i * spec.type->bytes);
                 }
               });
}

}  // namespace tilescope::worker
