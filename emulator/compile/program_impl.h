// What a Program holds.
#pragma once
#include <string>
#include <vector>

#include "emulator/compile/code.h"
#include "emulator/emulator.h"
#include "emulator/ptx/source_lines.h"

namespace tilescope::emulator {

struct ModuleData {  // a .global or .const variable
  std::string name;
  uint64_t bytes = 0;
  bool read_only = false;
  std::vector<uint8_t> initial;
};

struct Entry {
  EntryInfo info;
  Code code;
  std::vector<ParseError> errors;  // why it cannot be run
};

struct Program::Impl {
  std::vector<Entry> entries;
  std::vector<ModuleData> data;  // region kModuleRegions + index
  SourceLines source_lines;
  int target = 0;  // 90 of sm_90a
};

}  // namespace tilescope::emulator
