// libraries: tilescope_app tilescope_gui
// What a language costs: from choosing it, as View ▸ Language does, to the end of the first frame
// that is drawn wholly in it, in the layouts Learn and Explore; and, before that, from the end of
// the window's first frame to that of the first with the picture of Learn's kernel, and with its
// steps. A frame is wholly in a language if its texts and lines lie as in the frames that follow,
// once nothing changes any more: pictures that are made later, or sentences that are kept, would
// move them. Needs a display: tools/with_display bench_language [WxH [SWITCHES]], of each layout.
// The program's folder must hold tilescope-cli, as tilescope's does.
#include <hello_imgui/hello_imgui.h>
#include <imgui.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/kit/scene_view.h"
#include "app/shell/options.h"
#include "app/shell/shell_state.h"
#include "app/shell/window.h"
#include "app/state/edit.h"
#include "app/state/present.h"
#include "app/state/scene_words.h"
#include "core/language/language.h"

namespace {

using namespace tilescope;
using Clock = std::chrono::steady_clock;

int switches_of_layout = 50;

double ms_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

using Drawn = std::map<std::string, uint64_t>;  // by window

/// Of where the frame's triangles lie and which colour they have. Not of where their glyphs lie in
/// the texture, which grows.
Drawn drawn_now() {
  Drawn drawn;
  for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
    uint64_t hash = 14695981039346656037u;  // FNV-1a, by words
    const auto add = [&hash](uint32_t word) { hash = (hash ^ word) * 1099511628211u; };
    for (const ImDrawVert& v : list->VtxBuffer) {
      add(std::bit_cast<uint32_t>(v.pos.x));
      add(std::bit_cast<uint32_t>(v.pos.y));
      add(v.col);
    }
    drawn[list->_OwnerName ? list->_OwnerName : ""] += hash;
  }
  return drawn;
}

/// The windows that are not in both as they are in one.
std::string apart(const Drawn& a, const Drawn& b) {
  std::string names;
  for (const Drawn* one : {&a, &b}) {
    const Drawn& other = one == &a ? b : a;
    for (const auto& [name, hash] : *one) {
      const auto found = other.find(name);
      if (found != other.end() && (one == &b || found->second == hash)) continue;
      names += (names.empty() ? "" : ", ") + name;
    }
  }
  return names;
}

/// Frames since something was asked for, until they stay as they are.
class Frames {
 public:
  void begin() {
    *this = {};
    begin_ = Clock::now();
  }
  /// True once the last ones are alike. `busy`: more may come.
  bool add(Clock::time_point end, const Drawn& drawn, bool busy) {
    if (count_ == 0 || drawn != drawn_) {
      last_ = apart(drawn_, drawn);
      drawn_ = drawn, same_ = 0;
      first_ms_ = ms_between(begin_, end), first_ = count_ + 1;
    }
    ++count_;
    same_ = busy ? 0 : same_ + 1;
    return same_ >= kAlike || count_ >= kMost;
  }
  bool still() const { return same_ >= kAlike; }
  /// To the end of the first frame that is as the last one, and which one that was.
  double first_ms() const { return first_ms_; }
  int first() const { return first_; }
  /// What changed in it.
  const std::string& last() const { return last_; }

 private:
  static constexpr int kAlike = 30, kMost = 3000;
  Clock::time_point begin_;
  Drawn drawn_;
  std::string last_;
  double first_ms_ = 0;
  int count_ = 0, same_ = 0, first_ = 0;
};

/// The steps of the benchmark, a frame at a time.
class LanguageBench {
 public:
  explicit LanguageBench(ShellState& shell) : shell_(shell) { frames_.begin(); }

  /// Before a frame, and before the window runs the commands that were asked for.
  void before_frame() {
    AppState* state = shell_.context.state;
    if (state && !std::exchange(is_small_, true)) {
      // Small enough that all of C is verified before the first switch: how far that is stands in
      // the status bar, and would be another reason for a frame to change.
      Problem small = state->edit.problem;
      small.m = small.n = small.k = 256;
      set_problem(*state, small);
    }
    if (!asks_) return;
    asks_ = false;
    frames_.begin();
    if (chosen_ < 0) return shell_.context.commands.request(kLayouts[layout_].command);
    shell_.context.commands.request("view.language." + language_of(chosen_));
  }

