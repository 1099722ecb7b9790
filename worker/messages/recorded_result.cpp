#include "worker/messages/recorded_result.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "core/model/names.h"
#include "worker/messages/bounds.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/whole_number.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;
using Line = nlohmann::ordered_json;

/// Null and left out are the same.
template <class T>
std::optional<T> optional_of(const json& j, const char* name) {
  const auto it = j.find(name);
  if (it == j.end() || it->is_null()) return std::nullopt;
  return it->template get<T>();
}

/// A whole number from 0 on.
template <Whole T>
std::optional<T> count_of(const json& j, const char* name) {
  const auto it = j.find(name);
  if (it == j.end() || it->is_null()) return std::nullopt;
  return whole_number<T>(*it, name, 0);
}

/// What was measured is no less than nothing, and no card comes near this.
constexpr double kMostFigure = 1e15;

std::optional<double> figure_of(const json& j, const char* name) {
  const auto it = j.find(name);
  if (it == j.end() || it->is_null()) return std::nullopt;
  return measured_number(*it, name, kMostFigure);
}

/// alpha, beta: what a float holds.
float factor_of(const json& j, const char* name, float usual) {
  const auto it = j.find(name);
  if (it == j.end()) return usual;
  const auto value = it->get<double>();
  if (std::abs(value) <= std::numeric_limits<float>::max()) return static_cast<float>(value);
  throw std::invalid_argument(std::string(name) + " is no number that a float holds.");
}

/// 0: the least there can be.
long long leading_of(const json& j, const char* name) {
  const auto it = j.find(name);
  return it == j.end() ? 0 : whole_number<long long>(*it, name, 0, kMaxLeadingDimension);
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class T>
Line optional_line(const std::optional<T>& value) {
  return value ? Line(*value) : Line();
}
Line text_line(const std::string& text) { return text.empty() ? Line() : Line(text); }
Line number_line(double value) { return std::isfinite(value) ? Line(value) : Line(); }

const json& part_of(const json& j, const char* name) {
  static const json kNone = json::object();
  const auto it = j.find(name);
  return it != j.end() && it->is_object() ? *it : kNone;
}

/// The letters of model::layout_letters().
void read_layout(const std::string& letters, Problem& p) {
  if (letters.size() != 2 || letters.find_first_not_of("NT") != letters.npos)
    throw std::invalid_argument("no layout " + letters);
  const auto order = [](char c) { return c == 'T' ? Order::row_major : Order::column_major; };
  p.order_a = order(letters[0]), p.order_b = order(letters[1]);
}

}  // namespace

Line recorded_tile(const TileConfig& tile, const Sliders& sliders) {
  Line line = Line::object();
  for (int i = 0; i < sliders.count; ++i) {
    const TileFieldId field = sliders.slider[i].field;
    line[model::name_of(field)] = get(tile, field);
  }
  return line;
}

Line recorded_request(const KernelRequest& request, const Sliders& sliders) {
  const Problem& p = request.problem;
  Line line = {
      {"kernel", request.kernel},
      {"tile", recorded_tile(request.tile, sliders)},
      {"size", {p.m, p.n, p.k}},
      {"types", {model::name_of(p.type_a), model::name_of(p.type_b), model::name_of(p.type_c)}},
      {"layout", model::layout_letters(p)},
      {"alpha", p.alpha},
      {"beta", p.beta}};
  if (p.bias) line["bias"] = true;
  // Another order, or lines that lie apart, are another problem than the usual one.
  if (p.order_c == Order::column_major) line["order_c"] = wire_name(p.order_c);
  for (const auto& [name, leading] : {std::pair("lda", p.lda), {"ldb", p.ldb}, {"ldc", p.ldc}}) {
    if (leading != 0) line[name] = leading;
  }
  return line;
}

KernelRequest read_recorded_request(const json& j) {
  KernelRequest request;
  request.kernel = j.at("kernel").get<std::string>();
  // Kernels are looked up by C's strings, which would end there.
  if (request.kernel.find('\0') != std::string::npos) {
    throw std::invalid_argument("the kernel's name has a character 0; remove it");
  }
  if (const auto sms = j.find("sms"); sms != j.end()) {
    request.sms = whole_number<int>(*sms, "sms", 1, kMostSms);
  }
  request.tile = j.at("tile").get<TileConfig>();
  Problem& p = request.problem;
  const json &size = j.at("size"), &types = j.at("types");
  p.m = whole_number<int>(size.at(0), "M", 1, kMaxExtent);
  p.n = whole_number<int>(size.at(1), "N", 1, kMaxExtent);
  p.k = whole_number<int>(size.at(2), "K", 1, kMaxExtent);
  p.type_a = element_type_of(types.at(0).get<std::string>());
  p.type_b = element_type_of(types.at(1).get<std::string>());
  p.type_c = element_type_of(types.at(2).get<std::string>());
  read_layout(j.at("layout").get<std::string>(), p);
  p.alpha = factor_of(j, "alpha", 1), p.beta = factor_of(j, "beta", 0);
  p.bias = j.value("bias", false);
  if (j.contains("order_c")) p.order_c = order_of(j.at("order_c").get<std::string>());
  p.lda = leading_of(j, "lda"), p.ldb = leading_of(j, "ldb"), p.ldc = leading_of(j, "ldc");
  return request;
}

