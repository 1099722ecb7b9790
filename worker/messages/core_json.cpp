// The JSON forms of what messages carry of core/layout.
#include "worker/messages/messages_json.h"

#include <stdexcept>

#include "core/model/names.h"
#include "worker/messages/json_fields.h"
#include "worker/messages/named_values.h"
#include "worker/messages/whole_number.h"

using nlohmann::json;

namespace tilescope {
namespace {

constexpr worker::NamedValue<Order> kOrders[] = {{Order::row_major, "row_major"},
                                                 {Order::column_major, "column_major"}};

}  // namespace

const char* wire_name(ElementType type) { return model::name_of(type); }
const char* wire_name(Order order) { return worker::find_name(kOrders, order); }
ElementType element_type_of(const std::string& name) {
  if (const auto type = model::element_type_named(name)) return *type;
  std::string known;
  for (const ElementType type : model::matrix_types()) {
    known += (known.empty() ? "" : ", ") + std::string(model::name_of(type));
  }
  throw std::invalid_argument("\"" + name + "\" is not an element type; known are " + known + ".");
}
Order order_of(const std::string& name) {
  return worker::find_value(kOrders, name, "an operand order");
}

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
      set(tile, field.id, worker::whole_number<int>(value, name, 0, kMaxExtent));
      known = true;
    }
    if (!known) throw std::invalid_argument("\"" + name + "\" is not a tile parameter.");
  }
}

static void to_json(json& j, ElementType type) { j = wire_name(type); }
static void from_json(const json& j, ElementType& type) {
  type = element_type_of(j.get<std::string>());
}
static void to_json(json& j, Order order) { j = wire_name(order); }
static void from_json(const json& j, Order& order) { order = order_of(j.get<std::string>()); }

// Matrices are dense and begin with their buffers where nothing else is said.
TILESCOPE_JSON(Problem,
               NEED(m, n, k, type_a, type_b, type_c, order_a, order_b, order_c)
                   MAY(alpha, beta, bias) SPARSE(lda, ldb, ldc, offset_a, offset_b, offset_c))

TILESCOPE_JSON(DeviceLimits,
               NEED(sm, sm_count, shared_per_block, shared_per_sm, shared_reserved_per_block,
                    threads_per_block, threads_per_sm, ctas_per_sm, registers_per_sm,
                    registers_per_thread, register_granularity, grid_y))

void to_json(json& j, const BlockIndex& b) { j = {b.x, b.y, b.z}; }
void from_json(const json& j, BlockIndex& b) {
  b = {worker::whole_number<int>(j.at(0), "number 1 of a list"),
       worker::whole_number<int>(j.at(1), "number 2 of a list"),
       j.size() > 2 ? worker::whole_number<int>(j.at(2), "number 3 of a list") : 0};
}

void to_json(json& j, const Coord& c) { j = {c.row, c.col}; }
void from_json(const json& j, Coord& c) {
  c = {worker::whole_number<int>(j.at(0), "number 1 of a list"),
       worker::whole_number<int>(j.at(1), "number 2 of a list")};
}

}  // namespace tilescope
