#include "app/state/state_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "app/state/edit.h"
#include "app/state/json_take.h"
#include "app/state/session.h"
#include "app/state/trusted_files.h"
#include "core/files/json_file.h"
#include "core/files/packed_text.h"

namespace tilescope {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr std::string_view kScheme = "tilescope:";
constexpr size_t kMostText = 64 << 10;  // bytes of JSON: what is inflated at most
constexpr int kDeepest = 16;

/// The merge patch (RFC 7396) that makes `to` of `from`.
json patch_between(const json& from, const json& to) {
  json patch = json::object();
  for (const auto& [key, value] : to.items()) {
    const auto before = from.find(key);
    if (before != from.end() && *before == value) continue;
    const bool within = before != from.end() && before->is_object() && value.is_object();
    patch[key] = within ? patch_between(*before, value) : value;
  }
  for (const auto& [key, value] : from.items()) {
    if (!to.contains(key)) patch[key] = nullptr;
  }
  return patch;
}

/// Of both sides of a link: what a window shows that has just been started.
json first_shown() { return shown_json(initial_state()); }

struct Parts {
  int version = 0;
  std::string_view digits;
};

/// The number and what follows it, behind the scheme or an address' #.
std::optional<Parts> parts_of(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  if (text.starts_with(kScheme)) {
    text.remove_prefix(kScheme.size());
  } else {
    const size_t hash = text.find('#');
    if (hash == text.npos || !(text.starts_with("https://") || text.starts_with("http://") ||
                               text.starts_with("file://") || hash == 0)) {
      return std::nullopt;
    }
    text.remove_prefix(hash + 1);
  }
  Parts parts;
  size_t at = 0;
  while (at < text.size() && at < 6 && std::isdigit(static_cast<unsigned char>(text[at]))) {
    parts.version = 10 * parts.version + (text[at++] - '0');
  }
  if (at == 0 || at == text.size() || text[at] != '.') return std::nullopt;
  parts.digits = text.substr(at + 1);
  return parts;
}

/// The kernel of somebody's own that an edit names is opened if it is open here already, else
/// awaited.
OwnKernel take_own(const AppState& state, json& edit) {
  const auto own = edit.find("own");
  if (own == edit.end() || !own->is_object()) return {};
  OwnKernel named;
  take(*own, "file", named.file);
  take(*own, "sheet", named.sheet);
  named.file = name_of(named);  // whatever folder it may say
  const OwnKernel* here = state.edit.own();
  if (here && name_of(*here) == named.file) {
    (*own)["file"] = here->file;
    return {};
  }
  edit.erase("own");
  return named;
}

}  // namespace

std::string link_of(const AppState& state, std::string* error) {
  json shown = shown_json(state);
  json& edit = shown["edit"];
  edit.erase("tiles");  // of the other rungs
  if (const OwnKernel* own = state.edit.own()) edit["own"]["file"] = name_of(*own);
  json link = patch_between(first_shown(), shown);
  // Whole: what another version starts with may be another kernel.
  link["edit"] = edit;
  const std::string text = link.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string line = fmt::format("{}{}.{}", kScheme, kVersion, files::pack_text(text));
  if (line.size() <= kLongestLink && text.size() <= kMostText) return line;
  *error = fmt::format(
      "A link would have {} bytes, of at most {}: the launch sheet or the breakpoints are too "
      "long; "
      "send the state as text instead (File, Copy state as text).",
      line.size(), kLongestLink);
  return {};
}

bool is_link(const std::string& text) { return parts_of(text).has_value(); }

bool open_link(AppState& state, const std::string& text, std::string* error) {
  const auto parts = parts_of(text);
  if (!parts) {
    *error = "The text is no link of Tilescope; one begins with \"tilescope:1.\".";
    return false;
  }
  if (parts->version > kVersion) {
    *error = fmt::format(
        "The link was made by a newer Tilescope (link {}, this one reads {}); get that version to "
        "open it.",
        parts->version, kVersion);
    return false;
  }
  std::optional<std::string> said;
  if (parts->version == kVersion && parts->digits.size() <= 2 * kLongestLink) {
    said = files::unpack_text(parts->digits, kMostText);
  }
  const auto link = said ? files::parse_json(*said, kDeepest) : std::nullopt;
  if (!link || !link->is_object() || !link->contains("edit") || !(*link)["edit"].is_object()) {
    *error = "The link is cut off or damaged; copy all of it.";
    return false;
  }
  // From where the sender's window began to what the link says; what is not shown stays.
  json session = first_shown();
  session.erase("edit");
  session.merge_patch(*link);
  OwnKernel awaited = take_own(state, session["edit"]);
  const LeftOut left_out = leave_out_others_files(session, TrustedFiles(state, ""));
  keep_personal(state, session, true);
  if (!from_json(state, session, error)) return false;
  if (!left_out.sentence.empty()) say(state, left_out.sentence);
  state.awaited = std::move(awaited);
  if (!state.awaited.file.empty()) {
    say(state,
        fmt::format("The link is of {}, which is not in it: open that file (File, Open a kernel) "
                    "and it is launched as there.",
                    state.awaited.file.substr(0, 80)));
  }
  return true;
}

}  // namespace tilescope
