// How often to draw while nothing happens.
#pragma once

namespace tilescope {

/// Measures what a frame costs this process (all its threads: a software renderer has many) and
/// proposes a rate that keeps an idle window near 2 % of a core: 9 frames a second where a GPU
/// draws, fewer where the CPU does. Input wakes the window at once in any case.
class IdleGovernor {
 public:
  void begin_frame();
  float frame_ms() const { return frame_ms_; }
  float idle_rate() const;

 private:
  double begin_ = 0;
  float frame_ms_ = 0;
};

}  // namespace tilescope
