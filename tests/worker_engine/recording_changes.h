// What chance makes of a line of JSON: other values, and other bytes. The same in every run.
#pragma once
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/layout/tile_config.h"

namespace tilescope::worker {

inline nlohmann::json odd_value(std::mt19937& random) {
  static const nlohmann::json kValues = nlohmann::json::parse(
      R"([0, -1, 1, 7, 128, 1048576, 1048577, 1073741824, 2147483647, -2147483648,)"
      R"(18446744073709551615, -9223372036854775808, 1e300, -1e-300, 0.5, true, null, "", "f16",)"
      R"("TT", "naive", [], {}, [1, 2, 3]])");
  return kValues[random() % kValues.size()];
}

/// One of the values in a recording becomes another, goes, or is joined by one.
inline void change_value(nlohmann::json& line, std::mt19937& random) {
  std::vector<nlohmann::json*> all;
  const auto collect = [&](const auto& self, nlohmann::json& value) -> void {
    all.push_back(&value);
    if (value.is_structured()) {
      for (nlohmann::json& element : value) self(self, element);
    }
  };
  collect(collect, line);
  nlohmann::json& chosen = *all[random() % all.size()];
  if (chosen.is_object() && random() % 2 == 0) {
    const TileField& field = kTileFields[random() % std::size(kTileFields)];
    const char* kNames[] = {"lda", "ldb", "ldc", "bias", "order_c", "sms", field.name};
    chosen[kNames[random() % std::size(kNames)]] = odd_value(random);
  } else if (chosen.is_object() && !chosen.empty() && &chosen != &line) {
    chosen.erase(std::next(chosen.begin(), static_cast<int>(random() % chosen.size())));
  } else if (&chosen != &line) {
    chosen = odd_value(random);
  }
}

inline void change_bytes(std::string& text, std::mt19937& random) {
  for (unsigned n = 1 + random() % 4; n > 0 && !text.empty(); --n) {
    const size_t at = random() % text.size();
    switch (random() % 4) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, 1 + random() % 8);
        break;
      case 2: {
        const size_t from = random() % text.size(), bytes = random() % 24;
        text.insert(at, text.substr(from, bytes));
        break;
      }
      default:
        text[at] = "0123456789-.e{}[]\","[random() % 19];
    }
  }
}

}  // namespace tilescope::worker
