#include "app/shell/dropped_files.h"

#include <GLFW/glfw3.h>
#include <hello_imgui/hello_imgui.h>

#include <string>

#include "app/shell/shell_state.h"

namespace tilescope {

void open_what_is_dropped(ShellState& shell) {
  static ShellState* on;  // GLFW's callbacks know their window alone, and there is one
  on = &shell;
  auto* window =
      static_cast<GLFWwindow*>(HelloImGui::GetRunnerParams()->backendPointers.glfwWindow);
  glfwSetDropCallback(window, [](GLFWwindow*, int count, const char** paths) {
    std::string error;
    if (count == 0) return;
    if (on->model->open(paths[0], &error)) return remember_file(on->settings, paths[0]);
    on->problem = error;
  });
}

}  // namespace tilescope
