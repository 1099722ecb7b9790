#include "app/shell/docking_file.h"

#include <hello_imgui/hello_imgui.h>
#include <hello_imgui/internal/hello_imgui_ini_settings.h>
#include <imgui.h>
#include <unistd.h>

#include <cstdint>
#include <system_error>

#include "core/files/whole_file.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
namespace ini = HelloImGui::HelloImGuiIniSettings;

constexpr int kFramesToStand = 2;

/// All that a part of the file hangs on.
std::string docked(const HelloImGui::DockingParams& docking) {
  std::string all = docking.layoutName + "\n";
  for (const HelloImGui::DockableWindow& window : docking.dockableWindows) {
    all += window.isVisible ? '1' : '0';
  }
  return all + "\n" + ImGui::SaveIniSettingsToMemory();
}

/// Hello ImGui writes part after part of it, each time the whole file, so this is done beside it.
/// Where it may not be read or written there is nothing to keep, as at the end.
bool write_docking(const fs::path& file, const HelloImGui::RunnerParams& params) {
  const fs::path beside =
      file.string() + files::kUnfinished + std::to_string(getpid()) + "-docking";
  std::error_code error;
  fs::copy_file(file, beside, fs::copy_options::overwrite_existing, error);  // other layouts'
  const std::string name = beside.string();
  ini::SaveImGuiSettings(name, params.dockingParams.layoutName);
  ini::SaveDockableWindowsVisibility(name, params.dockingParams);
  ini::SaveHelloImGuiMiscSettings(name, params);
  constexpr uint64_t kMostBytes = 4u << 20;
  const auto text = files::read_file(name, kMostBytes);
  fs::remove(beside, error);
  return text && !text->empty() && files::replace_file(file.string(), *text).empty();
}

}  // namespace

void DockingFile::each_frame() {
  const HelloImGui::DockingParams& docking = HelloImGui::GetRunnerParams()->dockingParams;
  if (layout_ == docking.layoutName && !docking.layoutReset) {
    ++stands_for_;
  } else {
    layout_ = docking.layoutName;
    stands_for_ = 0;
  }
}

bool DockingFile::save() {
  const HelloImGui::RunnerParams& params = *HelloImGui::GetRunnerParams();
  const HelloImGui::DockingParams& docking = params.dockingParams;
  if (docking.dockableWindows.empty()) return false;  // one panel alone
  if (stands_for_ < kFramesToStand || layout_ != docking.layoutName || docking.layoutReset) {
    return false;
  }
  if (ImGui::IsAnyMouseDown()) return false;  // what hangs at the pointer is not there yet
  std::string now = docked(docking);
  if (now == saved_) return false;
  saved_ = std::move(now);
  return write_docking(file_, params);
}

}  // namespace tilescope
