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

TEST(Spec, TensorMaps) {
  const auto dense = std::get<TensorMapSpec>(parse_spec("tensormap:3:f16:320x256:64x128"));
  EXPECT_EQ(dense.argument, 3u);
  EXPECT_STREQ(dense.element->name, "f16");
  EXPECT_EQ(dense.rank, 2u);
  EXPECT_EQ(dense.dims[1], 256u);
  EXPECT_EQ(dense.box[0], 64u);
  EXPECT_EQ(dense.strides[0], 640u);
  EXPECT_EQ(dense.bytes(), 320u * 256 * 2);
  const auto all = std::get<TensorMapSpec>(parse_spec(
      "tensormap:0:i32:8x4x2:8x2x1:swizzle=32:strides=64x512:steps=1x2x1:offset=16:fill=zeros"));
  EXPECT_EQ(all.swizzle, 32u);
  EXPECT_EQ(all.strides[1], 512u);
  EXPECT_EQ(all.steps[1], 2u);
  EXPECT_EQ(all.bytes(), 16u + 32 + 3 * 64 + 512);
  EXPECT_TRUE(std::get<TensorMapSpec>(parse_spec("tensormap:0:f32:8:8:fill=nan")).nan_fill);
}

TEST(Spec, TensorMapsThatCannotBe) {
  const auto refused = [](const std::string& spec, const char* words) {
    try {
      const auto map = std::get<TensorMapSpec>(parse_spec(spec));
      ADD_FAILURE() << spec << " was taken, with " << map.rank << " dimensions";
    } catch (const SheetError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused("tensormap:", "write tensormap:ARGUMENT:TYPE:DIMS:BOX");
  refused("tensormap:0:f16:64x64", "write tensormap:ARGUMENT:TYPE:DIMS:BOX");
  refused("tensormap:x:f16:64:64", "'x' is not a whole number");
  refused("tensormap:0:s32:64:64", "'s32' is no element of a tensor map; choose one of u8");
  refused("tensormap:0:f16:0x64:64x8", "the size 0 of dimension 0 is not within 1 to 2^32");
  refused("tensormap:0:f16:64x64:64", "the box '64' has 1 numbers; the tensor needs 2");
  refused("tensormap:0:f16:1x1x1x1x1x1:1x1x1x1x1x1", "6 dimensions");
  refused("tensormap:0:f16:64:64:swizzle=48", "swizzle=48; choose 0, 32, 64 or 128");
  refused("tensormap:0:f16:64:64:colour=red", "'colour=red' is nothing of a tensor map");
  refused("tensormap:0:f16:64x2:64x1:strides=1099511627776", "is not below 2^40");
  refused("tensormap:0:f16:64:4294967296", "4294967296 of the box is above 4294967295");
}

// Whatever numbers stand there: a SPEC or a sentence, and its bytes are never fewer than they are.
TEST(Spec, RandomTensorMaps) {
  std::mt19937_64 random(20261127);
  const auto number_text = [&] {
    switch (random() % 6) {
      case 0:
        return std::to_string(random() >> random() % 64);
      case 1:
        return std::to_string(uint64_t{1} << random() % 42);
      case 2:
        return std::string(1, "x:=-+"[random() % 5]);
      default:
        return std::to_string(random() % 300);
    }
  };
  size_t taken = 0;
  for (int i = 0; i < 20000; ++i) {
    const size_t rank = 1 + random() % 6;
    const auto extents = [&](size_t count) {
      std::string text = number_text();
      for (size_t d = 1; d < count; ++d) text += "x" + number_text();
      return text;
    };
    std::string spec = "tensormap:" + number_text() + ":" +
                       tensor_elements()[random() % tensor_elements().size()].name + ":" +
                       extents(rank) + ":" + extents(rank);
    if (random() % 2) spec += ":strides=" + extents(rank > 1 ? rank - 1 : 1);
    if (random() % 3 == 0) spec += ":offset=" + number_text();
    if (random() % 3 == 0) spec += ":steps=" + extents(rank);
    try {
      const auto map = std::get<TensorMapSpec>(parse_spec(spec));
      ++taken;
      long double needs = static_cast<long double>(map.offset) +
                          static_cast<long double>(map.dims[0]) * map.element->bytes;
      for (size_t d = 1; d < map.rank; ++d) {
        needs += static_cast<long double>(map.dims[d] - 1) *
                 static_cast<long double>(map.strides[d - 1]);
      }
      EXPECT_GE(static_cast<long double>(map.bytes()) * (1 + 1e-9L),
                std::min(needs, 18446744073709551615.0L))
          << spec;
    } catch (const SheetError& error) {
      EXPECT_GT(std::string(error.what()).size(), 10u);
    }
  }
  EXPECT_GT(taken, 1000u);
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
