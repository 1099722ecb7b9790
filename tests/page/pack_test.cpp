// Packs come from a server: what is in them is read as carefully as any file.
#include "page/pack/pack.h"

#include <gtest/gtest.h>

#include <random>

namespace tilescope::web {
namespace {

Files random_files(std::mt19937& random) {
  Files files;
  for (unsigned n = random() % 6; n > 0; --n) {
    std::string bytes(random() % 300, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    files["file " + std::to_string(random() % 1000)] = bytes;
  }
  return files;
}

TEST(Pack, FilesComeBackAsTheyWere) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const Files files = random_files(random);
    const auto read = files_of_text(pack_text(files));
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, files);
  }
}

TEST(Pack, OneThatIsCutShortIsNone) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    const std::string text = pack_text(random_files(random));
    for (size_t length = 0; length < text.size(); length += 1 + random() % 7) {
      EXPECT_FALSE(files_of_text(text.substr(0, length)));
    }
    EXPECT_FALSE(files_of_text(text + "x"));
  }
}

TEST(Pack, DamagedOnesAreReadWithoutHarm) {
  std::mt19937 random(3);
  int none = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string text = pack_text(random_files(random));
    for (unsigned n = 1 + random() % 4; n > 0; --n) {
      text[random() % text.size()] = static_cast<char>("0123456789 \n\xff"[random() % 13]);
    }
    none += files_of_text(text) ? 0 : 1;
  }
  EXPECT_GT(none, 100);
  EXPECT_FALSE(files_of_text(std::string(kPackMagic) + "99999999999999999999\n"));
  EXPECT_FALSE(files_of_text(std::string(kPackMagic) + "1\n18446744073709551615 x\nabc"));
}

}  // namespace
}  // namespace tilescope::web
