#include "app/draw/play_on_emulator.h"

#include <chrono>
#include <thread>

#include "app/live/live.h"
#include "app/state/edit.h"
#include "core/files/scratch_folder.h"

namespace tilescope {

constexpr int kIdleFrames = 250;  // of 2 ms, with nothing under way: nothing more will come

LessonPlay play_on_emulator(const Lesson& lesson,
                            const std::function<LessonWatch(AppState&, const Advance&)>& watch) {
  const files::ScratchFolder folder;  // where examples of kernels of one's own are put
  AppState state = initial_state();
  state.store = folder.path();
  Live live(worker::Client::start_process({}), "");
  live.set_verify_beside(false);
  live.set_compile_ahead(false);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  int idle = 0;
  const Advance advance = [&](AppState& s) {
    s.now = std::chrono::duration<double>(Clock::now() - begin).count() + 1;
    live.update(s);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    idle = live.busy(s) ? 0 : idle + 1;
    if (idle < kIdleFrames) return true;
    idle = 0;  // the next fact has its own patience
    return false;
  };
  advance(state);
  return play_lesson(lesson, state, advance, watch ? watch(state, advance) : LessonWatch{});
}

}  // namespace tilescope
