#include "seed_inputs.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "instruction_source.h"

namespace fs = std::filesystem;

namespace tilescope::emulator::fuzz {
namespace {

constexpr size_t kLongest = 40'000;
constexpr uint32_t kRowsAnInput = 4;
constexpr int kTimesPerRow = 4;
constexpr const char* kHeaders[] = {"// 010000000000\n", "// 370000000000\n", "// 050100000000\n",
                                    "// 111000010003\n"};

/// Each entry of a module alone, with all that is no entry.
std::vector<std::string> split_entries(const std::string& text) {
  std::vector<std::pair<size_t, size_t>> entries;
  for (size_t at = text.find(".visible .entry"); at != text.npos;
       at = text.find(".visible .entry", at + 1)) {
    const size_t end = text.find("\n}", at);
    if (end == text.npos) break;
    entries.emplace_back(at, end + 2 - at);
  }
  std::vector<std::string> all;
  for (size_t kept = 0; kept < entries.size(); ++kept) {
    std::string one = text;
    for (size_t i = entries.size(); i-- > 0;) {
      if (i != kept) one.erase(entries[i].first, entries[i].second);
    }
    all.push_back(one);
  }
  return all;
}

}  // namespace

std::vector<Seed> parse_seeds(const fs::path& kernels) {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(kernels)) {
    if (file.path().extension() == ".ptx") files.push_back(file.path());
  }
  std::sort(files.begin(), files.end());  // a folder lists them in any order
  std::vector<Seed> seeds;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    for (std::string& one : split_entries(text)) {
      if (one.size() > kLongest) continue;
      seeds.push_back({file.stem().string() + std::to_string(seeds.size()), std::move(one)});
    }
  }
  return seeds;
}

std::vector<Seed> run_seeds(const fs::path& kernels) {
  std::vector<Seed> seeds = parse_seeds(kernels);
  for (size_t i = 0; i < seeds.size(); ++i) seeds[i].text.insert(0, kHeaders[i % 4]);
  Random random(20261120);
  const uint32_t rows = active_rows().count;
  for (uint32_t first = 0; first < rows; first += kRowsAnInput) {
    for (int again = 0; again < kTimesPerRow; ++again) {
      std::string text = kHeaders[seeds.size() % 4];
      for (uint32_t row = first; row < std::min(first + kRowsAnInput, rows); ++row) {
        text += instruction(row, random) + "\n";
      }
      seeds.push_back(
          {"row" + std::to_string(first) + "_" + std::to_string(again), std::move(text)});
    }
  }
  return seeds;
}

}  // namespace tilescope::emulator::fuzz
