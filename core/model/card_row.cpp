#include "core/model/card_row.h"

#include <cmath>
#include <mutex>
#include <set>
#include <string>
#include <tuple>

namespace tilescope::model {
namespace {

const char* kept(std::string text) {
  static std::mutex mutex;
  static std::set<std::string> texts;  // whose elements stay where they are
  const std::lock_guard lock(mutex);
  return texts.insert(std::move(text)).first->c_str();
}

const DeviceRow& likest(const CardFacts& card) {
  const auto distance = [&](const DeviceRow& row) {
    const double memory = card.dram_gb_per_second > 0
                              ? std::abs(std::log(row.dram_gb_per_second / card.dram_gb_per_second))
                              : 0;
    return std::tuple(std::abs(row.limits.sm - card.limits.sm), memory);
  };
  const DeviceRow* best = &device_table().front();
  for (const DeviceRow& row : device_table()) {
    if (distance(row) < distance(*best)) best = &row;
  }
  return *best;
}

}  // namespace

DeviceRow row_of_card(const CardFacts& card) {
  for (const DeviceRow& known : device_table()) {
    if (card.name != known.name) continue;
    DeviceRow row = known;
    row.limits = card.limits;
    return row;
  }
  const DeviceRow& like = likest(card);
  DeviceRow row = like;
  row.name = kept(std::string(card.name));
  row.source =
      kept(std::string("what the driver says; the rest by SMs and clock from ") + like.name);
  row.limits = card.limits;
  if (card.clock_mhz > 0) row.clock_mhz = card.clock_mhz;
  if (card.dram_gb_per_second > 0) row.dram_gb_per_second = card.dram_gb_per_second;
  if (card.l2_bytes > 0) row.l2_bytes = card.l2_bytes;
  const double sms = 1.0 * card.limits.sm_count / like.limits.sm_count;
  const double rate = sms * row.clock_mhz / like.clock_mhz;
  row.l2_bytes_per_clock *= sms;
  row.fp32_tflops *= rate;
  row.tensor_tflops *= rate;
  return row;
}

}  // namespace tilescope::model
