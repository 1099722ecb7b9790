// Heads of .npy files as numpy writes them.
#include "core/sheet/npy_file.h"

#include <gtest/gtest.h>

#include <random>

#include "core/sheet/sheet_error.h"
#include "tests/sheet/random_signature.h"

namespace tilescope::sheet {
namespace {

std::string head(const std::string& descr, bool fortran, const std::vector<uint64_t>& shape) {
  std::string list;
  for (const uint64_t extent : shape) list += std::to_string(extent) + ", ";
  std::string dict = "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                     ", 'shape': (" + list + "), }";
  while ((10 + dict.size() + 1) % 64 != 0) dict += ' ';
  dict += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(dict.size() & 255);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict;
}

TEST(Npy, RandomHeadsAreRead) {
  const unsigned seed = 5;
  std::mt19937 random(seed);
  for (int i = 0; i < 3000; ++i) {
    const ValueType& type = value_types()[size_t(pick(random, 0, int(value_types().size()) - 1))];
    if (type.numpy[0] == '\0') continue;
    std::vector<uint64_t> shape;
    uint64_t elements = 1;
    for (int n = pick(random, 0, 3); n > 0; --n) {
      shape.push_back(uint64_t(pick(random, 1, 300)));
      elements *= shape.back();
    }
    const bool fortran = pick(random, 0, 1) == 1;
    const std::string text = head(type.numpy, fortran, shape);
    const NpyHeader header = npy_header(text + "data");
    EXPECT_EQ(header.type, &type);
    EXPECT_EQ(header.by_rows, !fortran);
    EXPECT_EQ(header.shape, shape);
    EXPECT_EQ(header.elements(), elements);
    EXPECT_EQ(header.data_at, text.size());
    // Cut anywhere, or with a byte changed, it is refused or read as something; never past its end.
    std::string damaged = text.substr(0, size_t(pick(random, 0, int(text.size()))));
    if (!damaged.empty())
      damaged[size_t(pick(random, 0, int(damaged.size()) - 1))] = char(pick(random, 0, 255));
    try {
      EXPECT_LE(npy_header(damaged).data_at, damaged.size());
    } catch (const SheetError&) {
    }
  }
}

TEST(Npy, SaysWhatIsWrong) {
  for (const auto& [text, part] :
       {std::pair(std::string("abc"), "begin as a .npy"),
        std::pair(head("<c8", false, {1}), "'<c8'"),
        std::pair(head("<f4", false, {1u << 30, 1u << 30}), "too large")}) {
    try {
      npy_header(text);
      ADD_FAILURE() << part;
    } catch (const SheetError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace tilescope::sheet
