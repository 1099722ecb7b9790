#include "worker/messages/messages_launch.h"

#include <nlohmann/json.hpp>

using nlohmann::json;

namespace tilescope::worker {
namespace {

json extent(const LaunchRequest::Extent& e) { return {e.x, e.y, e.z}; }
LaunchRequest::Extent extent(const json& j) {
  return {j.at(0).get<uint32_t>(), j.at(1).get<uint32_t>(), j.at(2).get<uint32_t>()};
}

}  // namespace

bool has_launch(const json& params) { return params.is_object() && params.contains("launch"); }

void to_json(json& j, const LaunchRequest& l) {
  json parameters = json::array(), buffers = json::array();
  for (const std::byte b : l.parameters) parameters.push_back(static_cast<int>(b));
  for (const LaunchBuffer& b : l.buffers) {
    buffers.push_back(
        {{"name", b.name}, {"bytes", b.bytes}, {"read_only", b.read_only}, {"given", b.given}});
  }
  j = {{"ptx", l.ptx},
       {"entry", l.entry},
       {"grid", extent(l.grid)},
       {"block", extent(l.block)},
       {"shared_bytes", l.shared_bytes},
       {"parameters", std::move(parameters)},
       {"buffers", std::move(buffers)},
       {"contents", l.contents}};
}

void from_json(const json& j, LaunchRequest& l) {
  l = {};
  j.at("ptx").get_to(l.ptx);
  j.at("entry").get_to(l.entry);
  l.grid = extent(j.at("grid"));
  l.block = extent(j.at("block"));
  j.at("shared_bytes").get_to(l.shared_bytes);
  for (const json& b : j.at("parameters")) {
    l.parameters.push_back(static_cast<std::byte>(b.get<uint8_t>()));
  }
  for (const json& b : j.at("buffers")) {
    l.buffers.push_back({b.at("name").get<std::string>(), b.at("bytes").get<uint64_t>(),
                         b.at("read_only").get<bool>(), b.at("given").get<bool>()});
  }
  j.at("contents").get_to(l.contents);
}

}  // namespace tilescope::worker
