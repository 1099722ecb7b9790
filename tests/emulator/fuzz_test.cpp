// Mutated kernels, parsed and run under limits: never a crash, never a hang. A fixed seed, so that
// a failure is found again; TILESCOPE_FUZZ_ROUNDS=N does more of them.
#include <cstdlib>
#include <random>

#include "support.h"

namespace tilescope::emulator::test::fuzz_file {
namespace {

int rounds(int usual) {
  const char* wanted = std::getenv("TILESCOPE_FUZZ_ROUNDS");
  return wanted ? std::atoi(wanted) : usual;
}

// Words of the text's own statements put in each other's places: more of it parses than of noise.
class Mutator {
 public:
  Mutator(const std::string& text, uint32_t seed) : random_(seed) {
    for (size_t at = 0; at < text.size();) {
      size_t end = text.find('\n', at);
      if (end == text.npos) end = text.size();
      lines_.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  std::string next() {
    std::vector<std::string> lines = lines_;
    for (uint32_t n = 1 + random_() % 5; n > 0; --n) {
      std::string& line = lines[random_() % lines.size()];
      const std::string& other = lines[random_() % lines.size()];
      switch (random_() % 7) {
        case 0:
          line = other;
          break;
        case 1:
          line += other;
          break;
        case 2:
          line.clear();
          break;
        case 3:
          swap_number(line);
          break;
        case 4:
          swap_word(line, other);
          break;
        case 5:
          if (!line.empty()) line[random_() % line.size()] = static_cast<char>(random_() % 256);
          break;
        default:
          if (!line.empty()) line.erase(random_() % line.size(), 1 + random_() % 8);
          break;
      }
    }
    std::string text;
    for (const std::string& l : lines) text += l + "\n";
    return text;
  }

 private:
  void swap_number(std::string& line) {
    static constexpr const char* kNumbers[] = {
        "0", "-1", "4294967295", "31", "0x7fffffffffffffff", "1048576"};
    const size_t at = line.find_first_of("0123456789");
    if (at == line.npos) return;
    line.replace(at, 1, kNumbers[random_() % std::size(kNumbers)]);
  }
  void swap_word(std::string& line, const std::string& other) {
    const size_t a = line.find_last_of(" \t"), b = other.find_last_of(" \t");
    if (a != line.npos && b != other.npos) line = line.substr(0, a) + other.substr(b);
  }

  std::mt19937 random_;
  std::vector<std::string> lines_;
};

void run_all(const Program& program) {
  for (const EntryInfo& entry : program.entries()) {
    if (entry.parameter_bytes > 4096) continue;
    Memory memory;
    const uint64_t buffer = memory.allocate("x", 1 << 12);
    std::vector<std::byte> block;
    while (block.size() + 8 <= entry.parameter_bytes && block.size() < 16) append(block, buffer);
    while (block.size() + 4 <= entry.parameter_bytes) append(block, 8u);
    block.resize(entry.parameter_bytes);
    RunOptions options;
    options.max_warp_instructions = 3000;
    options.check = (entry.instructions & 1u) != 0;
    run(program, entry.name, {{2, 1, 1}, {48, 1, 1}, 256, block}, memory, options);
  }
}

class Fuzz : public testing::TestWithParam<const char*> {};

TEST_P(Fuzz, MutatedKernelsEnd) {
  const std::string text = read_kernel(GetParam());
  Mutator mutator(text, 20261120);
  int ran = 0;
  for (int i = 0; i < rounds(60); ++i) {
    auto parsed = Program::parse(mutator.next());
    if (auto* program = std::get_if<0>(&parsed)) {
      run_all(**program);
      ++ran;
    }
  }
  RecordProperty("ran", ran);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Fuzz,
                         testing::Values("beyond_80_O3.ptx", "beyond_75_O3.ptx", "clang_75_O3.ptx",
                                         "clang_86_O0.ptx", "histogram.ptx", "reduce_shuffle.ptx"));

}  // namespace
}  // namespace tilescope::emulator::test::fuzz_file
