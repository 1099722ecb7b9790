#include "app/state/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/state/brush.h"
#include "app/state/edit.h"
#include "app/state/feature.h"
#include "app/state/json_take.h"
#include "app/state/present_launch.h"
#include "app/state/session_edit.h"
#include "app/state/session_view.h"
#include "app/state/state_link.h"
#include "app/state/trusted_files.h"
#include "core/files/json_file.h"
#include "core/files/whole_file.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr size_t kMaxHistory = 200;

constexpr const files::JsonLimits& kLimits = kKeptSession.limits;

std::optional<json> parse(const std::string& text) {
  if (text.size() > kLimits.bytes) return std::nullopt;
  return files::parse_json(text, kLimits.depth);
}

}  // namespace

json shown_json(const AppState& state) {
  const Selection& s = state.selection;
  json session = {{"tilescope", kSessionSchema},
                  {"edit", edit_json(state.edit)},
                  {"selection",
                   {{"cta", {s.cta.row, s.cta.col}},
                    {"cta_z", s.cta_z},
                    {"warp", s.warp},
                    {"mma", {s.mma_m, s.mma_n}},
                    {"lane", s.lane},
                    {"value", s.value},
                    {"operand", static_cast<int>(s.operand)},
                    {"level", s.level}}},
                  {"playhead",
                   {{"column", state.playhead.column},
                    {"k_step", state.playhead.k_step},
                    {"speed", state.playhead.events_per_second},
                    {"loop", state.playhead.loop_k_step}}},
                  {"brush", brush_json(state)},
                  {"view", view_json(state.view)}};
  for (const Feature* feature : all_features()) {
    const SessionPart& part = feature->session;
    if (part.save && !part.personal) part.save(state, session);
  }
  return session;
}

json to_json(const AppState& state) {
  json session = shown_json(state);
  json history = json::array(), pinned = json::array();
  for (const HistoryPoint& p : state.history) history.push_back(point_json(p));
  for (const Baseline& b : state.pinned) {
    pinned.push_back({{"name", b.name}, {"point", point_json(b.point)}});
  }
  session["history"] = std::move(history);
  session["pinned"] = std::move(pinned);
  for (const Feature* feature : all_features()) {
    const SessionPart& part = feature->session;
    if (part.save && part.personal) part.save(state, session);
    if (part.save_personal) part.save_personal(state, session);
  }
  return session;
}

bool from_json(AppState& state, const json& in, std::string* error) {
  if (!in.is_object() || !in.contains("tilescope")) {
    *error = "The file is not a Tilescope state: it has no \"tilescope\" entry.";
    return false;
  }
  int schema = 0;
  take(in, "tilescope", schema);
  if (schema > kSessionSchema) {
    *error =
        fmt::format("The file was written by a newer Tilescope (format {}, this one reads {}).",
                    schema, kSessionSchema);
    return false;
  }
  Edit edit;
  if (!edit_from_json(in.value("edit", json()), edit, error)) return false;
  edit.beside = state.edit.beside;
  state.edit = edit;
  if (!edit.own()) state.edit.tiles[edit.rung().kernel] = edit.rung().tile;
  ++state.edit_serial;
  forget_launch(state);
  if (const auto at = in.find("selection"); at != in.end() && at->is_object()) {
    Selection& s = state.selection;
    const auto pair = [&](const char* key, int& a, int& b) {
      const auto p = at->find(key);
      if (p == at->end() || !p->is_array() || p->size() != 2) return;
      if ((*p)[0].is_number_integer())
        a = static_cast<int>((*p)[0].get<int64_t>() & (kMaxExtent * 2 - 1));
      if ((*p)[1].is_number_integer())
        b = static_cast<int>((*p)[1].get<int64_t>() & (kMaxExtent * 2 - 1));
    };
    pair("cta", s.cta.row, s.cta.col);
    pair("mma", s.mma_m, s.mma_n);
    take(*at, "cta_z", s.cta_z);
    take(*at, "warp", s.warp);
    take(*at, "lane", s.lane);
    take(*at, "value", s.value);
    take(*at, "level", s.level);
    int operand = static_cast<int>(s.operand);
    take(*at, "operand", operand);
    s.operand = static_cast<Operand>(std::clamp(operand, 0, 2));
    s.level = std::clamp(s.level, 0, 4);
  }
  if (const auto at = in.find("playhead"); at != in.end() && at->is_object()) {
    take(*at, "column", state.playhead.column);
    take(*at, "k_step", state.playhead.k_step);
    take(*at, "speed", state.playhead.events_per_second);
    take(*at, "loop", state.playhead.loop_k_step);
    state.playhead.events_per_second = std::clamp(state.playhead.events_per_second, 1.0f, 1000.0f);
    state.playhead.column = std::max(0, state.playhead.column);
    state.playhead.k_step = std::clamp(state.playhead.k_step, 0, kMaxExtent);
  }
  brush_from(state, in.value("brush", json()));
  if (const auto at = in.find("view"); at != in.end() && at->is_object()) {
    view_from(*at, state.view);
  }
  for (const Feature* feature : all_features()) {
    if (feature->session.load) feature->session.load(state, in);
  }
  if (const auto at = in.find("history"); at != in.end() && at->is_array()) {
    state.history.clear();
    for (const json& point : *at) {
      HistoryPoint p;
      if (state.history.size() < kMaxHistory && point_from(point, p)) state.history.push_back(p);
    }
  }
  if (const auto at = in.find("pinned"); at != in.end() && at->is_array()) {
    state.pinned.clear();
    for (const json& entry : *at) {
      Baseline b;
      if (!entry.is_object() || !entry.contains("point") || !point_from(entry["point"], b.point))
        continue;
      take(entry, "name", b.name);
      if (state.pinned.size() < kMaxHistory) state.pinned.push_back(b);
    }
  }
  derive(state);
  return true;
}

