// NVIDIA's programs (ncu, nvdisasm) as children: where they lie, and a run of one, bounded in time
// and output. Only children that never touch CUDA may use it, since it forks.
#pragma once
#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

namespace tilescope::worker {

struct ToolSearch {
  const char* name = "";                  // "ncu"
  const char* variable = "";              // of the environment: the program, or its folder
  std::vector<std::string> folders = {};  // beyond $PATH and the toolkit's
  bool folders_first = false;             // before them
};
struct FoundTool {
  std::string file;      // empty: not found
  std::string searched;  // "TILESCOPE_NCU=/x", or "$PATH, $CUDA_HOME/bin, …"
};
/// The variable alone if it is set; else $PATH, the toolkit's folders, and those of the search
/// behind or before them.
FoundTool find_tool(const ToolSearch& search);

struct ToolRun {
  std::vector<std::string> argv;  // [0] is the file
  double seconds = 60;            // then it is killed
  size_t max_bytes = 8u << 20;    // of each of its two outputs; then it is killed
  const std::atomic<bool>* cancelled = nullptr;
  std::vector<int> open_files = {};  // of ours, which the program has as descriptors 3, 4, …
};
struct ToolResult {
  enum class End { exited, signalled, not_started, too_long, too_much, cancelled };
  End end = End::not_started;
  int code = 0;  // exit code, signal, or errno of the start
  std::string out, err;
  bool ok() const { return end == End::exited && code == 0; }
};
/// Runs the program. All processes that it starts are ended when it ends, when it is cancelled or
/// exceeds a limit, and when this process is killed.
ToolResult run_tool(const ToolRun& run);

/// How a run ended, to follow the program's name: "ended with code 3", "was stopped after 60 s".
std::string end_of(const ToolResult& result, const ToolRun& run);
/// The last line of a text that has something on it, made harmless.
std::string last_line(const std::string& text);

}  // namespace tilescope::worker
