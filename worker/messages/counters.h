// What a card's own counters say of one launch: the list of counters, the level that each belongs
// to, and the command of Nsight Compute (ncu) that reads them. The list stands here and nowhere
// else.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilescope::worker {

/// Totals of one launch. A figure that was not measured is empty.
struct MeasuredTraffic {
  using Figure = std::optional<double>;
  Figure dram_read, dram_write;  // bytes
  Figure l2_read, l2_write;      // bytes that SMs receive from and send to the L2
  Figure l2_read_sectors;        // read in the L2 for that: fewer, where SMs share one answer
  Figure l1_read_sectors, l1_write_sectors, l1_read_requests, l1_write_requests;
  Figure shared_load_wavefronts, shared_store_wavefronts, shared_copy_wavefronts;
  Figure shared_load_conflicts, shared_store_conflicts;

  bool operator==(const MeasuredTraffic&) const = default;
};

struct Counter {
  const char* metric;   // as ncu calls it
  const char* instead;  // its name in other versions of ncu; null: it has one name
  MeasuredTraffic::Figure MeasuredTraffic::*figure;  // which it fills; null: it is only listed
  double factor;                                     // figure = factor · counter
  const char* what;
};
std::span<const Counter> counter_list();

/// A counted launch: values by `Counter::metric`. What the card did not have is not in it.
struct CountersResult {
  std::string device, device_name, date;
  std::string standing;  // measured | recorded
  std::string tool;      // "ncu 2025.3.1"
  std::map<std::string, double> values;
  bool older_kernel = false;  // of a recording: the kernel's code has changed since
};
MeasuredTraffic measured_traffic(const std::map<std::string, double>& values);
/// By level, as the command line's `bytes` are; null where nothing was measured.
nlohmann::ordered_json measured_levels_json(const MeasuredTraffic& measured);

void to_json(nlohmann::json& j, const CountersResult& c);
void from_json(const nlohmann::json& j, CountersResult& c);

/// How ncu is to count one launch of this project's kernel, up to its own program: all caches are
/// emptied before each of its passes, so that what it counts is what a cold launch does; clocks
/// are left as they are.
std::vector<std::string> ncu_options(const std::vector<std::string>& metrics);
std::vector<std::string> all_metrics();
/// A command line to paste into a shell.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace tilescope::worker
