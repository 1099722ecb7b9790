#include "app/state/own_sheet.h"

#include <filesystem>

#include "app/state/edit.h"
#include "app/state/present_launch.h"
#include "core/files/whole_file.h"

namespace tilescope {

void take_kept_sheet(AppState& state, const std::string& sheet) {
  auto* own = std::get_if<OwnKernel>(&state.edit.subject);
  if (!own || own->sheet == sheet) return;
  own->sheet = sheet;
  ++state.edit_serial;
  forget_launch(state);
  derive(state);
}

bool is_kernel_file(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".cu" || ending == ".cuh" || ending == ".ptx";
}

std::string own_text(const OwnKernel& kernel) {
  constexpr uint64_t kMost = 16 << 20;  // bytes; an editor shows no more at once
  return files::read_file(kernel.file, kMost).value_or("");
}

}  // namespace tilescope
