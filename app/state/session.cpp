#include "app/state/session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/state/edit.h"
#include "app/state/json_take.h"
#include "app/state/layer_session.h"
#include "app/state/session_view.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFileBytes = 4u << 20;
constexpr size_t kMaxHistory = 200;

json tile_json(const TileConfig& tile) {
  json out = json::object();
  for (const TileField& field : kTileFields) {
    if (int value = get(tile, field.id)) out[field.name] = value;
  }
  return out;
}

/// Numbers that a slider can hold; anything else keeps 0.
TileConfig tile_from(const json& in) {
  TileConfig tile;
  if (!in.is_object()) return tile;
  for (const TileField& field : kTileFields) {
    const auto at = in.find(field.name);
    if (at == in.end() || !at->is_number_integer()) continue;
    const auto value = at->get<int64_t>();
    if (value >= 0 && value <= kMaxExtent) set(tile, field.id, static_cast<int>(value));
  }
  return tile;
}

/// Without parameters that the kernel does not have, or has no more.
TileConfig of_sliders(const Sliders& sliders, const TileConfig& tile) {
  TileConfig own;
  for (int i = 0; i < sliders.count; ++i) {
    set(own, sliders.slider[i].field, get(tile, sliders.slider[i].field));
  }
  return own;
}

json edit_json(const Edit& e) {
  const Problem& p = e.problem;
  const auto letter = [](Order o) { return o == Order::row_major ? "T" : "N"; };
  json out = {
      {"kernel", e.kernel},      {"tile", tile_json(e.tile)},
      {"size", {p.m, p.n, p.k}}, {"layout", std::string(letter(p.order_a)) + letter(p.order_b)},
      {"alpha", p.alpha},        {"beta", p.beta},
      {"bias", p.bias}};
  out["types"] = json::array({wire_name(p.type_a), wire_name(p.type_b), wire_name(p.type_c)});
  out["c"] = wire_name(p.order_c);
  if (!e.tiles.empty()) {
    json tiles = json::object();
    for (const auto& [id, tile] : e.tiles) tiles[id] = tile_json(tile);
    out["tiles"] = tiles;
  }
  return out;
}

bool edit_from(const json& in, Edit& out, std::string* error) {
  if (!in.is_object()) {
    *error = "The file has no \"edit\" object; it is not a Tilescope state.";
    return false;
  }
  std::string id;
  take(in, "kernel", id);
  const KernelEntry* kernel = find_kernel(id.c_str());
  if (!kernel) {
    *error = fmt::format("The file names the kernel \"{}\", which this version does not have.",
                         id.substr(0, 60));
    return false;
  }
  Edit e;
  e.kernel = id;
  e.problem = default_problem(kernel->info);
  if (const auto size = in.find("size");
      size != in.end() && size->is_array() && size->size() == 3) {
    int* extents[] = {&e.problem.m, &e.problem.n, &e.problem.k};
    for (size_t i = 0; i < 3; ++i) {
      const json& v = (*size)[i];
      if (!v.is_number_integer() || v.get<int64_t>() < 1 || v.get<int64_t>() > kMaxExtent) {
        *error = fmt::format("The file's size {} is outside 1 to {}.", v.dump().substr(0, 40),
                             kMaxExtent);
        return false;
      }
      *extents[i] = v.get<int>();
    }
  }
  std::string layout;
  take(in, "layout", layout);
  if (layout.size() == 2) {
    const auto order = [](char c) { return c == 'N' ? Order::column_major : Order::row_major; };
    e.problem.order_a = order(layout[0]), e.problem.order_b = order(layout[1]);
  }
  std::string order_c;
  take(in, "c", order_c);
  if (order_c == wire_name(Order::column_major)) e.problem.order_c = Order::column_major;
  if (const auto types = in.find("types"); types != in.end()) {
    // Types that the kernel does not compute leave those it starts with.
    for (int bit = 1; bit < 1 << kTypeSets; bit <<= 1) {
      const Types t = types_of_bit(bit);
      const json names = json::array({wire_name(t.a), wire_name(t.b), wire_name(t.c)});
      if ((kernel->info.types & bit) != 0 && *types == names) set_types(e.problem, t);
    }
  }
  take(in, "alpha", e.problem.alpha);
  take(in, "beta", e.problem.beta);
  take(in, "bias", e.problem.bias);
  e.tile = kernel->sliders.defaults();
  if (const auto tile = in.find("tile"); tile != in.end()) {
    e.tile = of_sliders(kernel->sliders, tile_from(*tile));
  }
  if (const auto tiles = in.find("tiles"); tiles != in.end() && tiles->is_object()) {
    for (const auto& [key, value] : tiles->items()) {
      const KernelEntry* other = find_kernel(key.c_str());
      if (other) e.tiles[key] = of_sliders(other->sliders, tile_from(value));
    }
  }
  out = std::move(e);
  return true;
}

constexpr const char* kStandings[] = {"none", "measured", "recorded", "modelled", "emulated"};

json point_json(const HistoryPoint& p) {
  json out = {{"edit", edit_json(p.edit)},
              {"label", p.label},
              {"standing", kStandings[static_cast<int>(p.standing)]},
              {"device", p.device},
              {"date", p.date},
              {"verified", p.verified}};
  if (p.older_kernel) out["older_kernel"] = true;
  if (p.tflops) out["tflops"] = *p.tflops;
  if (p.time_us) out["time_us"] = *p.time_us;
  if (p.of_library) out["of_library"] = *p.of_library;
  if (p.l2_intensity > 0) out["l2_intensity"] = p.l2_intensity;
  return out;
}

