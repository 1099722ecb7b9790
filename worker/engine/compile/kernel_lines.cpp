#include "worker/engine/compile/kernel_lines.h"

namespace tilescope::worker {

int kernel_line(const emulator::Program& program, int ptx_line, const std::string& file) {
  for (const emulator::SourceLine& line : program.source_chain(ptx_line)) {
    if (line.file == file) return line.line;
  }
  return 0;
}

int line_told(const emulator::Program& program, int ptx_line, const std::string& file) {
  return file.empty() ? program.source_line(ptx_line).line : kernel_line(program, ptx_line, file);
}

}  // namespace tilescope::worker
