#include "archive.h"

#include <cstdlib>
#include <stdexcept>

namespace tilescope::emulator::fuzz {
namespace {

constexpr size_t kBlock = 512;  // a header, and what files are filled up to

/// An octal number of a header.
size_t number_at(std::string_view header, size_t at, size_t digits) {
  return std::strtoul(std::string(header.substr(at, digits)).c_str(), nullptr, 8);
}

/// The sum of a header's bytes, those of the sum itself as spaces.
size_t sum_of(std::string_view header) {
  size_t sum = 0;
  for (size_t i = 0; i < kBlock; ++i) {
    sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(header[i]);
  }
  return sum;
}

}  // namespace

std::vector<Seed> files_of_archive(std::string_view bytes) {
  std::vector<Seed> files;
  for (size_t at = 0; at + kBlock <= bytes.size();) {
    const std::string_view header = bytes.substr(at, kBlock);
    if (header[0] == '\0') return files;  // the end: blocks of zeros
    if (number_at(header, 148, 8) != sum_of(header)) {
      throw std::runtime_error("The archive's header at byte " + std::to_string(at) +
                               " is damaged.");
    }
    const size_t size = number_at(header, 124, 12);
    at += kBlock;
    if (size > bytes.size() - at) break;
    const char kind = header[156];
    if (kind == '0' || kind == '\0') {
      const std::string_view name = header.substr(0, 100);
      files.push_back(
          {std::string(name.substr(0, name.find('\0'))), std::string(bytes.substr(at, size))});
    }
    at += (size + kBlock - 1) / kBlock * kBlock;
  }
  throw std::runtime_error("The archive is cut off after " + std::to_string(files.size()) +
                           " files.");
}

}  // namespace tilescope::emulator::fuzz
