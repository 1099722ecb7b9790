#include "app/cli/launcher.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "app/cli/cli_error.h"

namespace tilescope::cli {
namespace {

/// Names of variables. Another launcher is another row.
struct Launcher {
  const char* name;
  const char *rank, *size, *local;
  const char* run[2];  // what no two starts have in common; null: no more
};

constexpr Launcher kLaunchers[] = {
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

int number_of(const Launcher& launcher, const char* variable, int low, int high) {
  const std::string text = text_of(variable);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!text.empty() && error == std::errc() && end == text.data() + text.size() && value >= low &&
      value <= high) {
    return value;
  }
  throw CliError(kBadUsage, fmt::format("--launch {}: {} is '{}', not a whole number from {} to "
                                        "{}; start it with: {} -n 4 tilescope-cli sweep --launch "
                                        "{} …",
                                        launcher.name, variable, text, low, high, launcher.name,
                                        launcher.name));
}

}  // namespace

std::string launcher_names() {
  std::string names;
  for (const Launcher& launcher : kLaunchers)
    names += (names.empty() ? "" : " or ") + std::string(launcher.name);
  return names;
}

Rank rank_of(const std::string& name) {
  constexpr int kMostRanks = 100000;
  for (const Launcher& launcher : kLaunchers) {
    if (name != launcher.name) continue;
    if (text_of(launcher.rank).empty()) {
      throw CliError(kBadUsage,
                     fmt::format("--launch {}: {} is not set, so {} did not start this process; "
                                 "start it with: {} -n 4 tilescope-cli sweep --launch {} …",
                                 name, launcher.rank, name, name, name));
    }
    Rank rank;
    rank.launcher = name;
    rank.size = number_of(launcher, launcher.size, 1, kMostRanks);
    rank.rank = number_of(launcher, launcher.rank, 0, rank.size - 1);
    if (!text_of(launcher.local).empty()) {
      rank.local = number_of(launcher, launcher.local, 0, rank.size - 1);
    }
    for (const char* variable : launcher.run) rank.run += text_of(variable) + ".";
    return rank;
  }
  throw CliError(kBadUsage,
                 fmt::format("--launch: there is no '{}'; choose {}", name, launcher_names()));
}

}  // namespace tilescope::cli
