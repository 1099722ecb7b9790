#include "page/calls/l2_call.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "worker/messages/messages_json.h"

namespace tilescope::web {

using nlohmann::json;

json write_l2_call(const L2Call& call) {
  const model::L2Machine& m = call.machine;
  return {{"of", call.of}, {"bytes", m.bytes}, {"slots", m.slots}, {"spread", m.spread}};
}

L2Call read_l2_call(const json& params) {
  return {
      params.at("of").get<worker::KernelRequest>(),
      {.bytes = params.at("bytes"), .slots = params.at("slots"), .spread = params.at("spread")}};
}

json write_l2_traffic(const model::L2Traffic& t) {
  return {{"asked", t.asked},     {"read", t.read},   {"compulsory", t.compulsory},
          {"written", t.written}, {"whole", t.whole}, {"hit_rate", t.hit_rate},
          {"steps", t.steps}};
}

model::L2Traffic read_l2_traffic(const json& answer, std::span<const std::byte> tiles) {
  model::L2Traffic t;
  t.asked = answer.at("asked"), t.read = answer.at("read");
  t.compulsory = answer.at("compulsory"), t.written = answer.at("written");
  t.whole = answer.at("whole"), t.steps = answer.at("steps");
  t.hit_rate = answer.at("hit_rate").get<std::vector<float>>();
  t.tiles.resize(tiles.size() / sizeof(model::L2Tile));
  if (!t.tiles.empty())
    std::memcpy(t.tiles.data(), tiles.data(), t.tiles.size() * sizeof(model::L2Tile));
  return t;
}

}  // namespace tilescope::web
