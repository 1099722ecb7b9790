#include "worker/engine/heuristics/heuristic_cards.h"

namespace tilescope::worker {
namespace {

struct Row {
  HeuristicCard card;
  const char* driver;           // as the driver names it
  const char* other = nullptr;  // as it does too, or as core/model/device_table does
};
constexpr Row kCardNames[] = {
    {{8000, "A100 SXM 80GB"}, "NVIDIA A100-SXM4-80GB", "NVIDIA A100 SXM 80GB"},
    {{8001, "A100 PCIe 80GB"}, "NVIDIA A100 80GB PCIe"},
    {{8002, "A30"}, "NVIDIA A30"},
    {{8003, "A10"}, "NVIDIA A10"},
    {{8600, "A40"}, "NVIDIA A40"},
    {{8601, "RTX 3090"}, "NVIDIA GeForce RTX 3090"},
    {{8602, "RTX A6000"}, "NVIDIA RTX A6000"},
    {{8900, "L20"}, "NVIDIA L20"},
    {{8901, "L40"}, "NVIDIA L40"},
    {{8902, "L40S"}, "NVIDIA L40S"},
    {{8903, "L4"}, "NVIDIA L4"},
    {{8904, "RTX 4090"}, "NVIDIA GeForce RTX 4090"},
    {{8905, "RTX 6000 Ada"}, "NVIDIA RTX 6000 Ada Generation"},
    {{9000, "H100 SXM"}, "NVIDIA H100 80GB HBM3"},
    {{9001, "H100 PCIe"}, "NVIDIA H100 PCIe"},
    {{9002, "H100 NVL"}, "NVIDIA H100 NVL"},
    {{9003, "H200 SXM"}, "NVIDIA H200"},
    {{9004, "H20 SXM"}, "NVIDIA H20"},
    {{10000, "B200"}, "NVIDIA B200"},
    {{10001, "GB200 NVL"}, "NVIDIA GB200"},
    {{10300, "GB300 NVL"}, "NVIDIA GB300"},
    {{12000, "RTX 5080"}, "NVIDIA GeForce RTX 5080"},
    {{12001, "RTX 5090"}, "NVIDIA GeForce RTX 5090"},
    {{12002, "RTX PRO 6000"},
     "NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
     "NVIDIA RTX PRO 6000 Blackwell Server Edition"},
};

}  // namespace

const HeuristicCard* heuristic_card(std::string_view device_name) {
  for (const Row& row : kCardNames) {
    if (device_name == row.driver || (row.other && device_name == row.other)) return &row.card;
  }
  return nullptr;
}

std::string heuristic_card_names() {
  std::string names;
  for (const Row& row : kCardNames)
    names += (names.empty() ? "" : ", ") + std::string(row.card.name);
  return names;
}

}  // namespace tilescope::worker
