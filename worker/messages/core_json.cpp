// The JSON forms of what messages carry of core/layout.
#include "worker/messages/messages_json.h"

#include <stdexcept>

using nlohmann::json;

namespace tilescope {
namespace {

template <class Enum>
struct Name {
  Enum value;
  const char* name;
};
constexpr Name<ElementType> kTypes[] = {
    {ElementType::f16, "f16"}, {ElementType::bf16, "bf16"}, {ElementType::f32, "f32"}};
constexpr Name<Order> kOrders[] = {{Order::row_major, "row_major"},
                                   {Order::column_major, "column_major"}};

template <class Enum, size_t N>
const char* find_name(const Name<Enum> (&table)[N], Enum value) {
  for (const auto& row : table) {
    if (row.value == value) return row.name;
  }
  return "?";
}
template <class Enum, size_t N>
Enum find_value(const Name<Enum> (&table)[N], const std::string& name, const char* what) {
  std::string known;
  for (const auto& row : table) {
    if (name == row.name) return row.value;
    known += known.empty() ? row.name : std::string(", ") + row.name;
  }
  throw std::invalid_argument("\"" + name + "\" is not " + what + "; known are " + known + ".");
}

}  // namespace

const char* wire_name(ElementType type) { return find_name(kTypes, type); }
const char* wire_name(Order order) { return find_name(kOrders, order); }
ElementType element_type_of(const std::string& name) {
  return find_value(kTypes, name, "an element type");
}
Order order_of(const std::string& name) { return find_value(kOrders, name, "an operand order"); }

void to_json(json& j, const TileConfig& tile) {
  j = json::object();
  for (const TileField& field : kTileFields) j[field.name] = get(tile, field.id);
}
void from_json(const json& j, TileConfig& tile) {
  tile = {};
  for (const auto& [name, value] : j.items()) {
    bool known = false;
    for (const TileField& field : kTileFields) {
      if (name != field.name) continue;
      set(tile, field.id, value.get<int>());
      known = true;
    }
    if (!known) throw std::invalid_argument("\"" + name + "\" is not a tile parameter.");
  }
}

namespace {
constexpr std::pair<const char*, long long Problem::*> kPlaces[] = {
    {"lda", &Problem::lda},           {"ldb", &Problem::ldb},
    {"ldc", &Problem::ldc},           {"offset_a", &Problem::offset_a},
    {"offset_b", &Problem::offset_b}, {"offset_c", &Problem::offset_c}};
}  // namespace

void to_json(json& j, const Problem& p) {
  j = {{"m", p.m},
       {"n", p.n},
       {"k", p.k},
       {"type_a", wire_name(p.type_a)},
       {"type_b", wire_name(p.type_b)},
       {"type_c", wire_name(p.type_c)},
       {"order_a", wire_name(p.order_a)},
       {"order_b", wire_name(p.order_b)},
       {"order_c", wire_name(p.order_c)},
       {"alpha", p.alpha},
       {"beta", p.beta},
       {"bias", p.bias}};
  // Matrices are dense and begin with their buffers where nothing else is said.
  for (const auto& [name, field] : kPlaces) {
    if (p.*field != 0) j[name] = p.*field;
  }
}
void from_json(const json& j, Problem& p) {
  p.m = j.at("m").get<int>(), p.n = j.at("n").get<int>(), p.k = j.at("k").get<int>();
  p.type_a = element_type_of(j.at("type_a").get<std::string>());
  p.type_b = element_type_of(j.at("type_b").get<std::string>());
  p.type_c = element_type_of(j.at("type_c").get<std::string>());
  p.order_a = order_of(j.at("order_a").get<std::string>());
  p.order_b = order_of(j.at("order_b").get<std::string>());
  p.order_c = order_of(j.at("order_c").get<std::string>());
  p.alpha = j.value("alpha", 1.0f), p.beta = j.value("beta", 0.0f);
  p.bias = j.value("bias", false);
  for (const auto& [name, field] : kPlaces) p.*field = j.value(name, 0LL);
}

void to_json(json& j, const DeviceLimits& d) {
  j = {{"sm", d.sm},
       {"sm_count", d.sm_count},
       {"shared_per_block", d.shared_per_block},
       {"shared_per_sm", d.shared_per_sm},
       {"shared_reserved_per_block", d.shared_reserved_per_block},
       {"threads_per_block", d.threads_per_block},
       {"threads_per_sm", d.threads_per_sm},
       {"ctas_per_sm", d.ctas_per_sm},
       {"registers_per_sm", d.registers_per_sm},
       {"registers_per_thread", d.registers_per_thread},
       {"register_granularity", d.register_granularity},
       {"grid_y", d.grid_y}};
}
void from_json(const json& j, DeviceLimits& d) {
  d.sm = j.at("sm").get<int>();
  d.sm_count = j.at("sm_count").get<int>();
  d.shared_per_block = j.at("shared_per_block").get<int>();
  d.shared_per_sm = j.at("shared_per_sm").get<int>();
  d.shared_reserved_per_block = j.at("shared_reserved_per_block").get<int>();
  d.threads_per_block = j.at("threads_per_block").get<int>();
  d.threads_per_sm = j.at("threads_per_sm").get<int>();
  d.ctas_per_sm = j.at("ctas_per_sm").get<int>();
  d.registers_per_sm = j.at("registers_per_sm").get<int>();
  d.registers_per_thread = j.at("registers_per_thread").get<int>();
  d.register_granularity = j.at("register_granularity").get<int>();
  d.grid_y = j.at("grid_y").get<int>();
}

void to_json(json& j, const BlockIndex& b) { j = {b.x, b.y, b.z}; }
void from_json(const json& j, BlockIndex& b) {
  b = {j.at(0).get<int>(), j.at(1).get<int>(), j.size() > 2 ? j.at(2).get<int>() : 0};
}

}  // namespace tilescope
