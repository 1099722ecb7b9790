// libraries: tilescope_worker_engine
// How far the model is from what a card measured and counted: files of results (bench/gpu_model.py,
// bench/record, bench --json, a line each). Each rung's error of time, bytes and accesses, and what
// the tile that the model calls best loses to the best measured one of the same problem.
//   bench_judge [--uncompiled] [--compulsory] [--held | --fitted] [--rows] FILE...
// --uncompiled: as before the compile, without registers and spills. --compulsory: DRAM without the
// simulation of the L2. --held: those alone that nothing was fitted to (judged.h); --fitted: the
// others alone, which somebody who looks for what the model misses may look at. --rows: each launch
// first, with the parts of its time in µs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/errors.h"
#include "bench/judged.h"
#include "core/model/names.h"

namespace {

using namespace tilescope;

struct Options {
  JudgeOptions judge;
  bool held = false, fitted = false, rows = false;
  std::vector<std::string> files;
};

void print_row(const worker::Recording& r, const model::Prediction& p) {
  std::printf("%.2f  %8.1f µs, predicted %8.1f:", p.us / *r.result.time_us, *r.result.time_us,
              p.us);
  for (int i = 0; i < model::kTimeParts; ++i) {
    std::printf(" %s %.1f", model::name_of(static_cast<model::TimePart>(i)), p.parts[i]);
  }
  std::printf("; %s; %s\n", p.busiest, identity_of(r).c_str());
}

/// Model over card, of one figure.
using Errors = std::map<std::string, std::vector<double>>;

void print(const char* title, const Errors& errors) {
  std::vector<double> all;
  std::printf("%s\n", title);
  for (const KernelEntry& kernel : kernel_table()) {
    const auto of = errors.find(kernel.info.id);
    if (of == errors.end()) continue;
    print_errors(kernel.info.id, of->second);
    all.insert(all.end(), of->second.begin(), of->second.end());
  }
  if (!all.empty()) print_errors("all", all);
}

void print_losses(const char* of, const std::map<std::string, std::vector<Times>>& problems,
                  size_t fewest) {
  const std::vector<double> losses = losses_of(problems, fewest);
  if (losses.empty()) return;
  double sum = 0;
  for (const double loss : losses) sum += loss;
  std::printf(
      "the tile called best loses, over %zu %s: mean %.1f %%, median %.1f %%, p95 %.1f %%\n",
      losses.size(), of, 100 * sum / static_cast<double>(losses.size()),
      100 * percentile(losses, 0.5), 100 * percentile(losses, 0.95));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--uncompiled") {
      options.judge.compiled = false;
    } else if (word == "--compulsory") {
      options.judge.simulated = false;
    } else if (word == "--held") {
      options.held = true;
    } else if (word == "--fitted") {
      options.fitted = true;
    } else if (word == "--rows") {
      options.rows = true;
    } else {
      options.files.push_back(word);
    }
  }
  Errors time;
  std::map<std::string, Errors> counted;
  std::map<std::string, std::vector<Times>> problems, of_rungs;
  size_t judged_times = 0, likely = 0;
  for (const std::string& file : options.files) {
    for (const worker::Recording& r : worker::read_recording_file(file)) {
      if ((options.held && !held_out(r)) || (options.fitted && held_out(r))) continue;
      const Problem& p = r.request.problem;
      const auto& m = r.result;
      const Judged judged = judge(r, options.judge);
      if (r.counters) {
        const worker::MeasuredTraffic card = worker::measured_traffic(r.counters->values);
        for (const CountedFigure& figure : kCountedFigures) {
          const auto& measured = card.*figure.card;
          if (measured && *measured > 0) {
            counted[figure.what][r.request.kernel].push_back(figure.model(judged) / *measured);
          }
        }
        continue;  // those of gpu_model are measured too shortly to be a time; others go with them
      }
      if (!m.time_us || !m.cold) continue;
      ++judged_times;
      likely += *m.time_us >= judged.prediction.low_us && *m.time_us <= judged.prediction.high_us;
      time[r.request.kernel].push_back(judged.prediction.us / *m.time_us);
      if (options.rows) print_row(r, judged.prediction);
      const Times times{judged.prediction.us, *m.time_us};
      problems[r.request.kernel + " " + model::layout_letters(p) + " " + problem_of(r)].push_back(
          times);
      of_rungs[problem_of(r)].push_back(times);
    }
  }
  print("time (cold), predicted over measured", time);
  std::printf(
      "  within what is called likely: %.0f %%\n",
      100.0 * static_cast<double>(likely) / static_cast<double>(std::max<size_t>(judged_times, 1)));
  for (const auto& [what, errors] : counted) print(what.c_str(), errors);
  print_losses("problems of one rung, six tiles or more", problems, 6);
  print_losses("problems over rungs together, three launches or more", of_rungs, 3);
  return 0;
}
