// Other programs: the window beside this one, and a private X server for it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/programs/program.h"

namespace tilescope::cli {

/// Folder of the running program, without a slash at the end.
std::string program_folder();

/// Runs a program and waits. Returns its exit code, 128 + signal if it was killed, −1 if it could
/// not be started. `display`: DISPLAY for it; empty = ours.
int run_program(const std::vector<std::string>& arguments, const std::string& display = "");

/// An X server of our own on a free display, ended with the object, or with this process if that
/// is ended from outside.
class PrivateDisplay {
 public:
  /// Throws CliError (exit code 3) if Xvfb is missing or does not start.
  PrivateDisplay();
  ~PrivateDisplay();
  PrivateDisplay(const PrivateDisplay&) = delete;
  PrivateDisplay& operator=(const PrivateDisplay&) = delete;
  const std::string& name() const { return name_; }  // ":7"

 private:
  std::unique_ptr<Program> server_;
  std::string name_;
};

}  // namespace tilescope::cli
