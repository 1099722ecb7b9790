#include "emulator/step/pages.h"

#include <algorithm>
#include <cstring>

#include "emulator/compile/code.h"

namespace tilescope::emulator {

Page make_page(std::span<const std::byte> bytes, PageCount& count) {
  auto page = std::make_shared<PageData>(count);
  std::ranges::copy(bytes, page->bytes.begin());
  return page;
}

PagedCopy::PagedCopy(std::span<const std::byte> bytes, const PagedCopy* before, PageCount& count) {
  pages_.reserve((bytes.size() + kPageBytes - 1) / kPageBytes);
  for (size_t at = 0; at < bytes.size(); at += kPageBytes) {
    const auto part = bytes.subspan(at, std::min(kPageBytes, bytes.size() - at));
    const size_t i = pages_.size();
    if (before && i < before->pages_.size() &&
        std::memcmp(before->pages_[i]->bytes.data(), part.data(), part.size()) == 0) {
      pages_.push_back(before->pages_[i]);
    } else {
      pages_.push_back(make_page(part, count));
    }
  }
}

void PagedCopy::put_back(std::span<std::byte> bytes) const {
  for (size_t i = 0, at = 0; at < bytes.size(); ++i, at += kPageBytes) {
    std::memcpy(bytes.data() + at, pages_[i]->bytes.data(),
                std::min(kPageBytes, bytes.size() - at));
  }
}

GlobalPages::GlobalPages(std::span<const Region> regions, PageCount& count)
    : regions_(regions), count_(count), base_(std::make_shared<const std::map<uint64_t, Page>>()) {}

std::span<std::byte> GlobalPages::bytes(uint64_t address, uint64_t most) const {
  const uint64_t index = address >> kRegionShift, offset = address & kOffsetMask;
  if (index >= regions_.size() || !regions_[index].data || offset >= regions_[index].bytes) {
    return {};
  }
  return {regions_[index].data + offset,
          static_cast<size_t>(std::min(most, regions_[index].bytes - offset))};
}

void GlobalPages::touch_page(uint64_t address) {
  const auto now = bytes(address, kPageBytes);
  if (now.empty() || !dirty_.try_emplace(address, true).second) return;
  const auto [it, is_new] = initial_.try_emplace(address);
  if (is_new) it->second = make_page(now, count_);
}

GlobalPages::Copy GlobalPages::copy() {
  if (dirty_.empty()) return base_;
  auto fresh = std::make_shared<std::map<uint64_t, Page>>(*base_);
  for (const auto& [address, unused] : dirty_) {
    (*fresh)[address] = make_page(bytes(address, kPageBytes), count_);
  }
  base_ = std::move(fresh);
  dirty_.clear();
  last_ = ~0ull;
  return base_;
}

// What was written since the base was equal, and what the base and the copy have not in common.
void GlobalPages::put_back(const Copy& copy) {
  const auto put = [&](uint64_t address) {
    const auto it = copy->find(address);
    const Page& page = it != copy->end() ? it->second : initial_.at(address);
    const auto now = bytes(address, kPageBytes);
    std::memcpy(now.data(), page->bytes.data(), now.size());
  };
  for (const auto& [address, unused] : dirty_) put(address);
  if (base_ != copy) {
    for (const auto& [address, page] : *base_) {
      const auto it = copy->find(address);
      if (it == copy->end() || it->second != page) put(address);
    }
    for (const auto& [address, page] : *copy) {
      if (!base_->contains(address)) put(address);
    }
  }
  base_ = copy;
  dirty_.clear();
  last_ = ~0ull;
}

std::vector<uint64_t> GlobalPages::written() const {
  std::vector<uint64_t> all;
  for (const auto& [address, page] : *base_) all.push_back(address);
  for (const auto& [address, unused] : dirty_) {
    if (!base_->contains(address)) all.push_back(address);
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace tilescope::emulator
