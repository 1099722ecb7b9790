#include "app/shell/style.h"

#include <hello_imgui/hello_imgui.h>
#include <imgui.h>
#include <implot/implot.h>

#include "app/panel.h"

namespace tilescope {
namespace {

void apply_plot_colors(const Theme& t) {
  if (!ImPlot::GetCurrentContext()) return;
  ImVec4* c = ImPlot::GetStyle().Colors;
  c[ImPlotCol_FrameBg] = c[ImPlotCol_PlotBg] = to_vec4(with_alpha(t.panel, 0));
  c[ImPlotCol_PlotBorder] = to_vec4(t.border);
  c[ImPlotCol_LegendBg] = to_vec4(t.panel);
  c[ImPlotCol_LegendBorder] = to_vec4(t.border);
  c[ImPlotCol_LegendText] = c[ImPlotCol_TitleText] = c[ImPlotCol_InlayText] = to_vec4(t.text);
  c[ImPlotCol_AxisText] = to_vec4(t.dim);
  c[ImPlotCol_AxisGrid] = to_vec4(t.border);
  c[ImPlotCol_AxisTick] = to_vec4(t.dim);
  c[ImPlotCol_AxisBgHovered] = to_vec4(t.frame);
  c[ImPlotCol_AxisBgActive] = to_vec4(t.accent_ground);
  c[ImPlotCol_Selection] = to_vec4(t.accent);
  c[ImPlotCol_Crosshairs] = to_vec4(t.dim);
  ImPlot::BustColorCache();
}

}  // namespace

void apply_theme_colors(const Theme& t) {
  if (t.kind == ThemeKind::kDark) {
    ImGui::StyleColorsDark();
  } else {
    ImGui::StyleColorsLight();
  }
  ImVec4* c = ImGui::GetStyle().Colors;
  const Color hovered = viz::hovered_ground(t);
  const Color none = with_alpha(t.panel, 0);
  c[ImGuiCol_Text] = to_vec4(t.text);
  c[ImGuiCol_TextDisabled] = to_vec4(t.dim);
  c[ImGuiCol_TextLink] = to_vec4(t.accent);
  c[ImGuiCol_TextSelectedBg] = to_vec4(with_alpha(t.accent, 90));
  c[ImGuiCol_InputTextCursor] = to_vec4(t.text);
  c[ImGuiCol_WindowBg] = to_vec4(t.panel);
  c[ImGuiCol_ChildBg] = to_vec4(none);
  c[ImGuiCol_PopupBg] = to_vec4(viz::popup_ground(t));
  c[ImGuiCol_Border] = to_vec4(t.border);
  c[ImGuiCol_BorderShadow] = to_vec4(none);
  c[ImGuiCol_FrameBg] = to_vec4(t.frame);
  c[ImGuiCol_FrameBgHovered] = to_vec4(hovered);
  c[ImGuiCol_FrameBgActive] = to_vec4(t.accent_ground);
  c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgActive] = c[ImGuiCol_TitleBgCollapsed] =
      to_vec4(t.tab_bar);
  c[ImGuiCol_MenuBarBg] = to_vec4(t.tab_bar);
  c[ImGuiCol_ScrollbarBg] = to_vec4(none);
  c[ImGuiCol_ScrollbarGrab] = to_vec4(mix(t.frame, t.dim, 35));
  c[ImGuiCol_ScrollbarGrabHovered] = to_vec4(mix(t.frame, t.dim, 60));
  c[ImGuiCol_ScrollbarGrabActive] = to_vec4(t.accent);
  c[ImGuiCol_CheckboxSelectedBg] = to_vec4(t.frame);
  c[ImGuiCol_TreeLines] = to_vec4(t.border);
  c[ImGuiCol_UnsavedMarker] = to_vec4(t.text);
  c[ImGuiCol_CheckMark] = c[ImGuiCol_SliderGrab] = c[ImGuiCol_SliderGrabActive] = to_vec4(t.accent);
  c[ImGuiCol_Button] = to_vec4(t.frame);
  c[ImGuiCol_ButtonHovered] = to_vec4(hovered);
  c[ImGuiCol_ButtonActive] = to_vec4(t.accent_ground);
  c[ImGuiCol_Header] = to_vec4(t.accent_ground);
  c[ImGuiCol_HeaderHovered] = to_vec4(hovered);
  c[ImGuiCol_HeaderActive] = to_vec4(t.accent_ground);
  c[ImGuiCol_Separator] = to_vec4(t.background);
  c[ImGuiCol_SeparatorHovered] = c[ImGuiCol_SeparatorActive] = to_vec4(t.accent);
  c[ImGuiCol_ResizeGrip] = to_vec4(none);
  c[ImGuiCol_ResizeGripHovered] = c[ImGuiCol_ResizeGripActive] = to_vec4(t.accent);
  c[ImGuiCol_Tab] = c[ImGuiCol_TabDimmed] = to_vec4(t.tab_bar);
  c[ImGuiCol_TabHovered] = to_vec4(hovered);
  c[ImGuiCol_TabSelected] = c[ImGuiCol_TabDimmedSelected] = to_vec4(t.panel);
  c[ImGuiCol_TabSelectedOverline] = c[ImGuiCol_TabDimmedSelectedOverline] = to_vec4(t.accent);
  c[ImGuiCol_DockingPreview] = to_vec4(with_alpha(t.accent, 90));
  c[ImGuiCol_DockingEmptyBg] = to_vec4(t.background);
  c[ImGuiCol_TableHeaderBg] = to_vec4(t.frame);
  c[ImGuiCol_TableBorderStrong] = c[ImGuiCol_TableBorderLight] = to_vec4(t.border);
  c[ImGuiCol_TableRowBg] = c[ImGuiCol_TableRowBgAlt] = to_vec4(none);
  c[ImGuiCol_DragDropTarget] = to_vec4(t.accent);
  c[ImGuiCol_NavCursor] = to_vec4(t.accent);
  c[ImGuiCol_PlotLines] = c[ImGuiCol_PlotHistogram] = to_vec4(t.accent);
  c[ImGuiCol_ModalWindowDimBg] = to_vec4(with_alpha(t.background, 120));
  apply_plot_colors(t);
}

