#include "app/shell/panel_window.h"

#include <hello_imgui/hello_imgui_include_opengl.h>
#include <imgui_internal.h>

#include <exception>

#include "app/kit/widgets.h"
#include "app/shell/style.h"
#include "app/state/edit.h"
#include "app/state/feature.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

bool can_be_drawn(const Panel& panel, const AppContext& context) {
  return panel.without_plan || !context.state || context.state->derived.kernel;
}

void draw_or_say_why_not(const Panel& panel, AppContext& context) {
  if (can_be_drawn(panel, context)) return panel.draw(context);
  const std::string why = why_no_plan(*context.state, panel.title);
  if (widgets::empty_panel(context, "No plan to draw from", why, "Back to the ladder")) {
    leave_own_kernel(*context.state);
  }
}

/// A panel that throws loses its own picture for a frame, not the window.
void draw_guarded(const Panel& panel, AppContext& context) {
  ImGuiErrorRecoveryState before;
  ImGui::ErrorRecoveryStoreState(&before);
  try {
    draw_or_say_why_not(panel, context);
  } catch (const std::exception& error) {
    ImGui::ErrorRecoveryTryToRecoverState(&before);
    ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(context.theme->warning));
    const std::string why = error.what();
    ImGui::TextWrapped("%s", wording("This panel could not be drawn: {}", why).c_str());
    ImGui::PopStyleColor();
    if (ImGui::SmallButton(tr_id("Copy"))) ImGui::SetClipboardText(error.what());
  }
}

/// Small widgets of a panel in the free part of its tab bar, at the right.
void draw_header(const Panel& panel, AppContext& context) {
  const ImGuiWindow* window = ImGui::GetCurrentWindow();
  const ImGuiDockNode* node = window->DockNode;
  if (!panel.draw_header || !can_be_drawn(panel, context) || !node || !node->TabBar ||
      !window->DockTabIsVisible)
    return;
  const ImGuiTabBar* bar = node->TabBar;
  float left = bar->BarRect.Min.x;
  for (const ImGuiTabItem& tab : bar->Tabs) {
    left = ImMax(left, bar->BarRect.Min.x + tab.Offset + tab.Width);
  }
  left += 8 * context.scale;
  const float right = bar->BarRect.Max.x - 4 * context.scale;
  if (right - left < 24 * context.scale) return;
  ImGui::SetNextWindowPos({left, bar->BarRect.Min.y});
  ImGui::SetNextWindowSize({right - left, bar->BarRect.GetHeight()});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 2 * context.scale));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.f);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  const std::string name = std::string("##header_") + panel.id;
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                                      ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoBackground |
                                      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;
  // A child of the tab bar's host: drawn above it, below every popup.
  if (ImGui::Begin(name.c_str(), nullptr, kFlags)) {
    const PanelStyle style;
    ImGui::AlignTextToFramePadding();
    panel.draw_header(context);
  }
  ImGui::End();
  ImGui::PopStyleVar(3);
}

}  // namespace

void draw_panel(const Panel& panel, AppContext& context) {
  {
    const PanelStyle style;
    draw_guarded(panel, context);
  }
  draw_header(panel, context);
}

void draw_lone_panel(const Panel& panel, AppContext& context) {
  // The full-screen window that Hello ImGui gives has no panel ground of its own.
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->Pos);
  ImGui::SetNextWindowSize(viewport->Size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.f);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.f);
  ImGui::Begin(panel.title, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar(2);
  {
    const PanelStyle style;
    if (panel.draw_header) panel.draw_header(context);
    draw_guarded(panel, context);
  }
  ImGui::End();
}

void clear_background(const ImVec4& color) {
  const ImGuiIO& io = ImGui::GetIO();
  glViewport(0, 0, static_cast<int>(io.DisplaySize.x * io.DisplayFramebufferScale.x),
             static_cast<int>(io.DisplaySize.y * io.DisplayFramebufferScale.y));
  glClearColor(color.x, color.y, color.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace tilescope
