// All that was stored, folded into rows of elements whose values differ by their origins alone.
#include <algorithm>

#include "emulator/provenance/provenance_impl.h"

namespace tilescope::emulator {
namespace {

// The same but for where origins lie; `moves` gets how far each is from the one before. Lines may
// differ: unrolled loops have many for one thing.
bool alike(const Value& x, const Value& y, std::vector<int64_t>& moves) {
  const auto origins = [&](Origin a, Origin b) {
    if (a.buffer != b.buffer) return false;
    if (a) moves.push_back(static_cast<int64_t>(b.offset) - static_cast<int64_t>(a.offset));
    return true;
  };
  if (x.kind != y.kind || x.bytes != y.bytes || x.opcode != y.opcode ||
      x.products.size() != y.products.size() || x.parts.size() != y.parts.size() ||
      !origins(x.origin, y.origin)) {
    return false;
  }
  for (size_t i = 0; i < x.products.size(); ++i) {
    const Products &p = x.products[i], &q = y.products[i];
    if (p.count != q.count || p.a_step != q.a_step || p.b_step != q.b_step || !origins(p.a, q.a) ||
        !origins(p.b, q.b)) {
      return false;
    }
  }
  for (size_t i = 0; i < x.parts.size(); ++i) {
    if (!alike(x.parts[i], y.parts[i], moves)) return false;
  }
  return true;
}

class Folder {
 public:
  void add(Origin at, uint32_t bytes, int line, Value value) {
    if (!all_.empty()) {
      Stored& s = all_.back();
      const int64_t step = static_cast<int64_t>(at.offset - last_at_.offset);
      std::vector<int64_t> moves;
      const bool fits = at.buffer == s.first.buffer && bytes == s.bytes &&
                        step == int64_t{s.bytes} && alike(last_, value, moves) &&
                        (s.count == 1 || moves == s.moves);
      if (fits) {
        if (s.count++ == 1) {
          s.step = step;
          s.moves = std::move(moves);
        }
        last_at_ = at;
        last_ = std::move(value);
        return;
      }
    }
    last_at_ = at;
    last_ = value;
    all_.push_back({at, bytes, 1, 0, std::move(value), {}, line});
  }
  std::vector<Stored> take() { return std::move(all_); }

 private:
  std::vector<Stored> all_;
  Origin last_at_;
  Value last_;
};

}  // namespace

std::vector<Stored> Provenance::stored() const {
  Folder folder;
  for (const Followed* f : impl_->followed()) {
    std::vector<uint64_t> indices;
    for (const auto& [index, page] : f->pages) indices.push_back(index);
    std::sort(indices.begin(), indices.end());
    for (uint64_t index : indices) {
      const Followed::Page& page = *f->pages.at(index);
      for (size_t i = 0; i < page.tag.size(); ++i) {
        const uint32_t bytes = page.bytes[i];
        const uint64_t address = index * Followed::kPageBytes + 2 * i;
        const Leaves::Buffer* buffer = impl_->leaves.of(impl_->leaves.at(address));
        if (bytes == 0 || page.tag[i] == 0 || !buffer) continue;
        folder.add({buffer->index, address - buffer->address}, bytes, impl_->line(page.inst[i]),
                   value_at(*impl_, *f, page, i, bytes));
      }
    }
  }
  return folder.take();
}

}  // namespace tilescope::emulator
