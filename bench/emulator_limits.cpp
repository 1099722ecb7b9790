// libraries: tilescope_emulator
// What the emulator must keep to beside its speed:
//
//   emulator_limits parse [repeats]   milliseconds for 10,000 lines of PTX, parsed and decoded
//   emulator_limits cancel [repeats]  milliseconds from the flag to the end of a run, the longest
//   emulator_limits large [size]      seconds of a whole run on two host threads, and its peak
//                                     resident memory against its buffers and shared memory
//
// Each with the tests' mma kernel, and cancelling with the SGEMM, too.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "emulator/emulator.h"

namespace {

using namespace tilescope::emulator;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::string read(const char* name) {
  const auto folder =
      std::filesystem::path(__FILE__).parent_path().parent_path() / "tests/emulator/kernels";
  std::ifstream in(folder / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::shared_ptr<const Program> parse(const std::string& ptx) {
  auto parsed = Program::parse(ptx);
  if (const auto* errors = std::get_if<std::vector<ParseError>>(&parsed)) {
    std::fprintf(stderr, "%s\n", errors->front().message.c_str());
    std::exit(1);
  }
  return std::get<0>(parsed);
}

size_t line_count(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

// The kernel again and again under other names, as one module of 10,000 lines.
void parse_time(int repeats) {
  for (const char* file : {"hgemm_mma.ptx", "sgemm_tiled.ptx"}) {
    const std::string text = read(file);
    const size_t body = text.find(".visible .entry");
    const std::string name = std::string(file).substr(0, std::string(file).find('.'));
    std::string module = text.substr(0, body);
    for (int copy = 0; line_count(module) < 10000; ++copy) {
      std::string entry = text.substr(body);
      const std::string fresh = name + "_" + std::to_string(copy);
      for (size_t at = 0; (at = entry.find(name, at)) != entry.npos; at += fresh.size()) {
        entry.replace(at, name.size(), fresh);
      }
      module += entry;
    }
    double best = 1e9;
    for (int i = 0; i < repeats; ++i) {
      const auto begin = Clock::now();
      parse(module);
      best = std::min(best, ms_since(begin));
    }
    const double lines = static_cast<double>(line_count(module));
    std::printf("%-16s %.0f lines in %.2f ms: %.2f ms for 10,000\n", file, lines, best,
                best * 10000 / lines);
  }
}

template <class T>
void append(std::vector<std::byte>& block, T v) {
  const size_t at = (block.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T);
  block.resize(at + sizeof(T));
  std::memcpy(block.data() + at, &v, sizeof(T));
}

struct Gemm {
  std::shared_ptr<const Program> program;
  const char* entry;
  Launch launch;
  Memory memory;
  uint64_t bytes = 0;  // of buffers, and of the shared memory of each host thread's CTA

  Gemm(const char* file, const char* name, uint32_t size, uint64_t element, uint32_t shared)
      : program(parse(read(file))), entry(name) {
    launch.grid = {size / 128, size / 128, 1};
    launch.block = {256, 1, 1};
    launch.dynamic_shared_bytes = shared;
    const uint64_t count = uint64_t{size} * size;
    for (const auto& [what, each] : {std::pair{"A", element}, {"B", element}, {"C", uint64_t{4}}}) {
      const uint64_t address = memory.allocate(what, count * each);
      std::memset(memory.bytes(address).data(), 0, count * each);
      append(launch.parameters, address);
      bytes += count * each;
    }
    for (int i = 0; i < 3; ++i) append(launch.parameters, size);
    bytes += shared + program->find(name)->static_shared_bytes;
  }
};

void cancel_time(int repeats) {
  for (const bool mma : {true, false}) {
    Gemm gemm(mma ? "hgemm_mma.ptx" : "sgemm_tiled.ptx", mma ? "hgemm_mma" : "sgemm_tiled", 2048,
              mma ? 2 : 4, mma ? 3 * 32768 : 0);
    for (const bool check : {false, true}) {
      double longest = 0;
      for (int i = 0; i < repeats; ++i) {
        std::atomic<bool> cancel{false};
        RunOptions options;
        options.cancel = &cancel;
        options.check = check;
        Clock::time_point flagged;
        std::thread hand([&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(20 + 7 * i));
          flagged = Clock::now();
          cancel = true;
        });
        const RunResult result = run(*gemm.program, gemm.entry, gemm.launch, gemm.memory, options);
        const auto end = Clock::now();
        hand.join();
        if (!result.fault || result.fault->kind != Fault::Kind::cancelled) {
          std::fprintf(stderr, "the run was not cancelled\n");
          std::exit(1);
        }
        longest =
            std::max(longest, std::chrono::duration<double, std::milli>(end - flagged).count());
      }
      std::printf("%-12s%-14s at most %.2f ms from the flag to the end, of %d\n", gemm.entry,
                  check ? ", with checks" : "", longest, repeats);
    }
  }
}

void large_run(uint32_t size) {
  Gemm gemm("hgemm_mma.ptx", "hgemm_mma", size, 2, 3 * 32768);
  RunOptions options;
  options.threads = 2;
  const RunResult result = run(*gemm.program, gemm.entry, gemm.launch, gemm.memory, options);
  if (result.fault) {
    std::fprintf(stderr, "%s\n", result.fault->message.c_str());
    std::exit(1);
  }
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const double peak = static_cast<double>(use.ru_maxrss) / 1024;
  const double own = static_cast<double>(gemm.bytes) / 1048576;
  std::printf(
      "hgemm_mma %u cubed: %.2f s; %.1f MiB at most, %.1f MiB of buffers and shared memory: %.2f\n",
      size, result.seconds, peak, own, peak / own);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  if (what == "parse") {
    parse_time(number > 0 ? number : 20);
  } else if (what == "cancel") {
    cancel_time(number > 0 ? number : 10);
  } else if (what == "large") {
    large_run(number > 0 ? static_cast<uint32_t>(number) : 2048);
  } else {
    std::fprintf(stderr, "emulator_limits parse|cancel|large [number]\n");
    return 2;
  }
  return 0;
}
