// sweep --launch: who started this process beside others of its kind, and which of them it is. The
// launcher (mpirun, srun) tells by environment variables; nothing of it is linked.
#pragma once
#include <string>

namespace tilescope::cli {

struct Rank {
  int rank = 0, size = 1;
  int local = 0;         // among those on this machine: which of its cards it takes
  std::string launcher;  // "mpirun"; empty: started by itself
  std::string run;       // one start of the launcher, told from the next; empty if it does not say
};

/// "mpirun or srun": for --help.
std::string launcher_names();

/// What the launcher's variables say. Throws CliError (exit code 2) if there is no such launcher,
/// or it did not start this process.
Rank rank_of(const std::string& launcher);

}  // namespace tilescope::cli
