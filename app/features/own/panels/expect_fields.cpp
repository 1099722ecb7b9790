#include "app/features/own/panels/expect_fields.h"

#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <array>

#include "app/features/own/panels/sheet_fields.h"
#include "app/kit/widgets.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

using namespace widgets;

constexpr const char* kWhatIsRight[] = {"not said", "a kernel", "a file"};

int what_is_right(const sheet::LaunchSheet& sheet) {
  if (!sheet.expect || sheet.expect->empty()) return 0;
  return sheet.expect->kernel ? 1 : 2;
}

void choose_what(sheet::LaunchSheet& sheet, int what, int argument) {
  sheet.expect.reset();
  if (what == 1) sheet.expect.emplace().kernel.emplace();
  if (what == 2) sheet.expect.emplace().files.push_back({argument, ""});
}

/// The first argument that is written, which is most likely what is to be compared.
int written_argument(const sheet::LaunchSheet& sheet) {
  for (size_t i = 0; i < sheet.args.size(); ++i) {
    const std::string& spec = sheet.args[i];
    if (spec.ends_with(":out") || spec.ends_with(":inout") || spec.starts_with("out:")) {
      return static_cast<int>(i);
    }
  }
  return 0;
}

/// Extents of zeros are told by a launch in the file.
bool extent_field(const AppContext& context, const char* label, const char* id,
                  std::optional<sheet::Extent>& extent) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr(label));
  ImGui::SameLine(64 * context.scale);
  std::array<int, 3> values{};
  if (extent) {
    values = {static_cast<int>(extent->x), static_cast<int>(extent->y),
              static_cast<int>(extent->z)};
  }
  ImGui::SetNextItemWidth(sheet_width(context) - 70 * context.scale);
  if (!ImGui::InputInt3(id, values.data())) return false;
  extent.reset();
  if (std::ranges::any_of(values, [](int v) { return v > 0; })) {
    for (int& value : values) value = std::max(value, 1);
    extent = sheet::Extent{static_cast<uint32_t>(values[0]), static_cast<uint32_t>(values[1]),
                           static_cast<uint32_t>(values[2])};
  }
  return true;
}

bool kernel_fields(AppContext& context, sheet::OtherKernel& kernel) {
  ImGui::SetNextItemWidth(sheet_width(context));
  bool changed = ImGui::InputTextWithHint("##expect_entry", tr("entry of the kernel that is right"),
                                          &kernel.entry);
  ImGui::SetNextItemWidth(sheet_width(context));
  changed |= ImGui::InputTextWithHint(
      "##expect_file", tr("its file, beside this one; empty: this file"), &kernel.file);
  changed |= extent_field(context, "grid", "##expect_grid", kernel.grid);
  tooltip(context, "0: as a launch in its file says");
  changed |= extent_field(context, "block", "##expect_block", kernel.block);
  tooltip(context, "0: as a launch in its file says");
  return changed;
}

bool file_fields(AppContext& context, sheet::Expectation& expect) {
  bool changed = false;
  for (size_t i = 0; i < expect.files.size(); ++i) {
    sheet::Expectation::File& file = expect.files[i];
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(tr("argument"));
    ImGui::SameLine(0, 4 * context.scale);
    ImGui::SetNextItemWidth(48 * context.scale);
    changed |= ImGui::InputInt(fmt::format("##expect_argument{}", i).c_str(), &file.argument, 0);
    file.argument = std::clamp(file.argument, 0, static_cast<int>(sheet::kMostArguments));
    ImGui::SameLine(0, 4 * context.scale);
    ImGui::SetNextItemWidth(sheet_width(context) - 130 * context.scale);
    changed |= ImGui::InputTextWithHint(fmt::format("##expect_path{}", i).c_str(),
                                        tr("raw or .npy, beside the sheet"), &file.file);
  }
  return changed;
}

}  // namespace

bool expect_fields(AppContext& context, OwnView& view) {
  sheet::LaunchSheet& sheet = view.draft;
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context, "WHAT IS RIGHT, BESIDE A GEMM", Tone::dim);
  ImGui::PopFont();
  int what = what_is_right(sheet);
  bool changed = false;
  if (segmented(context, "what_is_right", kWhatIsRight, &what,
                std::min(sheet_width(context), segmented_width(context, kWhatIsRight)))) {
    choose_what(sheet, what, written_argument(sheet));
    changed = true;
  }
  tooltip(context,
          "What the kernel writes is compared, element by element, with what another kernel writes "
          "that is given the same, or with what a file holds");
  if (!sheet.expect) return changed;
  if (sheet.expect->kernel) changed |= kernel_fields(context, *sheet.expect->kernel);
  changed |= file_fields(context, *sheet.expect);
  if (!sheet.expect->kernel && sheet.expect->files.empty()) return changed;
  double tolerance = sheet.expect->tolerance.value_or(0);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr("tolerance"));
  ImGui::SameLine(0, 4 * context.scale);
  ImGui::SetNextItemWidth(110 * context.scale);
  if (ImGui::InputDouble("##expect_tolerance", &tolerance, 0, 0, "%.1e")) {
    sheet.expect->tolerance.reset();
    if (tolerance > 0) sheet.expect->tolerance = std::min(tolerance, sheet::kMostTolerance);
    changed = true;
  }
  tooltip(context, "0: as the type allows (1e-4 of f32; integers are equal)");
  return changed;
}

}  // namespace tilescope