  /// True when all is measured.
  bool after_frame(Clock::time_point end) {
    if (drawn_frames_++ == 0) first_frame_ = end;
    look_for_pictures(end);
    const AppState* state = shell_.context.state;
    const bool more = !state || trust_of(*state) != Trust::whole;
    if (!frames_.add(end, drawn_now(), shell_.model->busy() || more)) return false;
    if (chosen_ >= 0) note_switch();
    asks_ = true;
    if (++chosen_ < switches_of_layout) return false;
    print();
    chosen_ = -1;
    return ++layout_ == std::ssize(kLayouts);
  }

 private:
  struct Layout {
    const char *name, *command;
  };
  static constexpr Layout kLayouts[] = {{"Learn", "view.layout.learn"},
                                        {"Explore", "view.layout.explore"}};

  /// The next one each time, English among them: it is what the window begins with.
  static std::string language_of(int number) {
    const auto all = languages();
    return all[(static_cast<size_t>(number) + 1) % all.size()].id;
  }

  void look_for_pictures(Clock::time_point end) {
    const viz::Scene* scene = widgets::shown_scene("tiling_scene");
    if (picture_ms_ < 0 && scene && !scene->primitives.empty()) {
      picture_ms_ = ms_between(first_frame_, end);
      std::printf("first frame to Learn's first picture %.0f ms\n", picture_ms_);
    }
    const AppState* state = shell_.context.state;
    if (picture_ms_ >= 0 && steps_ms_ < 0 && state && trace_is_of_choice(*state)) {
      steps_ms_ = ms_between(first_frame_, end);
      std::printf("first frame to its steps %.0f ms\n", steps_ms_);
    }
  }

  void note_switch() {
    if (!frames_.still()) {
      ++never_still_;
      return;
    }
    ms_.push_back(frames_.first_ms());
    most_frames_ = std::max(most_frames_, frames_.first());
    if (frames_.first() > 2) {
      std::printf("  switch %d: %.1f ms, in frame %d %s\n", chosen_, frames_.first_ms(),
                  frames_.first(), frames_.last().c_str());
    }
    if (chosen_ == 0) first_ms_ = ms_.back();
  }

  void print() {
    std::sort(ms_.begin(), ms_.end());
    const auto at = [&](double part) {
      return ms_.empty() ? 0 : ms_[static_cast<size_t>(part * static_cast<double>(ms_.size() - 1))];
    };
    std::printf(
        "a language chosen to all said in it, %-8s p50 %6.1f ms, p95 %6.1f, most %6.1f, the first "
        "%6.1f; %zu switches, at most in frame %d, %d never still\n",
        kLayouts[layout_].name, at(0.5), at(0.95), at(1), first_ms_, ms_.size(), most_frames_,
        never_still_);
    ms_.clear();
    most_frames_ = never_still_ = 0;
  }

  ShellState& shell_;
  Frames frames_;
  Clock::time_point first_frame_;
  double picture_ms_ = -1, steps_ms_ = -1, first_ms_ = 0;
  std::vector<double> ms_;
  int drawn_frames_ = 0, most_frames_ = 0, never_still_ = 0, layout_ = 0;
  int chosen_ = -1;    // switches in this layout; -1: it is coming
  bool asks_ = false;  // in the next frame
  bool is_small_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  options.fresh = true;
  options.layout = "learn";
  options.language = "en";
  options.reduced_motion = true;
  if (argc > 1) std::sscanf(argv[1], "%dx%d", &options.width, &options.height);
  if (argc > 2) switches_of_layout = std::max(1, std::atoi(argv[2]));
  std::printf("window %d x %d\n", options.width, options.height);
  return run_window(options, [](HelloImGui::RunnerParams& params, ShellState& shell) {
    static LanguageBench bench(shell);
    params.fpsIdling.vsyncToMonitor = false;
    params.callbacks.PreNewFrame = [&shell, before = params.callbacks.PreNewFrame] {
      bench.before_frame();
      before();
      HelloImGui::GetRunnerParams()->fpsIdling.enableIdling = false;
      shell.frame_ms = 1;  // the status bar says it, and it would be another one in each frame
      ImGui::GetIO().AddMousePosEvent(-FLT_MAX, -FLT_MAX);  // nothing is explained under a pointer
    };
    params.callbacks.AfterSwap = [] {
      const Clock::time_point end = Clock::now();
      if (bench.after_frame(end)) HelloImGui::GetRunnerParams()->appShallExit = true;
    };
  });
}
