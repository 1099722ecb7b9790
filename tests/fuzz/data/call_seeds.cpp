// Requests and answers of every call, with random values in all of their members.
#include <nlohmann/json.hpp>
#include <utility>

#include "data_target.h"
#include "digits.h"
#include "tests/worker_engine/call_values.h"
#include "worker/messages/calls_json.h"

namespace tilescope::fuzz {

std::vector<std::string> call_seeds() {
  std::vector<std::string> all;
  nlohmann::json parts;
  const auto add = [&](const char* call, const char* of, const nlohmann::json& value) {
    nlohmann::json seed{{"call", call}, {"of", of}, {"value", value}};
    if (!parts.empty()) seed["parts"] = std::exchange(parts, {});
    all.push_back(seed.dump());
  };
  worker::for_each_call([&]<class C>() {
    for (unsigned seed = 0; seed < 3; ++seed) {
      worker::RandomValues random(seed);
      add(C::name, "request",
          worker::write_request<C>(random.template make<typename C::Request>()));
      add(C::name, "answer",
          worker::write_answer<C>(random.template make<typename C::Answer>(),
                                  [&](std::string_view type, std::span<const std::byte> bytes) {
                                    parts.push_back({type, digits_of(bytes)});
                                  }));
    }
  });
  add("", "progress", {{"stage", "measuring"}, {"done", 3}, {"all", 9}});
  return all;
}

}  // namespace tilescope::fuzz
