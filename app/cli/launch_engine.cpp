#include "app/cli/launch_engine.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "app/cli/error.h"

namespace tilescope::cli {
namespace {

/// Names of variables. Another engine is another row.
struct Engine {
  const char* name;
  const char *rank, *size, *local;
  const char* run[2];  // what no two starts have in common; null: no more
};

constexpr Engine kEngines[] = {
    {"mpirun",
     "OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK",
     {"PMIX_NAMESPACE", nullptr}},
    {"srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", {"SLURM_JOB_ID", "SLURM_STEP_ID"}},
};

std::string text_of(const char* variable) {
  const char* text = variable ? std::getenv(variable) : nullptr;
  return text ? text : "";
}

int number_of(const Engine& engine, const char* variable, int low, int high) {
  const std::string text = text_of(variable);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!text.empty() && error == std::errc() && end == text.data() + text.size() && value >= low &&
      value <= high) {
    return value;
  }
  throw CliError(kBadUsage,
                 fmt::format("--launch {}: {} is '{}', not a whole number from {} to "
                             "{}; start it with: {} -n 4 tilescope-cli sweep --launch "
                             "{} …",
                             engine.name, variable, text, low, high, engine.name, engine.name));
}

}  // namespace

std::string engine_names() {
  std::string names;
  for (const Engine& engine : kEngines)
    names += (names.empty() ? "" : " or ") + std::string(engine.name);
  return names;
}

Rank rank_of(const std::string& name) {
  constexpr int kMostRanks = 100000;
  for (const Engine& engine : kEngines) {
    if (name != engine.name) continue;
    if (text_of(engine.rank).empty()) {
      throw CliError(kBadUsage,
                     fmt::format("--launch {}: {} is not set, so {} did not start this process; "
                                 "start it with: {} -n 4 tilescope-cli sweep --launch {} …",
                                 name, engine.rank, name, name, name));
    }
    Rank rank;
    rank.engine = name;
    rank.size = number_of(engine, engine.size, 1, kMostRanks);
    rank.rank = number_of(engine, engine.rank, 0, rank.size - 1);
    if (!text_of(engine.local).empty()) {
      rank.local = number_of(engine, engine.local, 0, rank.size - 1);
    }
    for (const char* variable : engine.run) rank.run += text_of(variable) + ".";
    return rank;
  }
  throw CliError(kBadUsage,
                 fmt::format("--launch: there is no '{}'; choose {}", name, engine_names()));
}

}  // namespace tilescope::cli
