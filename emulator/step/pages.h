// Memory kept in pages: copies of the same memory at several times share what is equal.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "emulator/machine/context.h"

namespace tilescope::emulator {

inline constexpr size_t kPageBytes = 4096;

/// How many pages there are. Outlives them.
struct PageCount {
  uint64_t pages = 0;
  uint64_t bytes() const { return pages * kPageBytes; }
};

class PageData {
 public:
  explicit PageData(PageCount& count) : count_(count) { ++count_.pages; }
  PageData(const PageData&) = delete;
  PageData& operator=(const PageData&) = delete;
  ~PageData() { --count_.pages; }
  std::array<std::byte, kPageBytes> bytes{};

 private:
  PageCount& count_;
};
using Page = std::shared_ptr<const PageData>;
/// Of at most one page.
Page make_page(std::span<const std::byte> bytes, PageCount& count);

/// A copy of a piece of memory.
class PagedCopy {
 public:
  PagedCopy() = default;
  /// `before`: a copy of the same memory, perhaps when it was of another size, or null.
  PagedCopy(std::span<const std::byte> bytes, const PagedCopy* before, PageCount& count);
  void put_back(std::span<std::byte> bytes) const;

 private:
  std::vector<Page> pages_;
};

/// Global memory and the module's variables: the pages that the run has written, as they were
/// before the launch and as they were at some times since.
class GlobalPages {
 public:
  /// What differs from the memory before the launch, by page: its first address.
  using Copy = std::shared_ptr<const std::map<uint64_t, Page>>;

  GlobalPages(std::span<const Region> regions, PageCount& count);
  /// Before bytes of it are written.
  void touch(uint64_t address, uint32_t bytes) {
    const uint64_t first = address / kPageBytes, last = (address + bytes - 1) / kPageBytes;
    if (first == last_ && last == last_) return;
    for (uint64_t page = first; page <= last; ++page) touch_page(page * kPageBytes);
    last_ = last;
  }
  Copy copy();
  void put_back(const Copy& copy);
  /// First addresses of the pages that have been written since the launch.
  std::vector<uint64_t> written() const;
  /// The memory as it is, from an address on; cut off at the end of its buffer.
  std::span<std::byte> bytes(uint64_t address, uint64_t most) const;

 private:
  void touch_page(uint64_t address);

  std::span<const Region> regions_;
  PageCount& count_;
  std::map<uint64_t, Page> initial_;
  Copy base_;                       // the copy that memory was equal to last
  std::map<uint64_t, bool> dirty_;  // pages written since
  uint64_t last_ = ~0ull;
};

}  // namespace tilescope::emulator
