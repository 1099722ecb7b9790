#include "app/state/session_view.h"

#include <nlohmann/json.hpp>

#include "app/state/json_take.h"

namespace tilescope {
namespace {

/// Calls visit(name, value) for each option.
template <class View, class Visit>
void for_each_option(View& v, Visit&& visit) {
  visit("device", v.device);
  visit("device_title", v.device_title);
  visit("count_elements", v.count_elements);
  visit("gpu", v.gpu);
}

}  // namespace

nlohmann::json view_json(const ViewOptions& view) {
  nlohmann::json out = nlohmann::json::object();
  for_each_option(view, [&](const char* name, const auto& value) { out[name] = value; });
  return out;
}

void view_from(const nlohmann::json& in, ViewOptions& v) {
  for_each_option(v, [&](const char* name, auto& value) { take(in, name, value); });
  // Sessions of before had a combo for measuring alone.
  std::string bench;
  take(in, "bench_device", bench);
  if (v.device.empty() && bench.starts_with("cuda:")) v.device = bench;
}

}  // namespace tilescope