void apply_style_sizes() {
  ImGuiStyle& style = ImGui::GetStyle();
  style.WindowPadding = {8, 8};
  style.WindowMinSize = {150, 60};  // of a dock, too, when a large window becomes a small one
  style.FramePadding = {8, 5.5f};   // menu bar and tabs: 24 px at 13 px text
  style.CellPadding = {4, 2};
  style.ItemSpacing = {8, 5};
  style.ItemInnerSpacing = {4, 4};
  style.WindowBorderSize = style.ChildBorderSize = style.PopupBorderSize = 1;
  style.FrameBorderSize = 0;
  style.TabBorderSize = 0;
  style.TabBarBorderSize = 0;
  style.TabBarOverlineSize = 2;
  style.WindowRounding = style.ChildRounding = style.FrameRounding = style.PopupRounding =
      style.GrabRounding = style.TabRounding = style.ScrollbarRounding = 3;
  style.ScrollbarSize = 11;
  style.GrabMinSize = 8;
  style.IndentSpacing = 14;
  style.DockingSeparatorSize = 4;
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.DockingNodeHasCloseButton = false;  // each tab has its own
  style.SeparatorTextBorderSize = 1;
  style.HoverStationaryDelay = 0.08f;
  style.FontSizeBase = Fonts::kText;
}

void apply_scale(float scale, const Theme& theme) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  apply_style_sizes();
  style.ScaleAllSizes(scale);
  style.FontScaleDpi = scale;
  apply_theme_colors(theme);
  HelloImGui::GetRunnerParams()->dpiAwareParams.dpiWindowSizeFactor = scale;
}

PanelStyle::PanelStyle() {
  const float scale = ImGui::GetFontSize() / Fonts::kText;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(6 * scale, 3.5f * scale));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(4 * scale, 5 * scale));
}

PanelStyle::~PanelStyle() { ImGui::PopStyleVar(2); }

}  // namespace tilescope
