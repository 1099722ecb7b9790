// Where panels are docked, in the file that Hello ImGui reads at the start and at each change of
// the layout. It writes that itself when a window closes in order or another layout is chosen; here
// it is written meanwhile, whole or not at all.
#pragma once
#include <filesystem>
#include <string>
#include <utility>

namespace tilescope {

inline constexpr const char* kDockingFile = "layout.ini";  // in the folder of the session

class DockingFile {
 public:
  explicit DockingFile(std::filesystem::path file) : file_(std::move(file)) {}
  /// Once per frame, before ImGui begins it. Where panels of another layout come, or all of them go
  /// back to their places, they stand some frames later: until then there is nothing to save.
  void each_frame();
  /// Writes it if it is not what was written last. True: it was written.
  bool save();

 private:
  std::filesystem::path file_;
  std::string layout_;  // that stands
  int stands_for_ = 0;  // frames
  std::string saved_;
};

}  // namespace tilescope
