// tilescope-cli: the command line. No window, no GL.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/help.h"
#include "app/cli/output.h"
#include "app/common/config_folder.h"
#include "app/common/own_cards.h"

namespace tilescope::cli {
namespace {

/// CLI11's own messages come with hints on lines of their own: keep the sentence.
std::string sentence_of(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  while (!line.empty() && line.back() == '.') line.pop_back();
  return line;
}

int fail(const Globals& globals, int exit_code, const std::string& text, const Json& details = {}) {
  message("tilescope-cli: " + text);
  if (globals.json) {
    Json error = {{"code", exit_code}, {"message", text}};
    if (details.is_object()) error.update(details);
    print_json({{"error", error}});
  }
  return exit_code;
}

/// Numbers that begin with a minus look like flags to CLI11: "--size -1" becomes "--size=-1".
std::vector<std::string> joined_arguments(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    const bool negative =
        text.size() > 1 && text[0] == '-' && (text[1] == '.' || (text[1] >= '0' && text[1] <= '9'));
    if (negative && !arguments.empty() && arguments.back().rfind("--", 0) == 0 &&
        arguments.back().find('=') == std::string::npos) {
      arguments.back() += "=" + text;
    } else {
      arguments.push_back(text);
    }
  }
  // CLI11 takes them last first.
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

/// The first word that is no flag; empty if there is none.
std::string command_word(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] != '-') return argv[i];
  }
  return {};
}

bool is_command(const std::string& word) {
  return std::ranges::any_of(command_list(),
                             [&](const CommandRow& row) { return word == row.name; });
}

/// What is wrong with the command line, with the way out.
std::string usage_sentence(const CLI::ParseError& error, const std::string& word) {
  if (is_command(word)) {
    return sentence_of(error.what()) + "; see tilescope-cli " + word + " --help";
  }
  std::string names;
  for (const CommandRow& row : command_list()) {
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  if (word.empty()) return "which command? Choose " + names;
  return "there is no command '" + word + "'; choose " + names;
}

constexpr const char* kJsonHelp =
    "prints one JSON document on the standard output and nothing else there";
constexpr const char* kExitCodes =
    "Exit codes: 0 done and right; 1 done, and a check failed (a wrong result, a map that "
    "differs); "
    "2 bad usage, an illegal tile or unreadable input; 3 the device, library or display asked for "
    "is "
    "missing; 4 the kernel, the compiler or the worker failed. An error is one sentence on the "
    "standard error, with --json also {\"error\":{\"code\",\"message\"}} on the standard output. "
    "What was not measured is null, never zero.";

std::string footer_of(const CommandRow& row) {
  std::string text = std::string("Example: tilescope-cli ") + row.example;
  if (row.document[0]) text += std::string("\n\nWith --json: ") + row.document;
  return text;
}

bool has_flag(int argc, char** argv, const char* flag) {
  return std::any_of(argv + 1, argv + argc, [&](const char* a) { return std::string(a) == flag; });
}

/// Before the commands say which cards there are. The worker's own stderr is nobody's to read.
void take_own_cards(bool quiet) noexcept {
  try {
    const std::string folder = config_folder();
    const std::string left_out = folder.empty() ? "" : read_own_cards(folder + "/" + kCardsFile);
    if (!left_out.empty() && !quiet) message("tilescope-cli: " + left_out);
  } catch (const std::exception&) {  // no memory: the commands say so
  }
}

/// What was printed must have arrived: a full disk takes half of it without a word.
int all_written(int code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  message(std::string("tilescope-cli: the standard output cannot be written (") +
          std::strerror(errno != 0 ? errno : EIO) + ")");
  return code == 0 ? kFailed : code;
}

int main_of(int argc, char** argv) {
  take_own_cards(command_word(argc, argv) == "worker");
  // Known before the parse, which may fail.
  Globals globals{has_flag(argc, argv, "--json"), argc, argv};
  CLI::App app("Tilescope: see exactly what a CUDA GEMM kernel does.", "tilescope-cli");
  app.formatter(std::make_shared<HelpText>());
  app.set_help_flag("-h,--help", "prints this");
  app.set_version_flag("--version", TILESCOPE_VERSION, "prints the version");
  app.footer(kExitCodes);
  app.require_subcommand(1);
  bool json = false;
  app.add_flag("--json", json, kJsonHelp);
  std::vector<Run> runs;
  std::vector<CLI::App*> apps;
  for (const CommandRow& row : command_list()) {
    CLI::App* command = app.add_subcommand(row.name, row.what);
    command->add_flag("--json", json, kJsonHelp);
    command->footer(footer_of(row));
    runs.push_back(row.make(*command, globals));
    apps.push_back(command);
  }
  try {
    app.parse(joined_arguments(argc, argv));
  } catch (const CLI::ParseError& error) {
    const std::string word = command_word(argc, argv);
    // --help and --version come as errors, too, whatever stands beside them.
    if (error.get_exit_code() == 0 && (word.empty() || is_command(word))) return app.exit(error);
    return fail(globals, kBadUsage, usage_sentence(error, word));
  } catch (const CliError& error) {
    return fail(globals, error.exit_code(), error.what());
  }
  for (size_t i = 0; i < apps.size(); ++i) {
    if (!apps[i]->parsed()) continue;
    try {
      return runs[i]();
    } catch (const CliError& error) {
      return fail(globals, error.exit_code(), error.what(), error.details());
    } catch (const std::exception& error) {
      return fail(globals, kFailed, error.what());
    }
  }
  return fail(globals, kBadUsage, "which command? See tilescope-cli --help");
}

}  // namespace
}  // namespace tilescope::cli

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of a write
  try {
    return tilescope::cli::all_written(tilescope::cli::main_of(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tilescope-cli: %s\n", error.what());
    return tilescope::cli::kFailed;
  }
}
