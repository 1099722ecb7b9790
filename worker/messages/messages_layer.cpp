#include "worker/messages/messages_layer.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "worker/messages/messages_json.h"

namespace tilescope::workload {

using nlohmann::json;

void to_json(json& j, const Layer& l) {
  j = {{"kind", name_of(l.kind)},
       {"tokens", l.tokens},
       {"in", l.in},
       {"out", l.out},
       {"ranks", l.ranks},
       {"chunks", l.chunks},
       {"gather", l.gather},
       {"overlap", l.overlap}};
}

void from_json(const json& j, Layer& l) {
  const std::string kind = j.at("kind").get<std::string>();
  const std::optional<LayerKind> found = kind_named(kind);
  if (!found) {
    throw std::invalid_argument("\"" + kind + "\" is not a kind of layer; known are " +
                                kind_names() + ".");
  }
  l.kind = *found;
  l.tokens = j.at("tokens").get<int>(), l.in = j.at("in").get<int>(),
  l.out = j.at("out").get<int>();
  l.ranks = j.value("ranks", 1), l.chunks = j.value("chunks", 1);
  l.gather = j.value("gather", false), l.overlap = j.value("overlap", true);
  if (const std::string why = why_not(l); !why.empty()) throw std::invalid_argument(why + ".");
}

}  // namespace tilescope::workload

