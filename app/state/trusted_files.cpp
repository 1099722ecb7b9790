#include "app/state/trusted_files.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/state/feature.h"
#include "app/state/json_take.h"
#include "core/language/language.h"
#include "core/sheet/launch_sheet.h"
#include "core/sheet/sheet_error.h"

namespace tilescope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

bool is_in(const fs::path& file, const fs::path& folder) {
  const fs::path seen = file.lexically_relative(folder);
  return !seen.empty() && *seen.begin() != ".." && *seen.begin() != ".";
}

/// The kernel of one's own that an edit names; its file is empty where it names none.
OwnKernel own_of_edit(const json& edit) {
  OwnKernel kernel;
  const auto own = edit.find("own");
  if (own == edit.end() || !own->is_object()) return kernel;
  take(*own, "file", kernel.file);
  take(*own, "sheet", kernel.sheet);
  return kernel;
}

/// Whether any edit in it, however deep, is of a file that is not trusted.
bool names_another(const json& value, const TrustedFiles& trusted) {
  if (value.is_object()) {
    const OwnKernel own = own_of_edit(value);
    if (!own.file.empty() && !trusted.has(own.file)) return true;
  }
  if (!value.is_structured()) return false;
  for (const json& part : value) {
    if (names_another(part, trusted)) return true;
  }
  return false;
}

/// What was measured of another file is nothing that a rung could be shown with.
void drop_points(json& session, const char* list, const TrustedFiles& trusted) {
  const auto at = session.find(list);
  if (at == session.end() || !at->is_array()) return;
  json kept = json::array();
  for (json& point : *at) {
    if (!names_another(point, trusted)) kept.push_back(std::move(point));
  }
  *at = std::move(kept);
}

/// `shown`: the edit that is looked at, of which the person is told.
void clean_edits(json& value, const json* shown, const TrustedFiles& trusted, LeftOut& out) {
  if (value.is_object()) {
    OwnKernel own = own_of_edit(value);
    if (!own.file.empty() && !trusted.has(own.file)) {
      value.erase("own");
      if (&value == shown) {
        out.sentence = wording(
            "The state is of {}, which it may not open by itself: open that file (File, Open a "
            "kernel) and it is launched as there.",
            own.file.substr(0, 200));
        out.awaited = {name_of(own), std::move(own.sheet)};
      }
    } else if (const std::string file = trusted.clean(own); !file.empty()) {
      value["own"]["sheet"] = own.sheet;
      if (&value == shown) out.sentence = sheet_file_words(file);
    }
  }
  if (!value.is_structured()) return;
  for (json& part : value) clean_edits(part, shown, trusted, out);
}

}  // namespace

bool lies_below(const std::string& file, const std::string& folder) {
  // Behind a zero byte a path would go on here and not where it is opened.
  if (file.empty() || folder.empty() || file.find('\0') != file.npos) return false;
  std::error_code error;
  const fs::path whole = fs::absolute(file, error);
  if (error) return false;
  // Without the separator at its end, which would count as a part.
  const fs::path in = (fs::absolute(folder, error) / "x").lexically_normal().parent_path();
  if (error || !is_in(whole.lexically_normal(), in)) return false;
  // A symbolic link on the way may lead out of it.
  const fs::path led = fs::weakly_canonical(whole, error);
  if (error) return false;
  const fs::path led_in = fs::weakly_canonical(in, error);
  return !error && is_in(led, led_in);
}

TrustedFiles::TrustedFiles(const AppState& state, const std::string& folder)
    : folders_{folder, state.kernel_dir, state.private_copies.folder} {
  const auto add = [&](const Edit& edit) {
    if (const OwnKernel* own = edit.own()) files_.push_back(own->file);
  };
  add(state.edit);
  for (const HistoryPoint& point : state.history) add(point.edit);
  for (const Baseline& baseline : state.pinned) add(baseline.point.edit);
  for (const Feature* feature : all_features()) {
    if (!feature->session.opened) continue;
    for (std::string& file : feature->session.opened(state)) files_.push_back(std::move(file));
  }
}

bool TrustedFiles::has(const std::string& file) const {
  return std::ranges::find(files_, file) != files_.end() ||
         std::ranges::any_of(folders_,
                             [&](const std::string& folder) { return lies_below(file, folder); });
}

std::string TrustedFiles::clean(OwnKernel& kernel) const try {
  if (kernel.sheet.empty()) return {};
  const fs::path beside = fs::path(kernel.file).parent_path();
  sheet::LaunchSheet written = sheet::sheet_of_text(kernel.sheet);
  const std::vector<std::string> left_out =
      sheet::leave_out_files(written, [&](const std::string& file) {
        const std::string whole = (beside / file).string();
        return has(whole) || lies_below(whole, beside.string());
      });
  if (left_out.empty()) return {};
  kernel.sheet = sheet::to_text(written);
  return (beside / left_out.front()).string();
} catch (const sheet::SheetError&) {  // whoever reads it says so, and opens nothing
  return {};
}

LeftOut leave_out_others_files(json& session, const TrustedFiles& trusted) {
  LeftOut out;
  if (!session.is_object()) return out;
  for (const char* list : {"history", "pinned"}) drop_points(session, list, trusted);
  const auto edit = session.find("edit");
  clean_edits(session, edit == session.end() ? nullptr : &*edit, trusted, out);
  return out;
}

std::string sheet_file_words(const std::string& file) {
  return wording(
      "The launch sheet names {}, which a state or a link may not open by itself: type that name "
      "into the launch sheet's field to have the file read.",
      file.substr(0, 200));
}

}  // namespace tilescope
