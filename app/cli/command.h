// A command of tilescope-cli: one row of the table in command_list.cpp, one file of its own.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <span>

namespace tilescope::cli {

/// Flags that every command has.
struct Globals {
  bool json = false;
  int argc = 0;
  char** argv = nullptr;
};

/// Runs the command after its flags were read; returns the exit code or throws CliError.
using Run = std::function<int()>;

struct CommandRow {
  const char* name;
  const char* what;      // one line of --help
  const char* example;   // a command line that is worth trying
  const char* document;  // what --json prints; empty where that is nothing of its own
  /// Adds the flags to `app` and returns what to run; both keep their state together.
  Run (*make)(CLI::App& app, const Globals& globals);
};

std::span<const CommandRow> command_list();

// One per file: NAME_command.cpp.
Run make_doctor(CLI::App& app, const Globals& globals);
Run make_kernels(CLI::App& app, const Globals& globals);
Run make_model(CLI::App& app, const Globals& globals);
Run make_fragments(CLI::App& app, const Globals& globals);
Run make_swizzle(CLI::App& app, const Globals& globals);
Run make_banks(CLI::App& app, const Globals& globals);
Run make_emulate(CLI::App& app, const Globals& globals);
Run make_trace(CLI::App& app, const Globals& globals);
Run make_check(CLI::App& app, const Globals& globals);
Run make_access(CLI::App& app, const Globals& globals);
Run make_step(CLI::App& app, const Globals& globals);
Run make_bench(CLI::App& app, const Globals& globals);
Run make_compare(CLI::App& app, const Globals& globals);
Run make_sweep(CLI::App& app, const Globals& globals);
Run make_layer(CLI::App& app, const Globals& globals);
Run make_launch(CLI::App& app, const Globals& globals);
Run make_export(CLI::App& app, const Globals& globals);
Run make_lessons(CLI::App& app, const Globals& globals);
Run make_render(CLI::App& app, const Globals& globals);
Run make_request(CLI::App& app, const Globals& globals);
Run make_worker(CLI::App& app, const Globals& globals);

}  // namespace tilescope::cli
