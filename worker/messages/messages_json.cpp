#include "worker/messages/messages_json.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "worker/messages/json_optional.h"

using nlohmann::json;

namespace tilescope::worker {
namespace {

json number(double value) { return std::isfinite(value) ? json(value) : json(); }
double number(const json& j) {
  return j.is_null() ? std::numeric_limits<double>::quiet_NaN() : j.get<double>();
}

template <class T>
json optional_json(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

json access_json(const CountedTraffic::Global& g) {
  return {{"requests", g.requests}, {"sectors", g.sectors}, {"bytes", g.bytes}};
}
json access_json(const CountedTraffic::Shared& s) {
  return {{"requests", s.requests},
          {"wavefronts", s.wavefronts},
          {"ideal", s.ideal},
          {"bytes", s.bytes}};
}
void read_access(const json& j, CountedTraffic::Global& g) {
  g = {j.at("requests").get<uint64_t>(), j.at("sectors").get<uint64_t>(),
       j.at("bytes").get<uint64_t>()};
}
void read_access(const json& j, CountedTraffic::Shared& s) {
  s = {j.at("requests").get<uint64_t>(), j.at("wavefronts").get<uint64_t>(),
       j.at("ideal").get<uint64_t>(), j.at("bytes").get<uint64_t>()};
}

}  // namespace

void to_json(json& j, const KernelRequest& r) {
  j = {{"kernel", r.kernel}, {"tile", r.tile}, {"problem", r.problem}, {"sms", r.sms}};
}
void from_json(const json& j, KernelRequest& r) {
  j.at("kernel").get_to(r.kernel);
  j.at("tile").get_to(r.tile);
  j.at("problem").get_to(r.problem);
  r.sms = j.value("sms", r.sms);
}

void to_json(json& j, const DeviceInfo& d) {
  j = {{"id", d.id},
       {"name", d.name},
       {"driver", d.driver},
       {"date", d.date},
       {"limits", d.limits},
       {"clock_mhz", d.clock_mhz},
       {"dram_gb_per_second", d.dram_gb_per_second},
       {"l2_bytes", d.l2_bytes},
       {"available", d.available},
       {"why_not", d.why_not}};
}
void from_json(const json& j, DeviceInfo& d) {
  j.at("id").get_to(d.id);
  j.at("name").get_to(d.name);
  j.at("driver").get_to(d.driver);
  j.at("date").get_to(d.date);
  j.at("limits").get_to(d.limits);
  j.at("clock_mhz").get_to(d.clock_mhz);
  j.at("dram_gb_per_second").get_to(d.dram_gb_per_second);
  j.at("l2_bytes").get_to(d.l2_bytes);
  j.at("available").get_to(d.available);
  j.at("why_not").get_to(d.why_not);
}

void to_json(json& j, const CompileResult& c) {
  j = {{"ptx", c.ptx},
       {"revision", c.revision},
       {"arch", c.arch},
       {"registers", c.registers},
       {"spill_bytes", c.spill_bytes},
       {"compile_ms", c.compile_ms},
       {"cached", c.cached}};
}
void from_json(const json& j, CompileResult& c) {
  j.at("ptx").get_to(c.ptx);
  j.at("revision").get_to(c.revision);
  j.at("arch").get_to(c.arch);
  j.at("registers").get_to(c.registers);
  j.at("spill_bytes").get_to(c.spill_bytes);
  j.at("compile_ms").get_to(c.compile_ms);
  j.at("cached").get_to(c.cached);
}

namespace {

/// Compact: an array each, in the order of "columns".
json lines_json(const std::vector<CountedTraffic::Line>& lines) {
  json rows = json::array();
  for (const auto& l : lines) {
    rows.push_back({l.line, l.warp_instructions, l.sectors, l.wavefronts, l.ideal});
  }
  return {{"columns", {"line", "warp_instructions", "sectors", "wavefronts", "ideal"}},
          {"rows", std::move(rows)}};
}
void read_lines(const json& j, std::vector<CountedTraffic::Line>& lines) {
  lines.clear();
  for (const json& row : j.at("rows")) {
    lines.push_back({row.at(0).get<int>(), row.at(1).get<uint64_t>(), row.at(2).get<uint64_t>(),
                     row.at(3).get<uint64_t>(), row.at(4).get<uint64_t>()});
  }
}

}  // namespace

void to_json(json& j, const CountedTraffic& c) {
  j = {{"ctas", c.ctas},
       {"ctas_executed", c.ctas_executed},
       {"exact", c.exact},
       {"warp_instructions", c.warp_instructions},
       {"lane_instructions", c.lane_instructions},
       {"mma", c.mma},
       {"barriers", c.barriers},
       {"polls", c.polls},
       {"by_opcode", c.by_opcode},
       {"global_load", access_json(c.global_load)},
       {"global_store", access_json(c.global_store)},
       {"shared_load", access_json(c.shared_load)},
       {"shared_store", access_json(c.shared_store)},
       {"shared_copy", access_json(c.shared_copy)},
       {"source_lines", lines_json(c.source_lines)},
       {"ptx_lines", lines_json(c.ptx_lines)}};
}
void from_json(const json& j, CountedTraffic& c) {
  j.at("ctas").get_to(c.ctas);
  j.at("ctas_executed").get_to(c.ctas_executed);
  j.at("exact").get_to(c.exact);
  j.at("warp_instructions").get_to(c.warp_instructions);
  j.at("lane_instructions").get_to(c.lane_instructions);
  j.at("mma").get_to(c.mma);
  j.at("barriers").get_to(c.barriers);
  j.at("polls").get_to(c.polls);
  j.at("by_opcode").get_to(c.by_opcode);
  read_access(j.at("global_load"), c.global_load);
  read_access(j.at("global_store"), c.global_store);
  read_access(j.at("shared_load"), c.shared_load);
  read_access(j.at("shared_store"), c.shared_store);
  read_access(j.at("shared_copy"), c.shared_copy);
  read_lines(j.at("source_lines"), c.source_lines);
  if (j.contains("ptx_lines")) read_lines(j["ptx_lines"], c.ptx_lines);  // not in older recordings
}

void to_json(json& j, const NoNumbers& n) {
  j = {{"nan", n.nan},
       {"infinite", n.infinite},
       {"untouched", n.untouched},
       {"row", n.row},
       {"col", n.col}};
}
void from_json(const json& j, NoNumbers& n) {
  j.at("nan").get_to(n.nan);
  j.at("infinite").get_to(n.infinite);
  j.at("untouched").get_to(n.untouched);
  j.at("row").get_to(n.row);
  j.at("col").get_to(n.col);
}

void to_json(json& j, const Verification& v) {
  j = {{"norm", number(v.norm)},
       {"tolerance", number(v.tolerance)},
       {"ok", v.ok},
       {"elements", v.elements},
       {"of", v.of},
       {"ctas", v.ctas},
       {"of_ctas", v.of_ctas},
       {"worst", number(v.worst)},
       {"worst_row", v.worst_row},
       {"worst_col", v.worst_col},
       {"none", v.none},
       {"first_row", v.first_row},
       {"first_col", v.first_col}};
}
void from_json(const json& j, Verification& v) {
  v.norm = number(j.at("norm"));
  v.tolerance = number(j.at("tolerance"));
  j.at("ok").get_to(v.ok);
  j.at("elements").get_to(v.elements);
  v.of = j.value("of", uint64_t{0});
  v.ctas = j.value("ctas", uint64_t{0});
  v.of_ctas = j.value("of_ctas", uint64_t{0});
  v.worst = number(j.value("worst", json()));
  v.worst_row = j.value("worst_row", -1);
  v.worst_col = j.value("worst_col", -1);
  v.none = j.value("none", NoNumbers());
  v.first_row = j.value("first_row", -1);
  v.first_col = j.value("first_col", -1);
}

void to_json(json& j, const ComparedSums& s) {
  j = {{"difference", s.difference}, {"reference", s.reference}, {"worst", s.worst},
       {"worst_row", s.worst_row},   {"worst_col", s.worst_col}, {"none", s.none},
       {"first_row", s.first_row},   {"first_col", s.first_col}, {"elements", s.elements}};
}
void from_json(const json& j, ComparedSums& s) {
  j.at("difference").get_to(s.difference);
  j.at("reference").get_to(s.reference);
  j.at("worst").get_to(s.worst);
  j.at("worst_row").get_to(s.worst_row);
  j.at("worst_col").get_to(s.worst_col);
  j.at("none").get_to(s.none);
  j.at("first_row").get_to(s.first_row);
  j.at("first_col").get_to(s.first_col);
  j.at("elements").get_to(s.elements);
}

void to_json(json& j, const VerifiedPart& p) {
  j = {{"sums", p.sums},
       {"tolerance", p.tolerance},
       {"usual_square", p.usual_square},
       {"findings", p.findings}};
}
void from_json(const json& j, VerifiedPart& p) {
  j.at("sums").get_to(p.sums);
  j.at("tolerance").get_to(p.tolerance);
  j.at("usual_square").get_to(p.usual_square);
  j.at("findings").get_to(p.findings);
}

void to_json(json& j, const CodeFinding& f) {
  j = {{"kind", f.kind}, {"remark", f.remark},     {"count", f.count},
       {"line", f.line}, {"ptx_line", f.ptx_line}, {"message", f.message},
       {"cta", f.cta},   {"warp", f.warp},         {"lane", f.lane}};
}
void from_json(const json& j, CodeFinding& f) {
  j.at("kind").get_to(f.kind);
  j.at("remark").get_to(f.remark);
  j.at("count").get_to(f.count);
  j.at("line").get_to(f.line);
  j.at("ptx_line").get_to(f.ptx_line);
  j.at("message").get_to(f.message);
  j.at("cta").get_to(f.cta);
  j.at("warp").get_to(f.warp);
  j.at("lane").get_to(f.lane);
}

void to_json(json& j, const CheckResult& c) {
  j = {{"ctas", c.ctas}, {"k", c.k}, {"whole_k", c.whole_k}, {"findings", c.findings}};
}
void from_json(const json& j, CheckResult& c) {
  j.at("ctas").get_to(c.ctas);
  j.at("k").get_to(c.k);
  j.at("whole_k").get_to(c.whole_k);
  j.at("findings").get_to(c.findings);
}

void to_json(json& j, const EmulateResult& e) {
  j = {{"counted", e.counted}, {"verified", optional_json(e.verified)},
       {"seconds", e.seconds}, {"whole", e.whole},
       {"threads", e.threads}, {"findings", e.findings},
       {"checks", e.checks}};
}
void from_json(const json& j, EmulateResult& e) {
  j.at("counted").get_to(e.counted);
  e.verified = optional_of<Verification>(j, "verified");
  j.at("seconds").get_to(e.seconds);
  j.at("whole").get_to(e.whole);
  j.at("threads").get_to(e.threads);
  j.at("findings").get_to(e.findings);
  j.at("checks").get_to(e.checks);
}

void to_json(json& j, const MeasureResult& m) {
  j = {{"device", m.device},
       {"device_name", m.device_name},
       {"driver", m.driver},
       {"date", m.date},
       {"standing", m.standing},
       {"tflops", optional_json(m.tflops)},
       {"spread", optional_json(m.spread)},
       {"time_us", optional_json(m.time_us)},
       {"samples", m.samples},
       {"samples_planned", m.samples_planned},
       {"library", optional_json(m.library)},
       {"library_tflops", optional_json(m.library_tflops)},
       {"hot_tflops", optional_json(m.hot_tflops)},
       {"hot_library_tflops", optional_json(m.hot_library_tflops)},
       {"dropped", m.dropped},
       {"clock_mhz", optional_json(m.clock_mhz)},
       {"power_w", optional_json(m.power_w)},
       {"throttle", m.throttle},
       {"registers", optional_json(m.registers)},
       {"spill_bytes", optional_json(m.spill_bytes)},
       {"compile_ms", optional_json(m.compile_ms)},
       {"verified", optional_json(m.verified)},
       {"counted", optional_json(m.counted)},
       {"older_kernel", m.older_kernel},
       {"cold", m.cold},
       {"final", m.final}};
}
void from_json(const json& j, MeasureResult& m) {
  j.at("device").get_to(m.device);
  j.at("device_name").get_to(m.device_name);
  j.at("driver").get_to(m.driver);
  j.at("date").get_to(m.date);
  j.at("standing").get_to(m.standing);
  m.tflops = optional_of<double>(j, "tflops");
  m.spread = optional_of<double>(j, "spread");
  m.time_us = optional_of<double>(j, "time_us");
  j.at("samples").get_to(m.samples);
  j.at("samples_planned").get_to(m.samples_planned);
  m.library = optional_of<std::string>(j, "library");
  m.library_tflops = optional_of<double>(j, "library_tflops");
  m.hot_tflops = optional_of<double>(j, "hot_tflops");
  m.hot_library_tflops = optional_of<double>(j, "hot_library_tflops");
  m.dropped = j.value("dropped", 0);
  m.clock_mhz = optional_of<double>(j, "clock_mhz");
  m.power_w = optional_of<double>(j, "power_w");
  m.throttle = j.value("throttle", "");
  m.registers = optional_of<int>(j, "registers");
  m.spill_bytes = optional_of<int>(j, "spill_bytes");
  m.compile_ms = optional_of<double>(j, "compile_ms");
  m.verified = optional_of<Verification>(j, "verified");
  m.counted = optional_of<CountedTraffic>(j, "counted");
  m.older_kernel = j.value("older_kernel", false);
  j.at("cold").get_to(m.cold);
  j.at("final").get_to(m.final);
}

}  // namespace tilescope::worker
