#include "app/state/session_edit.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/state/edit.h"
#include "app/state/json_take.h"
#include "worker/messages/messages_json.h"

namespace tilescope {

using nlohmann::json;

namespace {

/// A file's name may have any bytes; JSON's are UTF-8.
json utf8(const std::string& bytes) {
  return json::parse(json(bytes).dump(-1, ' ', false, json::error_handler_t::replace));
}

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

}  // namespace

json edit_json(const Edit& e) {
  const Problem& p = e.problem;
  const auto letter = [](Order o) { return o == Order::row_major ? "T" : "N"; };
  // Of a kernel of one's own the rung to go back to stands here, which older versions open.
  const auto left = e.tiles.find(e.last_rung);
  const TileConfig& tile = e.own() && left != e.tiles.end() ? left->second : e.rung().tile;
  json out = {{"kernel", e.own() ? e.last_rung : e.rung().kernel},
              {"tile", tile_json(tile)},
              {"size", {p.m, p.n, p.k}},
              {"layout", std::string(letter(p.order_a)) + letter(p.order_b)},
              {"alpha", p.alpha},
              {"beta", p.beta},
              {"bias", p.bias}};
  out["types"] = json::array({wire_name(p.type_a), wire_name(p.type_b), wire_name(p.type_c)});
  out["c"] = wire_name(p.order_c);
  if (!e.tiles.empty()) {
    json tiles = json::object();
    for (const auto& [id, left_with] : e.tiles) tiles[id] = tile_json(left_with);
    out["tiles"] = tiles;
  }
  if (const OwnKernel* own = e.own()) {
    out["own"] = {{"file", utf8(own->file)}, {"sheet", utf8(own->sheet)}};
  }
  return out;
}

bool edit_from_json(const json& in, Edit& out, std::string* error) {
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
  e.last_rung = id;
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
  Rung rung{id, kernel->sliders.defaults()};
  if (const auto tile = in.find("tile"); tile != in.end()) {
    rung.tile = of_sliders(kernel->sliders, tile_from(*tile));
  }
  e.subject = rung;
  if (const auto tiles = in.find("tiles"); tiles != in.end() && tiles->is_object()) {
    for (const auto& [key, value] : tiles->items()) {
      const KernelEntry* other = find_kernel(key.c_str());
      if (other) e.tiles[key] = of_sliders(other->sliders, tile_from(value));
    }
  }
  if (const auto own = in.find("own"); own != in.end() && own->is_object()) {
    OwnKernel kernel;
    take(*own, "file", kernel.file);
    take(*own, "sheet", kernel.sheet);
    e.tiles.try_emplace(id, rung.tile);
    if (!kernel.file.empty()) e.subject = kernel;
  }
  out = std::move(e);
  return true;
}

namespace {

constexpr const char* kStandings[] = {"none", "measured", "recorded", "modelled", "emulated"};

}  // namespace

json point_json(const HistoryPoint& p) {
  json out = {{"edit", edit_json(p.edit)},
              {"label", p.label},
              {"standing", kStandings[static_cast<int>(p.standing)]},
              {"device", p.device},
              {"date", p.date},
              {"verified", p.verified}};
  if (p.older_kernel) out["older_kernel"] = true;
  if (!p.size.empty()) out["size"] = p.size;
  if (!p.revision.empty()) out["revision"] = p.revision;
  if (p.tflops) out["tflops"] = *p.tflops;
  if (p.time_us) out["time_us"] = *p.time_us;
  if (p.of_library) out["of_library"] = *p.of_library;
  if (p.l2_intensity > 0) out["l2_intensity"] = p.l2_intensity;
  return out;
}

bool point_from(const json& in, HistoryPoint& p) {
  std::string error, standing;
  if (!in.is_object() || !in.contains("edit") || !edit_from_json(in["edit"], p.edit, &error))
    return false;
  take(in, "label", p.label);
  take(in, "size", p.size);
  take(in, "revision", p.revision);
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

}  // namespace tilescope
