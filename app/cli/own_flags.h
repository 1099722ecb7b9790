// A kernel of somebody's own, a .ptx or a .cu, with its launch and arguments, given by flags or by
// a sheet: what emulate, trace, bench and check have in common.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/request_options.h"
#include "app/cli/worker_session.h"
#include "core/sheet/argument_spec.h"
#include "core/sheet/launch_sheet.h"
#include "worker/messages/calls.h"
#include "worker/messages/messages_launch.h"
#include "worker/messages/messages_run.h"

namespace tilescope::cli {

struct OwnFlags {
  std::string ptx, cu, arch;
  std::vector<std::string> include_folders, defines;
  std::string entry, grid, block, cluster, shared;
  std::vector<std::string> args;  // SPEC…, in the order of the parameters
  std::string sheet, gemm, write_sheet;
  std::vector<std::string> expect;  // INDEX=FILE…
  std::string expect_kernel, tolerance;
  std::string max_instructions;  // of lanes; empty = the default
  std::string max_memory;        // GB; empty = the default

  void add_to(CLI::App& app);
  bool given() const { return !ptx.empty() || !cu.empty(); }
  const std::string& file() const { return ptx.empty() ? cu : ptx; }
  /// Throws (exit code 2) for flags that mean something for a file alone, where there is none.
  void refuse_without_file() const;
};

struct OwnLaunch {
  worker::OpenAnswer opened;
  size_t kernel = 0;  // of opened.kernels
  sheet::LaunchSheet sheet;
  std::vector<sheet::ArgumentSpec> specs;  // the sheet's
  std::string file;                        // as it was given
  /// The kernel that the sheet expects to write the same, and of its arguments the launch's.
  std::optional<worker::LaunchRequest> other = {};
  std::vector<int> other_args = {};

  const sheet::Signature& signature() const { return opened.kernels[kernel].signature; }
  /// As people call it: "sgemm<128, 8>".
  const std::string& name() const;
};

/// Opens the file and makes the sheet. Throws with exit code 2 for what flags and sheet have wrong,
/// which then prints the sheet that it would take and saves it if --write-sheet says so; 4 for what
/// cannot be compiled, read or run.
/// `with_cubin`: of a .cu, for a card.
OwnLaunch read_own(const OwnFlags& flags, const RequestOptions& problem, WorkerSession& worker,
                   bool with_cubin = false);

/// --layout, --c, --alpha and --beta, of commands that have them for --gemm alone.
void add_gemm_flags(CLI::App& app, RequestOptions& problem);

/// Of --max-instructions; 0 = no limit.
uint64_t max_lane_instructions(const OwnFlags& flags);
/// --max-instructions and --max-memory, where they were given.
worker::calls::Bounds bounds_of(const OwnFlags& flags);

worker::LaunchRequest launch_request(const OwnLaunch& own);
/// Into a run: the launch, and what it is compared with.
void add_launch(const OwnLaunch& own, worker::RunRequest& request);
/// By buffer, in order of allocation: the argument that it is.
std::vector<int> buffer_arguments(const OwnLaunch& own);

}  // namespace tilescope::cli
