// A kernel's file of somebody's own, opened: what a launch sheet is made and shown with.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/sheet/launch_sheet.h"
#include "core/sheet/signature.h"

namespace tilescope::worker {

struct OpenRequest {
  std::string file;                        // .cu or .ptx; whole path, where the worker runs
  std::optional<std::string> source = {};  // in place of what the file holds
  std::string only = {};                   // "ptx", "cu": another kind is refused; empty: either
  // Of a .cu:
  std::string arch = {};                                        // "sm_90"; empty: the default
  std::vector<std::string> include_folders = {}, defines = {};  // "NAME" or "NAME=VALUE"
  std::string entry = {};   // an instance of a template that is to be compiled, "f<128, 8>"
  double seconds = 60;      // of a compiler
  bool with_cubin = false;  // for the architecture, where that can be made: it takes longer
};

/// An instruction, or something else, that keeps an entry from being run.
struct InTheWay {
  int ptx_line = 0, line = 0;  // line: of the source; 0 = not known
  std::string opcode;          // empty: it is no instruction
  std::string message;         // one sentence
  bool operator==(const InTheWay&) const = default;
};

struct OpenedKernel {
  sheet::Signature signature;
  int line = 0;                           // of its declaration in the source; 0 = not known
  sheet::LaunchSheet guess;               // of sheet::guess_sheet()
  std::vector<InTheWay> in_the_way = {};  // empty: it can be run
  /// The source file that most of its PTX is of, by its name there; empty: no lines are known.
  std::string source = {};
  int registers = 0, spill_bytes = 0;  // per thread, from the cubin; 0 registers: there is none
};

struct OpenAnswer {
  std::string kind;  // "cu" or "ptx"
  std::string ptx;
  std::string source;          // of a .cu, as it is in the file
  std::string arch, compiler;  // of a .cu: "sm_90", "NVRTC 13.0"
  double compile_ms = 0;
  std::string revision;  // of the PTX, as CompileResult has it
  std::string log;       // of the compiler, and what was left out
  std::vector<OpenedKernel> kernels;
  std::vector<sheet::FoundLaunch> launches = {};  // in the file's host code
  std::vector<std::string> templates = {};  // "f<int BM, int BN>": kernels that need an instance
  std::vector<std::string> files = {};      // that were read: the .cu and its own headers
  /// Why the PTX as a whole cannot be read; there are no kernels then.
  std::vector<InTheWay> errors = {};
  std::string cubin = {};  // in base64, if asked for and possible
};

void to_json(nlohmann::json& j, const OpenRequest& r);
void from_json(const nlohmann::json& j, OpenRequest& r);
void to_json(nlohmann::json& j, const OpenAnswer& a);
void from_json(const nlohmann::json& j, OpenAnswer& a);

}  // namespace tilescope::worker