Line recorded_verification(const std::optional<Verification>& v) {
  if (!v) return nullptr;
  return {{"norm", number_line(v->norm)},
          {"tolerance", number_line(v->tolerance)},
          {"ok", v->ok},
          {"elements", v->elements},
          {"of", v->of > 0 ? Line(v->of) : Line()},
          {"ctas", v->ctas > 0 ? Line(v->ctas) : Line()},
          {"of_ctas", v->of_ctas > 0 ? Line(v->of_ctas) : Line()},
          {"nan", v->none.nan},
          {"infinite", v->none.infinite},
          {"untouched", v->none.untouched},
          {"first", v->first_row < 0 ? Line() : Line({v->first_row, v->first_col})}};
}

std::optional<Verification> read_recorded_verification(const json& v) {
  if (!v.is_object() || v.empty()) return std::nullopt;
  Verification verified;
  verified.norm = optional_of<double>(v, "norm").value_or(kNaN);
  verified.tolerance = v.at("tolerance").get<double>();
  verified.ok = v.at("ok").get<bool>();
  verified.elements = count_of<uint64_t>(v, "elements").value_or(0);
  // A card's result is always compared whole; older recordings do not say so.
  verified.of = count_of<uint64_t>(v, "of").value_or(verified.elements);
  verified.ctas = count_of<uint64_t>(v, "ctas").value_or(0);
  verified.of_ctas = count_of<uint64_t>(v, "of_ctas").value_or(0);
  verified.none.nan = count_of<uint64_t>(v, "nan").value_or(0);
  verified.none.infinite = count_of<uint64_t>(v, "infinite").value_or(0);
  verified.none.untouched = count_of<uint64_t>(v, "untouched").value_or(0);
  if (const auto first = v.find("first"); first != v.end() && !first->is_null()) {
    verified.first_row = whole_number<int>(first->at(0), "first's row", 0);
    verified.first_col = whole_number<int>(first->at(1), "first's column", 0);
    if (verified.none.count() > 0) {
      verified.none.row = verified.first_row, verified.none.col = verified.first_col;
    }
  }
  return verified;
}

void put_recorded(Line& line, const MeasureResult& m) {
  line["device"] = m.device_name;
  line["standing"] = m.standing;
  line["date"] = m.date;
  line["driver"] = text_line(m.driver);
  line["verified"] = recorded_verification(m.verified);
  line["tflops"] = optional_line(m.tflops);
  line["spread"] = optional_line(m.spread);
  line["samples"] = m.samples;
  line["time_us"] = optional_line(m.time_us);
  line["library"] = {{"name", optional_line(m.library)},
                     {"tflops", optional_line(m.library_tflops)}};
  if (m.tflops && m.library_tflops && *m.library_tflops > 0) {
    line["of_library"] = *m.tflops / *m.library_tflops;
  }
  if (m.hot_tflops) {
    line["hot"] = {{"tflops", *m.hot_tflops},
                   {"library_tflops", optional_line(m.hot_library_tflops)}};
  }
  line["clock_mhz"] = optional_line(m.clock_mhz);
  line["power_w"] = optional_line(m.power_w);
  line["throttle"] = text_line(m.throttle);
  if (m.tflops && m.clock_mhz && *m.clock_mhz > 0) {
    line["tflops_per_ghz"] = *m.tflops / (*m.clock_mhz * 1e-3);
  }
  if (m.dropped > 0) line["samples_dropped"] = m.dropped;
  line["registers"] = optional_line(m.registers);
  line["spill_bytes"] = optional_line(m.spill_bytes);
  line["compile_ms"] = optional_line(m.compile_ms);
  line["cold"] = m.cold;
}

MeasureResult read_recorded(const json& j) {
  MeasureResult m;
  m.standing = "recorded";
  m.device_name = j.at("device").get<std::string>();
  m.device = "recorded:" + m.device_name;
  m.date = j.at("date").get<std::string>();
  m.driver = optional_of<std::string>(j, "driver").value_or("");
  m.tflops = figure_of(j, "tflops");
  m.spread = figure_of(j, "spread");
  m.time_us = figure_of(j, "time_us");
  m.samples = m.samples_planned = count_of<int>(j, "samples").value_or(0);
  const json &library = part_of(j, "library"), &hot = part_of(j, "hot");
  m.library = optional_of<std::string>(library, "name");
  m.library_tflops = figure_of(library, "tflops");
  m.hot_tflops = figure_of(hot, "tflops");
  m.hot_library_tflops = figure_of(hot, "library_tflops");
  m.clock_mhz = figure_of(j, "clock_mhz");
  m.power_w = figure_of(j, "power_w");
  m.throttle = optional_of<std::string>(j, "throttle").value_or("");
  m.dropped = count_of<int>(j, "samples_dropped").value_or(0);
  m.registers = count_of<int>(j, "registers");
  m.spill_bytes = count_of<int>(j, "spill_bytes");
  m.compile_ms = figure_of(j, "compile_ms");
  m.cold = j.value("cold", true);
  m.verified = read_recorded_verification(j.value("verified", json()));
  m.final = true;
  return m;
}

}  // namespace tilescope::worker