namespace tilescope::worker {

using nlohmann::json;

namespace {

void to_json(json& j, const StepChoice& c) {
  j = c.kernel.empty() ? json::object() : json{{"kernel", c.kernel}, {"tile", c.tile}};
}
void from_json(const json& j, StepChoice& c) {
  c.kernel = j.value("kernel", std::string());
  if (!c.kernel.empty()) c.tile = j.at("tile").get<TileConfig>();
}
void to_json(json& j, const MatrixCheck& c) { j = {{"name", c.name}, {"verified", c.verified}}; }
void from_json(const json& j, MatrixCheck& c) {
  c.name = j.at("name").get<std::string>(), c.verified = j.at("verified").get<Verification>();
}
void to_json(json& j, const LayerBar& b) { j = {b.step, b.chunk, b.rank, b.begin_us, b.end_us}; }
void from_json(const json& j, LayerBar& b) {
  b.step = j.at(0).get<int>(), b.chunk = j.at(1).get<int>(), b.rank = j.at(2).get<int>();
  b.begin_us = j.at(3).get<double>(), b.end_us = j.at(4).get<double>();
}
void to_json(json& j, const StepTime& s) { j = {s.us, s.alone_us}; }
void from_json(const json& j, StepTime& s) {
  s.us = j.at(0).get<double>(), s.alone_us = j.at(1).get<double>();
}

/// nlohmann finds the functions above for a list's elements only where they stand in this
/// namespace's open part; so lists go through these.
template <class T>
json list(const std::vector<T>& all) {
  json j = json::array();
  for (const T& one : all) {
    json element;
    to_json(element, one);
    j.push_back(std::move(element));
  }
  return j;
}
template <class T>
std::vector<T> list_of(const json& j) {
  std::vector<T> all(j.size());
  for (size_t i = 0; i < all.size(); ++i) from_json(j.at(i), all[i]);
  return all;
}

}  // namespace

void to_json(json& j, const RankRun& r) {
  const auto samples = [](const std::vector<std::vector<LayerBar>>& all) {
    json j = json::array();
    for (const auto& bars : all) j.push_back(list(bars));
    return j;
  };
  j = {{"device", r.device},       {"collective", r.collective},  {"checks", list(r.checks)},
       {"alone_us", r.alone_us},   {"serial", samples(r.serial)}, {"samples", samples(r.samples)},
       {"totals_us", r.totals_us}, {"together", r.together}};
}

void from_json(const json& j, RankRun& r) {
  const auto samples = [](const json& all) {
    std::vector<std::vector<LayerBar>> bars;
    for (const json& one : all) bars.push_back(list_of<LayerBar>(one));
    return bars;
  };
  r.device = j.at("device").get<std::string>();
  r.collective = j.value("collective", std::string());
  r.checks = list_of<MatrixCheck>(j.at("checks"));
  r.alone_us = j.at("alone_us").get<std::vector<double>>();
  r.serial = samples(j.at("serial")), r.samples = samples(j.at("samples"));
  r.totals_us = j.at("totals_us").get<std::vector<std::pair<double, double>>>();
  r.together = j.value("together", true);
}

LayerResult layer_result(const workload::Layer& layer, const json& answer) {
  if (!answer.contains("ranks")) return answer.get<LayerResult>();
  return merge(make_workload(layer), answer.at("ranks").get<std::vector<RankRun>>());
}

const Verification* worst_of(const std::vector<MatrixCheck>& checks) {
  const auto off = [](const Verification& v) {
    return v.none.count() > 0 ? std::numeric_limits<double>::infinity() : v.norm;
  };
  const Verification* worst = nullptr;
  for (const MatrixCheck& c : checks) {
    if (!worst || off(c.verified) > off(*worst)) worst = &c.verified;
  }
  return worst;
}

bool LayerResult::ok() const {
  return !checks.empty() &&
         std::ranges::all_of(checks, [](const MatrixCheck& c) { return c.verified.ok; });
}

void to_json(json& j, const LayerRequest& r) {
  j = {{"layer", r.layer},     {"choices", list(r.choices)},
       {"sms", r.sms},         {"spare_sms", r.spare_sms},
       {"seed", r.seed},       {"measure", r.measure},
       {"seconds", r.seconds}, {"time_limit", r.time_limit}};
}

void from_json(const json& j, LayerRequest& r) {
  r.layer = j.at("layer").get<workload::Layer>();
  r.choices = list_of<StepChoice>(j.at("choices"));
  r.spare_sms = j.value("spare_sms", r.spare_sms);
  r.sms = j.value("sms", r.sms), r.seed = j.value("seed", r.seed);
  r.measure = j.value("measure", r.measure), r.seconds = j.value("seconds", r.seconds);
  r.time_limit = j.value("time_limit", r.time_limit);
}

void to_json(json& j, const LayerResult& r) {
  j = {{"device", r.device},         {"collective", r.collective}, {"whole", r.whole},
       {"checks", list(r.checks)},   {"bars", list(r.bars)},       {"steps", list(r.steps)},
       {"forward_us", r.forward_us}, {"total_us", r.total_us},     {"spread", r.spread},
       {"samples", r.samples},       {"seconds", r.seconds}};
}

void from_json(const json& j, LayerResult& r) {
  r.device = j.value("device", ""), r.collective = j.value("collective", "");
  r.whole = j.value("whole", true);
  r.checks = list_of<MatrixCheck>(j.at("checks"));
  r.bars = list_of<LayerBar>(j.at("bars")), r.steps = list_of<StepTime>(j.at("steps"));
  r.forward_us = j.value("forward_us", 0.0), r.total_us = j.value("total_us", 0.0);
  r.spread = j.value("spread", 0.0), r.samples = j.value("samples", 0);
  r.seconds = j.value("seconds", 0.0);
}

void to_json(json& j, const KeptLayer& k) {
  j = {{"request", k.request},
       {"card", k.card},
       {"cards", k.cards},
       {"date", k.date},
       {"result", k.result}};
}

void from_json(const json& j, KeptLayer& k) {
  k.request = j.at("request").get<LayerRequest>();
  k.card = j.at("card").get<std::string>(), k.cards = j.at("cards").get<int>();
  k.date = j.at("date").get<std::string>(), k.result = j.at("result").get<LayerResult>();
  const workload::Workload w = make_workload(k.request.layer);
  const LayerResult& r = k.result;
  const bool fits = k.request.choices.size() == w.steps.size() &&
                    r.steps.size() == w.steps.size() &&
                    std::ranges::all_of(r.bars, [&](const LayerBar& bar) {
                      return bar.step >= 0 && static_cast<size_t>(bar.step) < w.steps.size() &&
                             bar.rank < k.request.layer.ranks;
                    });
  if (!fits) throw std::invalid_argument("A kept layer's result is not of its steps.");
}

}  // namespace tilescope::worker
