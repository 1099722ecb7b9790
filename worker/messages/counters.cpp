#include "worker/messages/counters.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace tilescope::worker {
namespace {

using nlohmann::json;
using Json = nlohmann::ordered_json;
using M = MeasuredTraffic;

constexpr Counter kCounters[] = {
    {"dram__bytes_read.sum", "dram__bytes_op_read.sum", &M::dram_read, 1, "bytes read from DRAM"},
    {"dram__bytes_write.sum", "dram__bytes_op_write.sum", &M::dram_write, 1,
     "bytes written to DRAM while the kernel ran: what is still in the L2 at its end is missing"},
    {"l1tex__m_xbar2l1tex_read_bytes.sum", nullptr, &M::l2_read, 1, "bytes that SMs receive"},
    {"l1tex__m_l1tex2xbar_write_bytes.sum", nullptr, &M::l2_write, 1, "bytes that SMs send"},
    {"lts__t_sectors_srcunit_tex_op_read.sum", nullptr, &M::l2_read_sectors, 1,
     "sectors that the L2 reads for SMs; one that SMs of a GPC ask for together is sent to all"},
    {"lts__t_sectors_srcunit_tex_op_write.sum", nullptr, nullptr, 1,
     "sectors that SMs write to the L2"},
    {"lts__t_sectors_srcunit_tex_lookup_hit.sum", nullptr, nullptr, 1, "of those found in the L2"},
    {"lts__t_sectors_srcunit_tex_lookup_miss.sum", nullptr, nullptr, 1, "of those not found there"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", nullptr, nullptr, 1,
     "sectors of loads found in the L1"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", nullptr, &M::l1_read_sectors, 1,
     "sectors that loads and cp.async ask global memory for"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", nullptr, &M::l1_read_requests, 1,
     "warp instructions among them"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", nullptr, &M::l1_write_sectors, 1,
     "sectors that stores write to global memory"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", nullptr, &M::l1_write_requests, 1,
     "warp instructions among them"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", nullptr, &M::shared_load_wavefronts, 1,
     "wavefronts of loads from shared memory, ldmatrix included"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", nullptr, &M::shared_store_wavefronts,
     1, "wavefronts of stores to shared memory"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum", nullptr,
     &M::shared_copy_wavefronts, 1, "wavefronts of cp.async into shared memory"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", nullptr, nullptr, 1,
     "wavefronts of all accesses to shared memory"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", nullptr, &M::shared_load_conflicts,
     1, "wavefronts of loads beyond what their width needs"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", nullptr,
     &M::shared_store_conflicts, 1, "wavefronts of stores beyond what their width needs"},
    {"sm__cycles_elapsed.max", nullptr, nullptr, 1, "cycles of the launch, on the slowest SM"},
    {"smsp__inst_executed.sum", nullptr, nullptr, 1, "warp instructions"},
    {"smsp__inst_executed_pipe_tensor.sum", nullptr, nullptr, 1,
     "warp instructions of the tensor cores"},
    {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", nullptr, nullptr, 1,
     "% of cycles in which the tensor cores work"},
};

Json figure(const M::Figure& value) { return value ? Json(*value) : Json(); }
Json sum(const M::Figure& a, const M::Figure& b) { return a && b ? Json(*a + *b) : Json(); }

}  // namespace

std::span<const Counter> counter_list() { return kCounters; }

MeasuredTraffic measured_traffic(const std::map<std::string, double>& values) {
  MeasuredTraffic measured;
  for (const Counter& counter : kCounters) {
    const auto value = values.find(counter.metric);
    if (counter.figure && value != values.end()) {
      measured.*counter.figure = value->second * counter.factor;
    }
  }
  return measured;
}

Json measured_levels_json(const MeasuredTraffic& m) {
  return {{"registers", nullptr},
          {"shared",
           {{"read", nullptr},
            {"write", nullptr},
            {"wavefronts", sum(m.shared_load_wavefronts, m.shared_store_wavefronts)},
            {"load_wavefronts", figure(m.shared_load_wavefronts)},
            {"store_wavefronts", figure(m.shared_store_wavefronts)},
            {"conflicts", sum(m.shared_load_conflicts, m.shared_store_conflicts)},
            {"copy_wavefronts", figure(m.shared_copy_wavefronts)}}},
          {"l1",
           {{"read", nullptr},
            {"write", nullptr},
            {"sectors", sum(m.l1_read_sectors, m.l1_write_sectors)},
            {"read_sectors", figure(m.l1_read_sectors)},
            {"write_sectors", figure(m.l1_write_sectors)},
            {"requests", sum(m.l1_read_requests, m.l1_write_requests)}}},
          {"l2",
           {{"read", figure(m.l2_read)},
            {"write", figure(m.l2_write)},
            {"read_sectors", figure(m.l2_read_sectors)}}},
          {"dram", {{"read", figure(m.dram_read)}, {"write", figure(m.dram_write)}}}};
}

void to_json(json& j, const CountersResult& c) {
  j = {{"device", c.device},
       {"device_name", c.device_name},
       {"date", c.date},
       {"standing", c.standing},
       {"tool", c.tool},
       {"counters", c.values},
       {"older_kernel", c.older_kernel}};
}
void from_json(const json& j, CountersResult& c) {
  j.at("device").get_to(c.device);
  c.device_name = j.value("device_name", "");
  j.at("date").get_to(c.date);
  j.at("standing").get_to(c.standing);
  c.tool = j.value("tool", "");
  c.older_kernel = j.value("older_kernel", false);
  c.values.clear();
  for (const auto& [name, value] : j.at("counters").items()) {
    if (value.is_number() && std::isfinite(value.get<double>())) c.values[name] = value;
  }
}

std::vector<std::string> all_metrics() {
  std::vector<std::string> all;
  for (const Counter& counter : kCounters) all.push_back(counter.metric);
  return all;
}

std::vector<std::string> ncu_options(const std::vector<std::string>& metrics) {
  std::string list;
  for (const std::string& metric : metrics) list += (list.empty() ? "" : ",") + metric;
  // The kernel runs in a child of the worker's child; what else runs there has other names.
  return {"--target-processes", "all", "--kernel-name",   "tilescope_gemm", "--launch-count", "1",
          "--cache-control",    "all", "--clock-control", "none",           "--metrics",      list};
}

std::string shell_line(const std::vector<std::string>& words) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace tilescope::worker
