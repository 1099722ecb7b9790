#include "app/shell/layouts.h"

#include <imgui_internal.h>

#include <algorithm>
#include <set>

namespace tilescope {
namespace {

/// Sizes in pixels at scale 1, ratios of what is left at each split.
struct Shape {
  Dock Docks::*home;
  float left;                 // px
  float right;                // ratio of the window's width
  float right_min;            // px
  float right_bottom;         // ratio of the right column
  float bottom;               // ratio of the window's height
  float bottom_right;         // ratio of the bottom row
  float center_bottom;        // ratio of the middle column
  bool left_whole = false;    // the left column is as high as the window, beside the bottom row
  bool bottom_whole = false;  // the bottom row reaches below the right column
  bool bottom_stack = false;  // its right dock lies below its left one, as wide as both
  float left_bottom = 0.5f;   // ratio of the left column
};

constexpr Shape kShapes[] = {
    {.home = &Docks::explore,
     .left = 228,
     .right = 0.310f,
     .right_min = 423,
     .right_bottom = 0.29f,
     .bottom = 0.30f,
     .bottom_right = 0.49f,
     .center_bottom = 0.28f},
    {.home = &Docks::learn,
     .left = 300,
     .right = 0.340f,
     .right_min = 380,
     .right_bottom = 0.50f,
     .bottom = 0.25f,
     .bottom_right = 0.50f,
     .center_bottom = 0.27f},
    {.home = &Docks::tune,
     .left = 228,
     .right = 0.250f,
     .right_min = 300,
     .right_bottom = 0.45f,
     .bottom = 0.285f,
     .bottom_right = 0.24f,
     .center_bottom = 0.60f,
     .left_whole = true,
     .bottom_whole = true},
    {.home = &Docks::fragment,
     .left = 228,
     .right = 0.425f,
     .right_min = 420,
     .right_bottom = 0.50f,
     .bottom = 0.30f,
     .bottom_right = 0.50f,
     .center_bottom = 0.30f},
    {.home = &Docks::layer,
     .left = 240,
     .right = 0.250f,
     .right_min = 290,
     .right_bottom = 0.50f,
     .bottom = 0.39f,
     .bottom_right = 0.54f,
     .center_bottom = 0.30f,
     .left_whole = true,
     .bottom_whole = true,
     .bottom_stack = true},
    {.home = &Docks::step,
     .left = 232,
     .right = 0.370f,
     .right_min = 440,
     .right_bottom = 0.42f,
     .bottom = 0.20f,
     .bottom_right = 0.50f,
     .center_bottom = 0.36f,
     .bottom_whole = true,
     .left_bottom = 0.58f},
    {.home = &Docks::compare,
     .left = 228,
     .right = 0.290f,
     .right_min = 380,
     .right_bottom = 0.50f,
     .bottom = 0.29f,
     .bottom_right = 0.40f,
     .center_bottom = 0.42f,
     .left_whole = true},
};

static_assert(std::size(kShapes) == std::size(kLayouts));

constexpr float kMiddle = 0.36f;  // least share of the window's width that the middle column gets

const char* name_of(Dock dock) {
  switch (dock) {
    case Dock::kLeft:
      return "Left";
    case Dock::kLeftBottom:
      return "LeftBottom";
    case Dock::kCenterBottom:
      return "CenterBottom";
    case Dock::kRightTop:
      return "RightTop";
    case Dock::kRightBottom:
      return "RightBottom";
    case Dock::kBottomLeft:
      return "BottomLeft";
    case Dock::kBottomRight:
      return "BottomRight";
    case Dock::kCenter:
    case Dock::kHidden:
      break;
  }
  return "MainDockSpace";
}

/// Only docks that hold a panel are split off, so that ratios mean what they say.
std::vector<HelloImGui::DockingSplit> make_splits(const Shape& shape, float width, float height) {
  const auto used = [&](Dock dock) {
    return std::ranges::any_of(all_panels(),
                               [&](const Panel* p) { return p->docks.*shape.home == dock; });
  };
  const auto ratio = [](float wanted, float whole) {
    return std::clamp(wanted / std::max(whole, 1.f), 0.05f, 0.9f);
  };
  std::vector<HelloImGui::DockingSplit> splits;
  const bool right_top = used(Dock::kRightTop), right_bottom = used(Dock::kRightBottom);
  const bool left_bottom = used(Dock::kLeftBottom);
  float left = used(Dock::kLeft) ? shape.left : 0;
  float right = right_top || right_bottom ? std::max(shape.right * width, shape.right_min) : 0;
  // In a narrow window the side columns yield, so that the middle is never a strip.
  if (const float most = width * (1 - kMiddle); left + right > most) {
    const float part = most / (left + right);
    left *= part, right *= part;
  }
  const bool bottom_left = used(Dock::kBottomLeft), bottom_right = used(Dock::kBottomRight);
  // What is split off first reaches along the whole side.
  float room = width;
  const auto split_left = [&] {
    if (left > 0) splits.push_back({"MainDockSpace", "Left", ImGuiDir_Left, ratio(left, room)});
    if (left > 0 && left_bottom) {
      splits.push_back({"Left", "LeftBottom", ImGuiDir_Down, shape.left_bottom});
    }
    room -= left;
  };
  const auto split_right = [&] {
    if (right <= 0) return;
    splits.push_back({"MainDockSpace", right_top ? "RightTop" : "RightBottom", ImGuiDir_Right,
                      ratio(right, room)});
    if (right_top && right_bottom) {
      splits.push_back({"RightTop", "RightBottom", ImGuiDir_Down, shape.right_bottom});
    }
    room -= right;
  };
  const auto split_bottom = [&] {
    if (!bottom_left && !bottom_right) return;
    splits.push_back({"MainDockSpace", bottom_left ? "BottomLeft" : "BottomRight", ImGuiDir_Down,
                      std::min(ratio(std::max(shape.bottom * height, 222.f), height), 0.45f)});
    if (bottom_left && bottom_right) {
      splits.push_back({"BottomLeft", "BottomRight",
                        shape.bottom_stack ? ImGuiDir_Down : ImGuiDir_Right, shape.bottom_right});
    }
  };
  if (shape.bottom_whole) {
    split_left(), split_bottom(), split_right();
  } else if (shape.left_whole) {
    split_right(), split_left(), split_bottom();
  } else {
    split_right(), split_bottom(), split_left();
  }
  if (used(Dock::kCenterBottom)) {
    splits.push_back({"MainDockSpace", "CenterBottom", ImGuiDir_Down, shape.center_bottom});
  }
  return splits;
}

}  // namespace

std::vector<HelloImGui::DockingParams> make_layouts(float width, float height,
                                                    const std::function<void(const Panel&)>& draw) {
  std::vector<HelloImGui::DockingParams> layouts;
  for (size_t i = 0; i < std::size(kLayouts); ++i) {
    const Shape& shape = kShapes[i];
    HelloImGui::DockingParams layout;
    layout.layoutName = kLayouts[i].title;
    layout.mainDockSpaceNodeFlags = ImGuiDockNodeFlags_None;
    layout.dockingSplits = make_splits(shape, width, height);
    std::set<Dock> shown;  // docks that have their first tab: it stays in front
    for (const Panel* panel : all_panels()) {
      const Dock dock = panel->docks.*shape.home;
      HelloImGui::DockableWindow window(
          panel->title, name_of(dock), [panel, draw] { draw(*panel); }, dock != Dock::kHidden);
      window.imGuiWindowFlags = panel->window_flags;
      if (dock != Dock::kHidden && !shown.insert(dock).second) {
        window.imGuiWindowFlags |= ImGuiWindowFlags_NoFocusOnAppearing;
      }
      layout.dockableWindows.push_back(window);
    }
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

std::vector<HelloImGui::DockingSplit> splits_for(const std::string& layout, float width,
                                                 float height) {
  for (size_t i = 0; i < std::size(kLayouts); ++i) {
    if (layout == kLayouts[i].title) return make_splits(kShapes[i], width, height);
  }
  return {};
}

void share_middle() {
  for (const ImGuiStoragePair& pair : ImGui::GetCurrentContext()->DockContext.Nodes.Data) {
    auto* node = static_cast<ImGuiDockNode*>(pair.val_p);
    if (!node || node->IsRootNode() || !node->IsCentralNode()) continue;
    node->SetLocalFlags(node->LocalFlags & ~ImGuiDockNodeFlags_CentralNode);
  }
}

bool is_home(const std::string& layout, const Panel& panel) {
  for (size_t i = 0; i < std::size(kLayouts); ++i) {
    if (layout == kLayouts[i].title) return panel.docks.*kShapes[i].home != Dock::kHidden;
  }
  return false;
}

}  // namespace tilescope
