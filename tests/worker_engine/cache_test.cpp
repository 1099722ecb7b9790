// The disk cache: whole entries or none, whoever else writes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "engine_support.h"

namespace tilescope::worker {
namespace {

DiskCache::Entry entry_of(const std::string& text, size_t cubin) {
  return {"{}", text, std::vector<std::byte>(cubin, std::byte{42})};
}

TEST(DiskCache, GivesBackWhatWasStored) {
  TemporaryFolder folder;
  const DiskCache cache(folder.path() + "/made/on/demand");
  EXPECT_FALSE(cache.find("key"));
  ASSERT_TRUE(cache.store("key", entry_of("ptx", 1000)));
  const auto found = cache.find("key");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ptx, "ptx");
  EXPECT_EQ(found->cubin.size(), 1000u);
}

TEST(DiskCache, AnyDamagedByteCountsAsMissing) {
  TemporaryFolder folder;
  const DiskCache cache(folder.path());
  ASSERT_TRUE(cache.store("key", entry_of("some ptx", 50)));
  const std::string whole = file_text(cache.path("key"));
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    std::ofstream(cache.path("key"), std::ios::binary | std::ios::trunc) << damaged;
    EXPECT_FALSE(cache.find("key")) << "byte " << i;
  }
  for (size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(cache.path("key"), std::ios::binary | std::ios::trunc) << whole.substr(0, size);
    EXPECT_FALSE(cache.find("key")) << "cut at " << size;
  }
}

TEST(DiskCache, ADamagedEntryIsCompiledAgain) {
  TemporaryFolder folder;
  const SourceRequest source{
      "extern \"C\" __global__ void k(int* p) { *p = 3; }\n", {}, kDefaultArch};
  std::string key;
  {
    Compiler compiler({folder.path(), 1 << 20, 4});
    EXPECT_FALSE(compiler.compile(source)->result.cached);
    EXPECT_TRUE(compiler.compile(source)->result.cached);  // from memory
    key = compiler.key(source);
  }
  {
    Compiler compiler({folder.path(), 1 << 20, 4});
    const auto again = compiler.compile(source);  // from disk
    EXPECT_TRUE(again->result.cached);
    EXPECT_GT(again->result.compile_ms, 0);
    std::filesystem::resize_file(compiler.disk().path(key), 100);
  }
  Compiler compiler({folder.path(), 1 << 20, 4});
  EXPECT_FALSE(compiler.compile(source)->result.cached);
  EXPECT_TRUE(compiler.disk().find(key));
}

TEST(DiskCache, ConcurrentWritersLeaveAWholeEntry) {
  TemporaryFolder folder;
  const DiskCache cache(folder.path());
  std::atomic<int> bad = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        cache.store("key",
                    entry_of(std::string(1000 + 997u * static_cast<unsigned>(t), 'x'), 5000));
        const auto found = cache.find("key");
        if (!found || found->cubin.size() != 5000) ++bad;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(bad, 0);
  int files = 0;
  for (const auto& item : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_EQ(item.path().extension(), ".bin");
    ++files;
  }
  EXPECT_EQ(files, 1);
}

TEST(DiskCache, PruneKeepsTheNewest) {
  TemporaryFolder folder;
  const DiskCache cache(folder.path());
  namespace fs = std::filesystem;
  for (const char* key : {"a", "b", "c"}) cache.store(key, entry_of(key, 1000));
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(cache.path("b"), now - std::chrono::hours(2));
  fs::last_write_time(cache.path("a"), now - std::chrono::hours(1));
  cache.prune(2500);
  EXPECT_FALSE(cache.find("b"));
  EXPECT_TRUE(cache.find("a"));
  EXPECT_TRUE(cache.find("c"));
}

TEST(DiskCache, AnUnwritableFolderOnlyCostsTime) {
  const DiskCache cache("/dev/null/folder");
  EXPECT_FALSE(cache.store("key", entry_of("ptx", 10)));
  EXPECT_FALSE(cache.find("key"));
}

}  // namespace
}  // namespace tilescope::worker
