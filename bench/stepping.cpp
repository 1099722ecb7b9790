// libraries: tilescope_emulator
// Steps through one CTA of 128×128 of C, 256 threads: the tests' SGEMM and tensor-core kernel.
// Random places; "back" steps one instruction back from each, "written" goes from the beginning to
// the first store of a random element of C, "k step" to the next iteration. Milliseconds of one
// core.
//   bench_stepping DIR [K [TRIES]]       DIR: tests/emulator/kernels
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "emulator/stepper.h"

namespace {

using namespace tilescope::emulator;
using Clock = std::chrono::steady_clock;

struct Case {
  const char* file;
  const char* entry;
  uint32_t shared, bytes;
};

double ms_of(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

void print(const char* entry, const char* what, std::vector<double> ms) {
  std::ranges::sort(ms);
  const auto at = [&](double part) {
    return ms[static_cast<size_t>(part * static_cast<double>(ms.size() - 1))];
  };
  std::printf("%-12s %-22s median %8.3f   p95 %8.3f   max %8.3f ms   %zu times\n", entry, what,
              at(0.5), at(0.95), ms.back(), ms.size());
}

std::unique_ptr<Stepper> start(const Case& c, const std::string& ptx, uint32_t k, uint32_t n) {
  auto program = Program::parse(ptx, Registers::kept);
  Memory memory;
  const uint64_t a = memory.allocate("A", uint64_t{n} * k * c.bytes, true);
  const uint64_t b = memory.allocate("B", uint64_t{n} * k * c.bytes, true);
  const uint64_t to = memory.allocate("C", uint64_t{n} * n * 4);
  Launch launch{{n / 128, n / 128, 1}, {256, 1, 1}, c.shared, std::vector<std::byte>(36)};
  const uint64_t addresses[] = {a, b, to};
  const uint32_t sizes[] = {n, n, k};
  std::memcpy(launch.parameters.data(), addresses, sizeof addresses);
  std::memcpy(launch.parameters.data() + sizeof addresses, sizes, sizeof sizes);
  Stepper::Options options;
  options.ctas = {{1, 1, 0}};
  auto started = Stepper::start(std::get<0>(program), c.entry, std::move(launch), std::move(memory),
                                std::move(options));
  if (const auto* wrong = std::get_if<std::string>(&started)) {
    std::fprintf(stderr, "%s\n", wrong->c_str());
    std::exit(1);
  }
  return std::get<0>(std::move(started));
}

void measure(const Case& c, const std::string& ptx, uint32_t k, int tries) {
  constexpr uint32_t kN = 256;
  std::unique_ptr<Stepper> stepper;
  std::vector<double> first, forward, back, jump, written, k_step, state;
  first.push_back(ms_of([&] { stepper = start(c, ptx, k, kN); }));
  print(c.entry, "begin", first);
  std::mt19937 random(5);
  const StopCondition any{};
  for (int i = 0; i < tries / 4 + 1; ++i) {
    StopCondition stored{.kind = StopCondition::Kind::access};
    const uint32_t row = 128 + random() % 128, column = 128 + random() % 128;
    stored.address = (uint64_t{3} << 40) + (uint64_t{row} * kN + column) * 4;
    stored.bytes = 4;
    stored.reads = false;
    stepper->go_to(0);
    written.push_back(ms_of([&] {
      if (!stepper->find(Stepper::Direction::forward, {&stored, 1})) std::exit(1);
    }));
    if (i == 0) print(c.entry, "until written, first", written);
  }
  const StepPlace end = stepper->go_to(~0ull);
  for (int i = 0; i < tries; ++i) {
    jump.push_back(ms_of([&] { stepper->go_to(random() % end.tick); }));
    forward.push_back(ms_of([&] { stepper->find(Stepper::Direction::forward, {&any, 1}); }));
    StepParts parts;
    parts.live_only = true;
    state.push_back(ms_of([&] { (void)stepper->state(parts); }));
    stepper->go_to(random() % end.tick);
    back.push_back(ms_of([&] { stepper->find(Stepper::Direction::backward, {&any, 1}); }));
    const StopCondition next{.kind = StopCondition::Kind::k_step, .warp = random() % 8};
    k_step.push_back(ms_of([&] { stepper->find(Stepper::Direction::forward, {&next, 1}); }));
  }
  print(c.entry, "until written", written);
  print(c.entry, "forward", forward);
  print(c.entry, "back", back);
  print(c.entry, "jump anywhere", jump);
  print(c.entry, "k step", k_step);
  print(c.entry, "state, a warp's live", state);
  std::printf("%-12s %llu warp instructions, %llu checkpoints, %.1f MB\n", c.entry,
              static_cast<unsigned long long>(end.tick),
              static_cast<unsigned long long>(stepper->checkpoints()),
              static_cast<double>(stepper->checkpoint_bytes()) / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_stepping DIR [K [TRIES]]\n");
    return 2;
  }
  const uint32_t k = argc > 2 ? static_cast<uint32_t>(std::atoi(argv[2])) : 4096;
  const int tries = argc > 3 ? std::atoi(argv[3]) : 200;
  for (const Case& c : {Case{"sgemm_tiled.ptx", "sgemm_tiled", 0, 4},
                        Case{"hgemm_mma.ptx", "hgemm_mma", 98304, 2}}) {
    std::ifstream in(std::string(argv[1]) + "/" + c.file, std::ios::binary);
    const std::string ptx{std::istreambuf_iterator<char>(in), {}};
    measure(c, ptx, k, tries);
  }
}
