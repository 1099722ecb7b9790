// fuzz_seeds FOLDER: writes the dictionary, and the inputs to start from: the fixtures' kernels,
// and each row of the table a few times.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "instruction_source.h"

namespace fs = std::filesystem;
using namespace tilescope::emulator;

namespace {

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

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

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const fs::path folder = argv[1];
  std::string dictionary;
  for (const std::string& word : fuzz::words()) dictionary += "\"" + word + "\"\n";
  write(folder / "dictionary.txt", dictionary);
  static const char* const kHeaders[] = {"// 010000000000\n", "// 370000000000\n",
                                         "// 050100000000\n", "// 111000010003\n"};
  int n = 0;
  for (const auto& file : fs::directory_iterator(TILESCOPE_TEST_KERNELS)) {
    if (file.path().extension() != ".ptx") continue;
    std::ifstream in(file.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    for (const std::string& one : split_entries(text)) {
      if (one.size() > 40'000) continue;
      const std::string name = file.path().stem().string() + std::to_string(n);
      write(folder / "parse" / name, one);
      write(folder / "run" / name, kHeaders[n++ % 4] + one);
    }
  }
  fuzz::Random random(20261120);
  const uint32_t rows = active_rows().count;
  for (uint32_t first = 0; first < rows; first += 4) {
    for (int again = 0; again < 2; ++again) {
      std::string body;
      for (uint32_t row = first; row < first + 4 && row < rows; ++row) {
        body += fuzz::instruction(row, random) + "\n";
      }
      write(folder / "run" / ("row" + std::to_string(first) + "_" + std::to_string(again)),
            kHeaders[n++ % 4] + body);
    }
  }
  std::printf("%u rows, %d inputs\n", rows, n);
}
