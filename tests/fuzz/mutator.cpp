// Mutates PTX by lines and operands, so that most of what comes out still parses.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "instruction_source.h"
#include "targets.h"

using namespace tilescope::emulator;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

class Text {
 public:
  Text(const uint8_t* data, size_t size, unsigned seed) : random_(seed) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      lines_.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    if (lines_.empty()) lines_.emplace_back("// 010000000000");
  }
  void mutate() {
    for (uint32_t n = 1 + below(3); n > 0; --n) once();
  }
  /// Some lines of the other in place of, or between, some of this.
  void cross(const Text& other) {
    const size_t from = other.any(), count = 1 + below(12), at = any();
    const size_t end = std::min(from + count, other.lines_.size());
    if (below(2)) {
      const size_t gone = std::min(at + count, lines_.size());
      lines_.erase(lines_.begin() + static_cast<long>(at),
                   lines_.begin() + static_cast<long>(gone));
    }
    lines_.insert(lines_.begin() + static_cast<long>(std::min(at, lines_.size())),
                  other.lines_.begin() + static_cast<long>(from),
                  other.lines_.begin() + static_cast<long>(end));
  }
  size_t write(uint8_t* data, size_t max_size) const {
    size_t size = 0;
    for (const std::string& line : lines_) {
      if (size + line.size() + 1 > max_size) break;
      std::memcpy(data + size, line.data(), line.size());
      size += line.size();
      data[size++] = '\n';
    }
    return size;
  }

 private:
  uint32_t below(uint32_t n) const { return static_cast<uint32_t>(random_() % n); }
  size_t any() const { return below(static_cast<uint32_t>(lines_.size())); }
  std::string made() const {
    return below(4) == 0 ? fuzz::snippet(random_)
                         : fuzz::instruction(below(active_rows().count), random_);
  }
  // Behind the header and, of a whole module, somewhere in a body.
  size_t place() const { return 1 + below(static_cast<uint32_t>(lines_.size())); }

  void once() {
    std::string& line = lines_[any()];
    switch (below(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
        lines_.insert(lines_.begin() + static_cast<long>(std::min(place(), lines_.size())), made());
        break;
      case 4:
        if (lines_.size() > 2) lines_.erase(lines_.begin() + static_cast<long>(any()));
        break;
      case 5:
        if (&line != &lines_[0]) line = made();
        break;
      case 6:
        std::swap(line, lines_[any()]);
        break;
      case 7:
        header();
        break;
      case 8:
        suffix(line);
        break;
      default:
        operand(line);
        break;
    }
  }
  void header() {
    static const char* const kDigits = "0123456789abcdef";
    std::string& line = lines_[0];
    if (line.substr(0, 3) != "// ") lines_.insert(lines_.begin(), "// 010000000000");
    std::string& head = lines_[0];
    head.resize(3 + 2 * fuzz::kHeaderFields, '0');
    head[3 + below(2 * fuzz::kHeaderFields)] = kDigits[below(16)];
  }
  /// Another operand in the place of one.
  void operand(std::string& line) {
    std::vector<std::pair<size_t, size_t>> places;
    for (size_t at = line.find_first_of(" ,{["); at < line.size();) {
      const size_t begin = line.find_first_not_of(" ,{[", at);
      if (begin == line.npos) break;
      const size_t end = std::min(line.find_first_of(",;}] |+", begin), line.size());
      if (end > begin) places.emplace_back(begin, end - begin);
      at = std::max(end, at + 1);
    }
    if (places.empty()) return;
    const auto [begin, size] = places[below(static_cast<uint32_t>(places.size()))];
    line.replace(begin, size, fuzz::any_operand(random_));
  }
  /// A word of the mnemonic swapped for one of the table.
  void suffix(std::string& line) {
    static const std::vector<std::string> all = fuzz::words();
    const size_t point = line.find('.');
    if (point == line.npos) return;
    const size_t end = std::min(line.find_first_of(". ;", point + 1), line.size());
    line.replace(point + 1, end - point - 1, all[below(static_cast<uint32_t>(all.size()))]);
  }

  std::vector<std::string> lines_;
  mutable fuzz::Random random_;
};

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (seed % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  Text text(data, size, seed);
  text.mutate();
  return text.write(data, max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b,
                                            size_t b_size, uint8_t* out, size_t max_size,
                                            unsigned seed) {
  Text text(a, a_size, seed);
  text.cross(Text(b, b_size, seed + 1));
  return text.write(out, max_size);
}
