#include "worker/engine/counters/count_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "core/model/format.h"
#include "core/model/names.h"
#include "kernels/registry.h"
#include "worker/engine/counters/ncu_report.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

// ncu starts, attaches, and runs the kernel once per pass, about five of them, with its memory put
// back in between.
constexpr double kStartSeconds = 60, kPasses = 6;

/// Where Nsight Compute is installed by itself, the newest first.
std::vector<std::string> ncu_folders() {
  std::vector<std::string> folders;
  std::error_code ignored;
  for (const auto& version :
       std::filesystem::directory_iterator("/opt/nvidia/nsight-compute", ignored)) {
    folders.push_back(version.path().string());
  }
  std::ranges::sort(folders, std::greater());
  return folders;
}

std::string own_program() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  // By this name it is the same program even if its file was replaced meanwhile.
  return error || !std::filesystem::exists(path, error) ? "/proc/self/exe" : path.string();
}

/// What the program under ncu said of its failure; empty if it did not fail.
std::string words_of_program(const std::string& messages) {
  constexpr std::string_view kName = "tilescope-cli: ";
  std::istringstream in(messages);
  std::string words;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kName)) words = line.substr(kName.size());
  }
  return words;
}

struct Ncu {
  std::string file, name;  // name: "ncu 2025.3.1"
};

Ncu find_ncu(const CountOptions& options) {
  const UsableTool tool = usable_tool(ncu_tool(), options.cancelled);
  if (!tool.why_not.empty()) fail(kMissing, tool.why_not);
  return {tool.file, "ncu " + tool.version};
}

std::vector<std::string> command(const Ncu& ncu, const std::vector<std::string>& metrics,
                                 const KernelRequest& request, const CountOptions& options) {
  std::vector<std::string> argv{ncu.file, "--csv", "--print-units", "base"};
  const auto add = [&](const std::vector<std::string>& more) {
    argv.insert(argv.end(), more.begin(), more.end());
  };
  add(ncu_options(metrics));
  const KernelEntry& kernel = *find_kernel(request.kernel.c_str());
  add({own_program(), "launch", "--device", options.device, "--time-limit",
       fmt::format("{}", options.time_limit)});
  add(model::position_options(kernel.info.id, kernel.sliders, request.tile, request.problem));
  if (!options.kernel_dir.empty()) add({"--kernel-dir", options.kernel_dir});
  return argv;
}

[[noreturn]] void fail_run(const ToolResult& result, const ToolRun& run, const Ncu& ncu,
                           const std::string& kernel) {
  const std::string messages = result.out + "\n" + result.err;
  const nlohmann::json log = {
      {"log", messages.substr(messages.size() - std::min<size_t>(messages.size(), 8192))}};
  if (const std::string known = ncu_failure(messages, ncu.name); !known.empty()) {
    fail(kMissing, known, log);
  }
  if (result.end == ToolResult::End::too_long) {
    fail(kFailed,
         fmt::format("Counting {} {}: the kernel may never end, or take too long to run once a "
                     "pass; choose a smaller size or a longer --time-limit.",
                     kernel, end_of(result, run)),
         log);
  }
  if (const std::string words = words_of_program(messages); !words.empty()) {
    fail(result.end == ToolResult::End::exited && result.code == kMissing ? kMissing : kFailed,
         fmt::format("{} was not counted: {}", kernel, words), log);
  }
  std::string said = last_line(result.err);
  if (said.empty()) said = last_line(result.out);
  fail(kFailed,
       fmt::format("{} {} and counted nothing{}; run the command of \"Copy ncu command\" "
                   "by hand to see why.",
                   ncu.name, end_of(result, run), said.empty() ? "" : ", saying \"" + said + "\""),
       log);
}

}  // namespace

NeededTool ncu_tool() {
  return {.search = {"ncu", "TILESCOPE_NCU", ncu_folders()},
          .does = "reads a card's counters",
          .version = ncu_version,
          .too_old = is_too_old,
          .oldest = kOldestNcu,
          .fix =
              "install Nsight Compute (it comes with the CUDA toolkit), or set TILESCOPE_NCU to "
              "it; timing and model go on without counters."};
}

CountersResult count_launch(const KernelRequest& request, const CountOptions& options) {
  const Ncu ncu = find_ncu(options);
  std::map<std::string, std::string> names;  // as ncu knows it → as the list has it
  std::vector<std::string> metrics = all_metrics();
  for (const std::string& metric : metrics) names[metric] = metric;
  while (true) {
    if (options.progress) options.progress("counting with " + ncu.name);
    const ToolRun run{
        command(ncu, metrics, request, options),
        options.seconds > 0 ? options.seconds : kStartSeconds + kPasses * options.time_limit,
        8u << 20, options.cancelled};
    const ToolResult result = run_tool(run);
    if (result.end == ToolResult::End::cancelled) fail_cancelled();
    // A name that this version does not have: by its other name, else without it.
    const auto unknown = unknown_metrics(result.out + "\n" + result.err, metrics);
    std::vector<std::string> rest;
    for (const std::string& metric : metrics) {
      if (std::ranges::find(unknown, metric) == unknown.end()) {
        rest.push_back(metric);
        continue;
      }
      for (const Counter& counter : counter_list()) {
        if (metric != counter.metric || !counter.instead) continue;
        names[counter.instead] = counter.metric;
        rest.push_back(counter.instead);
      }
    }
    if (!unknown.empty() && !rest.empty()) {
      metrics = std::move(rest);
      continue;
    }
    CountersResult counted;
    for (const auto& [name, value] : parse_ncu_csv(result.out)) {
      if (const auto known = names.find(name); known != names.end()) {
        counted.values[known->second] = value;
      }
    }
    if (!result.ok() || counted.values.empty()) fail_run(result, run, ncu, request.kernel);
    counted.device = options.device;
    counted.date = model::today();
    counted.standing = "measured";
    counted.tool = ncu.name;
    return counted;
  }
}

}  // namespace tilescope::worker
