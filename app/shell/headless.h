// `--render`: draws the window into a picture of any size, whatever the size of the screen.
#pragma once
#include <string>

namespace tilescope {

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
