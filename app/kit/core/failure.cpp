#include "app/kit/core/failure.h"

#include "app/kit/widgets.h"
#include "core/language/language.h"

namespace tilescope::widgets {

void failure_box(AppContext& context, AppState& state, const char* title) {
  state.error_place = title;
  error_box(context, title, state.results.error, state.results.error_details);
  if (state.results.instead) {
    if (ImGui::SmallButton(tr_id("Nearest that runs here")))
      context.commands.request("edit.runnable");
    ImGui::SameLine();
  }
  if (ImGui::SmallButton(tr_id("Run again##failed"))) context.commands.request("run.again");
  ImGui::SameLine();
  if (ImGui::SmallButton(tr_id("Restart the worker"))) context.commands.request("worker.restart");
}

}  // namespace tilescope::widgets
