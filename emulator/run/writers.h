// Remembers which CTA wrote each word of global memory last. When CTAs wait for ever for a flag,
// the sentence about it can then say who touched that flag.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace tilescope::emulator {

class Writers {
 public:
  /// `cta`: its number in the grid.
  void note(uint64_t address, uint32_t bytes, uint64_t cta) {
    for (uint64_t word = address / 4; word <= (address + bytes - 1) / 4; ++word) {
      if (word / kWords != last_) find(word / kWords);
      (*page_)[word % kWords] = static_cast<uint32_t>(cta + 1);
    }
  }
  /// As it is now. Both share what neither has changed since.
  Writers copy() {
    last_ = ~0ull;
    return *this;
  }
  uint64_t bytes() const { return pages_.size() * sizeof(Page); }
  /// 1 + the CTA's number; 0 if none has written there.
  uint64_t at(uint64_t address) const {
    const auto it = pages_.find(address / 4 / kWords);
    return it == pages_.end() ? 0 : (*it->second)[address / 4 % kWords];
  }

 private:
  static constexpr uint64_t kWords = 1024;
  using Page = std::array<uint32_t, kWords>;
  void find(uint64_t index) {
    auto& page = pages_[index];
    if (!page) {
      page = std::make_shared<Page>();
    } else if (page.use_count() > 1) {  // a copy of all this has it, too
      page = std::make_shared<Page>(*page);
    }
    last_ = index;
    page_ = page.get();
  }
  std::unordered_map<uint64_t, std::shared_ptr<Page>> pages_;
  uint64_t last_ = ~0ull;
  Page* page_ = nullptr;
};

}  // namespace tilescope::emulator
