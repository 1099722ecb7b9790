// libraries: tilescope_worker_engine
// How far NVIDIA's nvMatmulHeuristics is from what a card measured and counted, beside our model on
// the same rows: files of results as bench/judge reads them. Rows that it does not answer (single
// precision, warp tiles that it does not take, Stream-K) are left out for both, and counted.
//   bench_second_opinion FILE...
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "bench/errors.h"
#include "bench/judged.h"
#include "worker/engine/error.h"
#include "worker/engine/heuristics/matmul_heuristics.h"

namespace {

using namespace tilescope;

/// Of one figure: theirs and ours, over the card's.
struct Both {
  std::vector<double> theirs, ours;
};
using Figures = std::map<std::string, Both>;

void add(Figures& figures, const std::string& what, const Problem& p, double theirs, double ours,
         double card) {
  const bool as_profiled = p.type_a == ElementType::f16 && p.type_c == ElementType::f32;
  for (const std::string& name : {what, as_profiled ? what + ", f16 to f32" : std::string()}) {
    if (name.empty()) continue;
    figures[name].theirs.push_back(theirs / card);
    figures[name].ours.push_back(ours / card);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string why_not;
  const worker::MatmulHeuristics* library = worker::MatmulHeuristics::open(&why_not);
  if (!library) {
    std::fprintf(stderr, "%s\n", why_not.c_str());
    return 3;
  }
  Figures figures;
  size_t asked = 0, answered = 0;
  for (int i = 1; i < argc; ++i) {
    for (const worker::Recording& r : worker::read_recording_file(argv[i])) {
      const KernelEntry& kernel = *find_kernel(r.request.kernel.c_str());
      const KernelPlan plan = kernel.plan(r.request.tile, r.request.problem);
      if (plan.math() != Math::mma || (!r.counters && (!r.result.time_us || !r.result.cold))) {
        continue;
      }
      ++asked;
      worker::SecondOpinion said;
      try {
        said = library->ask(r.request, r.result.device_name, 1);
      } catch (const worker::RpcError& error) {
        std::fprintf(stderr, "%s\n", error.message.c_str());
        return error.exit_code;
      }
      if (!said.present) continue;
      ++answered;
      const Problem& p = r.request.problem;
      const Judged ours = judge(r);
      if (!r.counters) {
        const double card = *r.result.time_us;
        add(figures, "time", p, said.present->us, ours.prediction.us, card);
        add(figures, "time, as it ranks", p, said.present->rank_us, ours.prediction.us, card);
        continue;
      }
      const worker::MeasuredTraffic card = worker::measured_traffic(r.counters->values);
      if (card.dram_read && *card.dram_read > 0) {
        add(figures, "DRAM read", p, said.present->dram_read, ours.dram_read, *card.dram_read);
      }
      if (card.l2_read && *card.l2_read > 0) {
        add(figures, "L2 -> SM", p, said.present->l2_read,
            ours.traffic.l2.read - ours.traffic.packed_bytes, *card.l2_read);
      }
    }
  }
  std::printf("nvMatmulHeuristics %s answers %zu of %zu launches of tensor-core kernels\n",
              library->version().c_str(), answered, asked);
  for (const auto& [what, both] : figures) {
    std::printf("%s\n", what.c_str());
    print_errors("theirs", both.theirs);
    print_errors("ours", both.ours);
  }
  return 0;
}