namespace {

/// Of a session that is larger than what is read again: in one line, then without the oldest
/// points of its history. What somebody has pinned is not given up for it.
std::string text_within_limit(json session) {
  std::string text = files::json_text(session, 1);
  if (text.size() > kLimits.bytes) text = files::json_text(session);
  for (json& points = session["history"]; text.size() > kLimits.bytes && !points.empty();) {
    points.erase(points.begin(),
                 points.begin() + static_cast<std::ptrdiff_t>(1 + points.size() / 8));
    text = files::json_text(session);
  }
  return text;
}

}  // namespace

bool save_session(const AppState& state, const std::string& file, std::string* error) {
  const std::string text = text_within_limit(to_json(state));
  if (text.size() > kLimits.bytes) {
    *error = fmt::format(
        "The session has {} bytes without its history, and {} are read again: it is not saved. "
        "Forget some of what is pinned.",
        text.size(), kLimits.bytes);
    return false;
  }
  std::error_code code;
  fs::create_directories(fs::path(file).parent_path(), code);
  const std::string why_not = files::replace_file(file, text);
  if (why_not.empty()) return true;
  *error = fmt::format("The session is not saved and goes on in memory: {}", why_not);
  return false;
}

std::string save_state_file(const AppState& state, const std::string& file) {
  json out = to_json(state);
  out.erase("history");
  out.erase("pinned");
  std::error_code ignored;  // the file tells
  fs::create_directories(fs::path(file).parent_path(), ignored);
  return files::replace_file(file, files::json_text(out, 1));
}

bool load_session(AppState& state, const std::string& file, std::string* notice) {
  std::error_code code;
  const fs::path folder = fs::path(file).parent_path();
  fs::create_directories(folder, code);
  if (::access(folder.c_str(), W_OK) != 0) {
    *notice = fmt::format("{} cannot be written ({}): nothing of this session will be saved.",
                          folder.string(), std::strerror(errno));
  }
  if (!fs::exists(file, code)) return true;
  std::string error;
  const auto text = files::read_file(file, kLimits.bytes, &error);
  if (!text) {  // not damaged: not ours to read, or larger than any that was written here
    *notice = error + " It is left alone, and nothing of this session will be saved.";
    return false;
  }
  const auto in = files::parse_json(*text, kLimits.depth);
  if (!in) error = file + " is no valid JSON, or is nested too deep.";
  if (in && from_json(state, *in, &error)) return true;
  int schema = 0;
  if (in && in->is_object()) take(*in, "tilescope", schema);
  if (schema > kSessionSchema) {
    *notice = error + " It is left alone, and nothing of this session will be saved.";
    return false;
  }
  const std::string aside = files::set_aside(file, "corrupt");
  *notice = fmt::format("{} The damaged session was kept as {}.", error,
                        fs::path(aside).filename().string());
  return false;
}

void keep_personal(const AppState& state, json& session, bool history) {
  const json mine = to_json(state), seen = shown_json(state);
  for (const auto& [key, value] : mine.items()) {
    const bool point = key == "history" || key == "pinned";
    if (!seen.contains(key) && (history || !point)) session[key] = value;
  }
}

namespace {

/// Of somebody else; `folder`: of the state file, or empty.
bool take_foreign(AppState& state, json session, const std::string& folder, std::string* error) {
  LeftOut left_out = leave_out_others_files(session, TrustedFiles(state, folder));
  if (session.is_object()) keep_personal(state, session, false);
  if (!from_json(state, session, error)) return false;
  if (!left_out.awaited.file.empty()) state.awaited = std::move(left_out.awaited);
  if (!left_out.sentence.empty()) say(state, left_out.sentence);
  return true;
}

}  // namespace

bool open_state_text(AppState& state, const std::string& text, std::string* error) {
  if (is_link(text)) return open_link(state, text, error);
  const auto in = parse(text);
  if (!in) {
    *error = "The text is not a Tilescope state: it is no valid JSON.";
    return false;
  }
  return take_foreign(state, *in, "", error);
}

bool change_state(AppState& state, const std::string& text, std::string* error) {
  const auto change = parse(text);
  if (!change || !change->is_object()) {
    *error =
        fmt::format("'{}' is no JSON object that could be put over the state.", text.substr(0, 80));
    return false;
  }
  json session = to_json(state);
  // What is brushed is of the run that was, not of the one that the change makes.
  if (change->contains("edit")) session.erase("brush");
  session.merge_patch(*change);
  return from_json(state, session, error);
}

bool open_state_file(AppState& state, const std::string& file, std::string* error, bool own) {
  const auto in = files::read_json(file, kLimits, error);
  if (!in || own) return in && from_json(state, *in, error);
  std::error_code code;
  return take_foreign(state, *in, fs::absolute(file, code).parent_path().string(), error);
}

}  // namespace tilescope
