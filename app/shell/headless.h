// `--render`: draws the window into a picture of any size, whatever the size of the screen.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tilescope {

/// Pixels from the lower left corner.
struct ScreenPart {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const ScreenPart&) const = default;
};
/// Of what is bound for reading: four bytes a pixel, rows from the lowest up.
std::vector<uint8_t> read_screen(const ScreenPart& part);
/// Of what is bound for reading, written as write_png() does.
bool write_screen_png(const ScreenPart& part, const std::string& path, std::string* error);

/// An off-screen target of the picture's size. Bound while ImGui draws, so that the window behind
/// it can stay hidden: what a hidden window's own back buffer holds is undefined.
class OffscreenTarget {
 public:
  /// Needs a current OpenGL context.
  OffscreenTarget(int width, int height);
  ~OffscreenTarget();
  OffscreenTarget(const OffscreenTarget&) = delete;
  OffscreenTarget& operator=(const OffscreenTarget&) = delete;

  void bind() const;

  /// Reads the pixels and writes a PNG beside the goal, then renames it. False: `error` is one
  /// sentence.
  bool write_png(const std::string& path, std::string* error) const;

 private:
  int width_, height_;
  unsigned framebuffer_ = 0, color_ = 0, depth_ = 0;
};

}  // namespace tilescope
