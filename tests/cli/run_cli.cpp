#include "tests/cli/run_cli.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

struct Scratch {
  fs::path path = fs::temp_directory_path() / ("tilescope_cli_" + std::to_string(getpid()));
  Scratch() { fs::create_directories(path); }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string scratch_folder() {
  static const Scratch scratch;
  return scratch.path.string();
}

nlohmann::json CliResult::json() const { return nlohmann::json::parse(out, nullptr, false); }

CliResult run_cli(const std::vector<std::string>& arguments) {
  const fs::path out = fs::path(scratch_folder()) / "stdout";
  const fs::path err = fs::path(scratch_folder()) / "stderr";
  std::string command = quoted(TILESCOPE_CLI);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += " >" + quoted(out.string()) + " 2>" + quoted(err.string()) + " </dev/null";
  const int status = std::system(command.c_str());
  CliResult result;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  result.out = content(out);
  result.err = content(err);
  return result;
}

std::vector<std::string> keys(const nlohmann::json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

nlohmann::json kernels_listed() { return run_cli({"kernels", "--json"}).json(); }

bool can_compile() {
  static const bool can = run_cli({"emulate", "--kernel", "naive", "--size", "32"}).code != 3;
  return can;
}

}  // namespace tilescope
