// SPECs: what each form means, and what is refused with which words.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "core/sheet/argument_spec.h"
#include "core/sheet/sheet_error.h"
#include "tests/sheet/random_signature.h"

namespace tilescope::sheet {
namespace {

template <class T>
T number(const std::string& spec) {
  const auto value = std::get<ValueSpec>(parse_spec(spec));
  EXPECT_EQ(value.bytes.size(), sizeof(T)) << spec;
  T out{};
  std::memcpy(&out, value.bytes.data(), std::min(sizeof out, value.bytes.size()));
  return out;
}

TEST(Spec, NumbersOfEachType) {
  EXPECT_EQ(number<int8_t>("i8:-128"), -128);
  EXPECT_EQ(number<uint8_t>("u8:255"), 255);
  EXPECT_EQ(number<int32_t>("i32:+5"), 5);
  EXPECT_EQ(number<uint32_t>("u32:4294967295"), 4294967295u);
  EXPECT_EQ(number<int64_t>("i64:-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(number<uint64_t>("u64:18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(number<float>("f32:1.5"), 1.5f);
  EXPECT_EQ(number<double>("f64:-1e300"), -1e300);
  EXPECT_EQ(number<uint16_t>("f16:1"), 0x3c00);
  EXPECT_EQ(number<uint16_t>("bf16:1"), 0x3f80);
}

TEST(Spec, Buffers) {
  const auto b = std::get<BufferSpec>(parse_spec("buf:f16:128x64:random:in"));
  EXPECT_STREQ(b.type->name, "f16");
  EXPECT_EQ(b.rows, 128u);
  EXPECT_EQ(b.cols, 64u);
  EXPECT_EQ(b.bytes(), 128u * 64 * 2);
  EXPECT_EQ(b.fill, Fill::random);
  EXPECT_EQ(b.direction, Direction::in);
  const auto file = std::get<BufferSpec>(parse_spec("buf:f32:2x3:C:/a:b.npy:inout"));
  EXPECT_EQ(file.file, "C:/a:b.npy");
  EXPECT_EQ(file.fill, Fill::file);
  EXPECT_EQ(std::get<BufferSpec>(parse_spec("buf:f32:2x3:out")).file, "out");
  EXPECT_EQ(std::get<BufferSpec>(parse_spec("out:400")).bytes(), 400u);
  EXPECT_EQ(std::get<BufferSpec>(parse_spec("in:x")).direction, Direction::in);
}

TEST(Spec, Structs) {
  const auto s = std::get<StructSpec>(parse_spec("bytes:@2,00fF,@10"));
  ASSERT_EQ(s.bytes.size(), 18u);
  EXPECT_EQ(s.bytes[9], std::byte{0xff});
  ASSERT_EQ(s.pointers.size(), 2u);
  EXPECT_EQ(s.pointers[1].offset, 10u);
  EXPECT_EQ(s.pointers[1].argument, 10u);
}

TEST(Spec, RefusesInWordsThatNameTheWayOut) {
  const auto refused = [](const std::string& spec, const std::string& part) {
    try {
      parse_spec(spec);
      ADD_FAILURE() << spec << " was taken";
    } catch (const SheetError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused("x:1", "not one of i8 u8");
  refused("", "not one of");
  refused("i32:", "not a whole number");
  refused("i32:1.5", "not a whole number");
  refused("u32:-1", "choose 0 to 4,294,967,295");
  refused("i8:128", "choose -128 to 127");
  refused("u64:18446744073709551616", "64 bits");
  refused("f32:1.5x", "not a number");
  refused("out:0", "bytes");
  refused("out:99999999999999", "68,719,476,736");
  refused("in:", "name is missing");
  refused("bytes:0", "hexadecimal");
  refused("bytes:", "hexadecimal");
  refused("bytes:@x", "not a whole number");
  refused("buf:f32", "write buf:TYPE");
  refused("buf:f31:1x1:random", "choose one of i8");
  refused("buf:f32:11:random", "ROWSxCOLS");
  refused("buf:f32:0x1:random", "rows");
  refused("buf:f32:68719476736x2:random", "more than");
  refused("buf:f32:1x1:", "write buf:TYPE");
}

TEST(Spec, BufferSpecsAreReadAsTheyAreWritten) {
  const unsigned seed = 20261124;
  std::mt19937 random(seed);
  const char* fills[] = {"random", "zeros", "index", "some/file.bin"};
  const char* directions[] = {"in", "out", "inout"};
  for (int i = 0; i < 5000; ++i) {
    const ValueType& type = value_types()[size_t(pick(random, 0, int(value_types().size()) - 1))];
    const auto rows = uint64_t(pick(random, 1, 5000)), cols = uint64_t(pick(random, 1, 5000));
    const std::string fill = fills[pick(random, 0, 3)], direction = directions[pick(random, 0, 2)];
    const auto b =
        std::get<BufferSpec>(parse_spec(buffer_spec(type.name, rows, cols, fill, direction)));
    EXPECT_EQ(b.type, &type);
    EXPECT_EQ(b.rows, rows);
    EXPECT_EQ(b.cols, cols);
    EXPECT_EQ(b.fill == Fill::file, fill == "some/file.bin");
    EXPECT_STREQ(directions[static_cast<int>(b.direction)], direction.c_str());
  }
}

// Against the compiler's own halves; clang 14 has none for x86.
#ifdef __FLT16_MAX__
TEST(Spec, HalvesAreRoundedToNearestEven) {
  const unsigned seed = 7;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, 8);
    if (i % 2 == 0) value = std::ldexp(double(int64_t(bits)) * 0x1p-63, int(bits % 48) - 30);
    if (std::isnan(value)) continue;
    const auto half = static_cast<_Float16>(value);
    uint16_t expected = 0;
    std::memcpy(&expected, &half, 2);
    ASSERT_EQ(to_half(value), expected) << value;
  }
}
#endif

TEST(Spec, AnyTextIsTakenOrRefused) {
  const unsigned seed = 99;
  std::mt19937 random(seed);
  const std::string pieces[] = {"buf:",   "f32", ":", "x",  "128",    "in",   "out:", "inout",
                                "random", ",",   "@", "-1", "bytes:", "i32:", "\xff", "1e9"};
  int taken = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (int n = pick(random, 0, 8); n > 0; --n) text += pieces[pick(random, 0, 15)];
    try {
      parse_spec(text);
      ++taken;
    } catch (const SheetError& error) {
      EXPECT_GT(std::string(error.what()).size(), 10u);
    }
  }
  EXPECT_GT(taken, 100);
}

}  // namespace
}  // namespace tilescope::sheet
