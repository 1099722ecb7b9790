// libraries: tilescope_worker_engine
// Fits the constants of the model of time (core/model/time_constants.h) to launches that cards
// timed, and prints them as that file has them.
//   bench_fit [--from-here] [--only NAME,…] NEW... [--beside FILE...]
// NEW: files of which all counts in full (tests/fixtures/model); --beside: recordings, which count
// a quarter: their tiles are neighbours of each other. Launches that are held out (bench/judged.h)
// have no part in it. --from-here: begins at the constants as they are, not at the same rough
// values each time. --only: from there, too, and the others stay. One constant after the other
// moves by a share that gets smaller, which takes the same way on every machine.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/judged.h"

namespace {

using namespace tilescope;
using model::NamedConstant;
using model::TimeConstants;

struct Sample {
  JudgedLaunch launch;
  double us = 0, weight = 1;
};

void read_samples(const std::string& file, double weight, std::vector<Sample>& samples) {
  for (const worker::Recording& r : worker::read_recording_file(file)) {
    if (r.counters || !r.result.time_us || !r.result.cold || held_out(r)) continue;
    samples.push_back({judged_launch(r), *r.result.time_us, weight});
  }
}

/// Grows with the square of an error's logarithm at first, then as the logarithm.
double loss(const std::vector<Sample>& samples, const TimeConstants& constants) {
  constexpr double kScale = 0.25;
  double sum = 0;
  for (const Sample& s : samples) {
    const double error = std::log(s.launch.predict(constants).us / s.us) / kScale;
    sum += s.weight * (std::sqrt(1 + error * error) - 1);
  }
  return sum;
}

TimeConstants rough() {
  TimeConstants constants;
  for (const NamedConstant& c : model::time_constants()) constants.*c.value = c.rough;
  return constants;
}

/// One round over all constants; true if any moved.
bool improve(const std::vector<Sample>& samples, double share, const std::string& only,
             TimeConstants& constants, double& least) {
  bool moved = false;
  for (const NamedConstant& c : model::time_constants()) {
    if (!only.empty() && (',' + only + ',').find(',' + std::string(c.name) + ',') == only.npos) {
      continue;
    }
    for (const double factor : {1 + share, 1 / (1 + share)}) {
      bool further = false;
      for (;;) {
        TimeConstants next = constants;
        next.*c.value *= factor;
        const double now = loss(samples, next);
        if (!(now < least * (1 - 1e-6))) break;  // nor a norm of no number
        constants = next, least = now, further = moved = true;
      }
      if (further) break;
    }
  }
  return moved;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Sample> samples;
  double weight = 1;
  bool from_here = false;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--from-here") {
      from_here = true;
    } else if (word == "--only" && i + 1 < argc) {
      from_here = true, only = argv[++i];
    } else if (word == "--beside") {
      weight = 0.25;
    } else {
      read_samples(word, weight, samples);
    }
  }
  if (samples.empty()) {
    std::fprintf(stderr, "bench_fit: no cold launches in the files; give some of recordings\n");
    return 2;
  }
  TimeConstants constants = from_here ? TimeConstants{} : rough();
  double least = loss(samples, constants);
  std::printf("%zu launches, loss %.4f\n", samples.size(), least);
  for (const double share : {0.3, 0.1, 0.03, 0.01}) {
    for (int round = 0; round < 12 && improve(samples, share, only, constants, least); ++round) {
      std::printf("  steps of %g: loss %.4f\n", share, least), std::fflush(stdout);
    }
  }
  for (const NamedConstant& c : model::time_constants()) {
    std::printf("%s = %.4g\n", c.name, constants.*c.value);
  }
  return 0;
}
