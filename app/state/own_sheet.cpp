#include "app/state/own_sheet.h"

#include <filesystem>

#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/present_launch.h"
#include "core/files/whole_file.h"
#include "core/sheet/launch_sheet.h"
#include "core/sheet/sheet_error.h"

namespace tilescope {

void take_kept_sheet(AppState& state, const std::string& sheet) {
  auto* own = std::get_if<OwnKernel>(&state.edit.subject);
  if (!own || own->sheet == sheet) return;
  own->sheet = sheet;
  ++state.edit_serial;
  forget_launch(state);
  derive(state);
}

worker::OpenRequest open_request(const AppState& state, const OwnKernel& kernel) {
  worker::OpenRequest request{.file = kernel.file};
  if (!is_ptx_file(kernel.file) && card_of(state)) {
    request.arch = arch_of(state);
    request.with_cubin = true;
  }
  try {
    if (!kernel.sheet.empty()) {
      const std::string entry = sheet::sheet_of_text(kernel.sheet).entry;
      if (entry.find('<') != std::string::npos) request.entry = entry;
    }
  } catch (const sheet::SheetError&) {
  }
  return request;
}

bool is_kernel_file(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".cu" || ending == ".cuh" || ending == ".ptx";
}

bool is_ptx_file(const std::string& path) {
  return std::filesystem::path(path).extension() == ".ptx";
}

std::string own_text(const OwnKernel& kernel) {
  constexpr uint64_t kMost = 16 << 20;  // bytes; an editor shows no more at once
  return files::read_file(kernel.file, kMost).value_or("");
}

}  // namespace tilescope
