// The column of what differs from B, in the tables of Memory traffic.
#pragma once
#include <optional>
#include <string>

#include "app/features/traffic/traffic_rows.h"
#include "app/panel.h"

namespace tilescope::widgets {

struct TrafficColumn {
  const char* name;
  float weight;
  std::string tip;
};
TrafficColumn second_column();

/// Less is better: of bytes, sectors and wavefronts alike.
void second_cell(const AppContext& context, const std::optional<AgainstSecond>& against);

}  // namespace tilescope::widgets
