#include "app/features/own/panels/file_choice.h"

#include <emscripten.h>
#include <imgui.h>

#include "app/kit/header_row.h"
#include "app/kit/widgets.h"

EM_JS(void, tilescope_choose_file, (), { Module['chooseFile'](); });

namespace tilescope {

using namespace widgets;

/// The browser opens what is chosen, later: tilescope_open_this().
bool choose_by_path(AppContext&, std::string&) {
  if (ImGui::Button("Choose a .ptx on this machine")) tilescope_choose_file();
  return false;
}

bool choose_in_folder(AppContext& context, std::string&) {
  elided(context, "nvcc -ptx -lineinfo KERNEL.cu makes a .ptx; a browser compiles none", Tone::dim);
  return false;
}

void show_folder(const std::string&) {}

}  // namespace tilescope
