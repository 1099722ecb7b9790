// libraries: tilescope_state tilescope_worker_client
// From a slider's rest to the steps of the new PTX: compile and trace through the worker, as the
// window asks for them. Random legal tiles; the cache is a fresh folder, so the first pass is cold
// and the second finds every kernel compiled ahead. "registers": when those arrive, too. "verdict":
// counts, verification and checks behind the steps. The last column is the tile that took longest.
//   bench_steps [TILES [KERNEL]]
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "app/state/edit.h"
#include "core/model/names.h"
#include "worker/client/client.h"

namespace {

using namespace tilescope;
namespace calls = worker::calls;
using Clock = std::chrono::steady_clock;

std::vector<Edit> random_tiles(const KernelEntry& kernel, int count, int size,
                               std::mt19937& random) {
  AppState state = initial_state();
  set_kernel(state, kernel.info.id);
  Problem p = state.edit.problem;
  set_layout(p, kernel.info.default_layout);
  p.m = p.n = p.k = size;
  set_problem(state, p);
  std::vector<Edit> tiles;
  while (static_cast<int>(tiles.size()) < count) {
    Edit e = state.edit;
    for (int i = 0; i < kernel.sliders.count; ++i) {
      const Slider& s = kernel.sliders.slider[i];
      set(e.change_rung().tile, s.field, s.values[random() % static_cast<unsigned>(s.count)]);
    }
    if (kernel.validate(e.rung().tile, e.problem, state.limits).legal()) tiles.push_back(e);
  }
  return tiles;
}

/// Asks; ends the program on an error.
template <class C>
uint64_t send(worker::Client& client, const worker::calls::Kernel& of,
              const typename C::Request& request, typename C::Answer& answer,
              const worker::Turn& turn = {}) {
  return client.call<C>(request,
                        {.done = [&answer](typename C::Answer came) { answer = std::move(came); },
                         .failed =
                             [kernel = of.request.kernel](const worker::CallError& e) {
                               std::fprintf(stderr, "%s of %s: %s\n", C::name, kernel.c_str(),
                                            e.message.c_str());
                               std::exit(1);
                             }},
                        turn);
}

/// The same, and waits.
template <class C>
typename C::Answer ask(worker::Client& client, const worker::calls::Kernel& of,
                       const typename C::Request& request) {
  typename C::Answer answer;
  client.wait(send<C>(client, of, request, answer));
  return answer;
}

void print(const KernelEntry& kernel, const char* what, std::vector<double> ms,
           const std::vector<Edit>& tiles) {
  const auto longest = std::max_element(ms.begin(), ms.end()) - ms.begin();
  // Registers are not asked for where they came with the PTX: then a time's tile is not known.
  const std::string tile =
      ms.size() == tiles.size()
          ? model::tile_text(tiles[static_cast<size_t>(longest)].rung().tile, kernel.sliders)
          : "";
  std::sort(ms.begin(), ms.end());
  const auto at = [&](double part) {
    return ms[static_cast<size_t>(part * static_cast<double>(ms.size() - 1))];
  };
  std::printf("%-16s %-23s median %6.0f ms   p95 %6.0f ms   max %6.0f ms   %zu tiles   %s\n",
              kernel.info.id, what, at(0.5), at(0.95), ms.back(), ms.size(), tile.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 40;
  const auto cache = std::filesystem::temp_directory_path() / "tilescope-bench-cache";
  std::filesystem::remove_all(cache);
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  auto client = worker::Client::start_process({});
  std::mt19937 random(3);
  for (const KernelEntry& kernel : kernel_table()) {
    if (argc > 2 && std::string(argv[2]) != kernel.info.id) continue;
    const std::vector<Edit> tiles = random_tiles(kernel, count, 4096, random);
    for (const char* pass : {"cold", "compiled ahead"}) {
      std::vector<double> ms, registers_ms, verdict_ms;
      for (const Edit& e : tiles) {
        const calls::Kernel of{{e.rung().kernel, e.rung().tile, e.problem}};
        calls::Compile::Answer whole;
        const auto begin = Clock::now();
        const auto passed = [&] {
          return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
        };
        const auto compiled =
            ask<calls::Compile>(*client, of, {.of = of, .ptx_is_enough = true}).result;
        const uint64_t registers =
            compiled.registers == 0
                ? send<calls::Compile>(*client, of, {.of = of}, whole, {.prefetch = true})
                : 0;
        const calls::Code code{.ptx = compiled.ptx};
        ask<calls::Trace>(*client, of, {.of = of, .code = code, .k_step = 0});
        ms.push_back(passed());
        ask<calls::Emulate>(*client, of, {.of = of, .code = code});
        verdict_ms.push_back(passed());
        if (registers == 0) continue;
        client->wait(registers);
        registers_ms.push_back(passed());
      }
      print(kernel, pass, std::move(ms), tiles);
      print(kernel, (std::string(pass) + ", verdict").c_str(), std::move(verdict_ms), tiles);
      if (!registers_ms.empty()) print(kernel, "cold, registers", std::move(registers_ms), tiles);
    }
  }
  std::filesystem::remove_all(cache);
}