bool point_from(const json& in, HistoryPoint& p) {
  std::string error, standing;
  if (!in.is_object() || !in.contains("edit") || !edit_from(in["edit"], p.edit, &error))
    return false;
  take(in, "label", p.label);
  take(in, "standing", standing);
  for (int i = 0; i < 5; ++i) {
    if (standing == kStandings[i]) p.standing = static_cast<Standing>(i);
  }
  take(in, "device", p.device);
  take(in, "date", p.date);
  take(in, "verified", p.verified);
  take(in, "older_kernel", p.older_kernel);
  take(in, "l2_intensity", p.l2_intensity);
  for (auto [key, to] :
       {std::pair{"tflops", &p.tflops}, {"time_us", &p.time_us}, {"of_library", &p.of_library}}) {
    if (in.contains(key) && in[key].is_number()) *to = in[key].get<double>();
  }
  return true;
}

/// False: not JSON, or nested deeper than a state is.
bool parse(const std::string& text, json& out) {
  constexpr int kMaxDepth = 32;  // values are freed recursively
  bool too_deep = false;
  out = json::parse(
      text,
      [&](int level, json::parse_event_t, json&) {
        too_deep = too_deep || level > kMaxDepth;
        return level <= kMaxDepth;
      },
      false);
  return !out.is_discarded() && !too_deep;
}

bool read_json(const std::string& file, json& out, std::string* error) {
  std::error_code code;
  const auto size = fs::file_size(file, code);
  if (code) {
    *error = fmt::format("{} cannot be read: {}.", file, code.message());
    return false;
  }
  if (size > kMaxFileBytes) {
    *error =
        fmt::format("{} has {} bytes; a state file has at most {}.", file, size, kMaxFileBytes);
    return false;
  }
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  if (parse(text.str(), out)) return true;
  *error = fmt::format("{} is not a Tilescope state: it is no valid JSON.", file);
  return false;
}

}  // namespace

bool edit_from_json(const json& in, Edit& out, std::string* error) {
  return edit_from(in, out, error);
}

json to_json(const AppState& state) {
  const Selection& s = state.selection;
  const ViewOptions& v = state.view;
  json history = json::array(), pinned = json::array();
  for (const HistoryPoint& p : state.history) history.push_back(point_json(p));
  for (const Baseline& b : state.pinned) {
    pinned.push_back({{"name", b.name}, {"point", point_json(b.point)}});
  }
  return {{"tilescope", kSessionSchema},
          {"edit", edit_json(state.edit)},
          {"selection",
           {{"cta", {s.cta.row, s.cta.col}},
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
          {"view", view_json(v)},
          {"layer", layer_json(state)},
          {"history", history},
          {"pinned", pinned}};
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
  if (!edit_from(in.value("edit", json()), edit, error)) return false;
  edit.layer = state.edit.layer;
  state.edit = edit;
  state.edit.tiles[edit.kernel] = edit.tile;
  ++state.edit_serial;
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
  if (const auto at = in.find("view"); at != in.end() && at->is_object()) {
    view_from(*at, state.view);
  }
  if (const auto at = in.find("layer"); at != in.end() && at->is_object()) layer_from(*at, state);
  state.history.clear();
  if (const auto at = in.find("history"); at != in.end() && at->is_array()) {
    for (const json& point : *at) {
      HistoryPoint p;
      if (state.history.size() < kMaxHistory && point_from(point, p)) state.history.push_back(p);
    }
  }
  state.pinned.clear();
  if (const auto at = in.find("pinned"); at != in.end() && at->is_array()) {
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

bool save_session(const AppState& state, const std::string& file, std::string* error) {
  const std::string text = to_json(state).dump(1);
  std::error_code code;
  fs::create_directories(fs::path(file).parent_path(), code);
  const std::string fresh = fmt::format("{}.new-{}", file, getpid());
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const auto fail = [&](const char* what) {
    *error = fmt::format("The session could not be saved to {} ({}: {}); it goes on in memory.",
                         file, what, std::strerror(errno));
    if (fd >= 0) ::close(fd);
    ::unlink(fresh.c_str());
    return false;
  };
  if (fd < 0) return fail("open");
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = ::write(fd, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail("write");
    written += static_cast<size_t>(n);
  }
  if (::fsync(fd) != 0) return fail("sync");
  if (::close(fd) != 0) return fail("close");
  if (::rename(fresh.c_str(), file.c_str()) != 0) return fail("rename");
  const int folder =
      ::open(fs::path(file).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
  return true;
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
  json in;
  std::string error;
  if (read_json(file, in, &error) && from_json(state, in, &error)) return true;
  int schema = 0;
  if (in.is_object()) take(in, "tilescope", schema);
  if (schema > kSessionSchema) {
    *notice = error + " It is left alone, and nothing of this session will be saved.";
    return false;
  }
  const std::string aside =
      fmt::format("{}.corrupt-{}", file, static_cast<long long>(std::time(nullptr)));
  fs::rename(file, aside, code);
  *notice = fmt::format("{} The damaged session was kept as {}.", error,
                        fs::path(aside).filename().string());
  return false;
}

bool open_state_text(AppState& state, const std::string& text, std::string* error) {
  json in;
  if (text.size() > kMaxFileBytes || !parse(text, in)) {
    *error = "The text is not a Tilescope state: it is no valid JSON.";
    return false;
  }
  return from_json(state, in, error);
}

bool open_state_file(AppState& state, const std::string& file, std::string* error) {
  json in;
  return read_json(file, in, error) && from_json(state, in, error);
}

}  // namespace tilescope
