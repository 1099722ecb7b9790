#include "worker/messages/messages_json.h"

#include <stdexcept>

#include "worker/messages/bounds.h"
#include "worker/messages/json_fields.h"

using nlohmann::json;

namespace tilescope::worker {

void require_sms(int sms) {
  if (sms >= 1 && sms <= kMostSms) return;
  throw std::invalid_argument("sms is " + std::to_string(sms) + "; choose 1 to " +
                              std::to_string(kMostSms) + ".");
}

TILESCOPE_JSON(KernelRequest, NEED(kernel, tile, problem) MAY(sms) SPARSE(sums_of),
               require_sms(self.sms))
// A place that is kept for a device that failed names little more than the reason.
TILESCOPE_JSON(DeviceInfo, NEED(id) MAY(name, driver, date, limits, clock_mhz, dram_gb_per_second,
                                        l2_bytes, available, why_not))
TILESCOPE_JSON(CompileResult,
               MAY(ptx) NEED(revision, arch, registers, spill_bytes, compile_ms, cached))

TILESCOPE_JSON_HERE(CountedTraffic::Global, NEED(requests, sectors, bytes))
TILESCOPE_JSON_HERE(CountedTraffic::Shared, NEED(requests, wavefronts, ideal, bytes))

// Compact: an array each, in the order of "columns".
static void put_field(json& j, const std::vector<CountedTraffic::Line>& lines) {
  json rows = json::array();
  for (const auto& l : lines) {
    rows.push_back({l.line, l.warp_instructions, l.sectors, l.wavefronts, l.ideal});
  }
  j = {{"columns", {"line", "warp_instructions", "sectors", "wavefronts", "ideal"}},
       {"rows", std::move(rows)}};
}
static void take_field(const json& j, const char*, std::vector<CountedTraffic::Line>& lines) {
  lines.clear();
  for (const json& row : j.at("rows")) {
    lines.push_back({whole_number<int>(row.at(0), "number 1 of a list"),
                     whole_number<uint64_t>(row.at(1), "number 2 of a list"),
                     whole_number<uint64_t>(row.at(2), "number 3 of a list"),
                     whole_number<uint64_t>(row.at(3), "number 4 of a list"),
                     whole_number<uint64_t>(row.at(4), "number 5 of a list")});
  }
}
// Lines of PTX, bulk copies and what products read are not in older recordings.
TILESCOPE_JSON(CountedTraffic,
               NEED(ctas, ctas_executed, exact, warp_instructions, lane_instructions, mma, barriers,
                    polls, by_opcode, global_load, global_store, shared_load, shared_store,
                    shared_copy, source_lines)
                   MAY(ptx_lines, bulk_load, bulk_store, shared_product))

TILESCOPE_JSON(NoNumbers, NEED(nan, infinite, untouched, row, col))
TILESCOPE_JSON(Verification,
               NEED(norm, tolerance, ok, elements)
                   MAY(of, ctas, of_ctas, worst, worst_row, worst_col, none, first_row, first_col))
TILESCOPE_JSON(ComparedSums, NEED(difference, reference, worst, worst_row, worst_col, none,
                                  first_row, first_col, elements))
TILESCOPE_JSON(VerifiedPart, NEED(sums, tolerance, usual_square, findings) SPARSE(arithmetic))
TILESCOPE_JSON(CodeFinding, NEED(kind, remark, count, line, ptx_line, message, cta, warp, lane)
                                MAY(cost, ideal) SPARSE(file))
TILESCOPE_JSON(CheckResult, NEED(ctas, k, whole_k, findings))
TILESCOPE_JSON(EmulateResult, NEED(counted, seconds, whole, threads, findings, checks) MAY(verified)
                                  SPARSE(arithmetic))
TILESCOPE_JSON(MeasureResult,
               NEED(device, device_name, driver, date, standing, samples, samples_planned, cold,
                    final) MAY(tflops, spread, time_us, library, library_tflops, hot_tflops,
                               hot_library_tflops, dropped, clock_mhz, power_w, throttle, registers,
                               spill_bytes, compile_ms, verified, counted, older_kernel))

}  // namespace tilescope::worker
