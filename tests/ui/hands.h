// What lessons and planted bugs ask a person to do, by two hands: keys alone, or the mouse, which
// has keys for digits and text alone. Each is false where there is no way to do it.
#pragma once
#include <functional>
#include <string>

#include "app/features/lessons/lesson_run.h"
#include "tests/ui/ui_test.h"
#include "viz/scene/scene.h"

struct ImGuiWindow;

namespace tilescope {
struct PlantedBug;
}

namespace tilescope::ui_test {

class Hand {
 public:
  explicit Hand(ImGuiTestContext* test) : ctx(test) {}
  virtual ~Hand() = default;
  Hand(const Hand&) = delete;
  Hand& operator=(const Hand&) = delete;

  virtual bool open(const Lesson& lesson) = 0;
  virtual bool open(const PlantedBug& bug) = 0;
  /// What can be pressed in the panel Lesson; `window` as go_to_item() has it (by_keys.h).
  virtual bool press(const char* label, const ImGuiWindow* window) = 0;
  /// Types a number into the step's field and gives it as the answer.
  virtual bool answer(const std::string& number, const ImGuiWindow* window) = 0;
  /// Sets in the window what is typed into a lesson in its words; `after` has it.
  virtual bool set(const std::string& change, const AppState& after) = 0;
  virtual bool pick(const Panel& panel, const std::function<bool(const viz::Pick&)>& wanted) = 0;
  virtual bool go_to_line(int line) = 0;
  /// Makes this the text of Source, and saves it.
  virtual bool write(const std::string& text) = 0;
  /// Shortcuts and clicks are again what they were before this hand came.
  virtual void leave() = 0;

 protected:
  ImGuiTestContext* const ctx;
};

class KeyHand final : public Hand {
 public:
  /// The mouse stays where nothing is.
  explicit KeyHand(ImGuiTestContext* test) : Hand(test) { ctx->MouseTeleportToPos({2, 300}); }
  bool open(const Lesson& lesson) override;
  bool open(const PlantedBug& bug) override;
  bool press(const char* label, const ImGuiWindow* window) override;
  bool answer(const std::string& number, const ImGuiWindow* window) override;
  bool set(const std::string& change, const AppState& after) override;
  bool pick(const Panel& panel, const std::function<bool(const viz::Pick&)>& wanted) override;
  bool go_to_line(int line) override;
  bool write(const std::string& text) override;
  void leave() override;
};

class MouseHand final : public Hand {
 public:
  using Hand::Hand;
  bool open(const Lesson& lesson) override;
  bool open(const PlantedBug& bug) override;
  bool press(const char* label, const ImGuiWindow* window) override;
  bool answer(const std::string& number, const ImGuiWindow* window) override;
  bool set(const std::string& change, const AppState& after) override;
  bool pick(const Panel& panel, const std::function<bool(const viz::Pick&)>& wanted) override;
  bool go_to_line(int line) override;
  bool write(const std::string& text) override;
  void leave() override {}

 private:
  void go_to_learn();
  bool set_kernel_of(const AppState& after);
  bool set_tile_of(const AppState& after);
  bool set_problem_of(const AppState& after);
  bool set_layer_of(const AppState& after);
};

}  // namespace tilescope::ui_test
