#include "worker/messages/messages_layer.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "worker/messages/json_fields.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/whole_number.h"

namespace tilescope::workload {

using nlohmann::json;

static void to_json(json& j, LayerKind kind) { j = name_of(kind); }
static void from_json(const json& j, LayerKind& kind) {
  const std::string name = j.get<std::string>();
  const std::optional<LayerKind> found = kind_named(name);
  if (!found) {
    throw std::invalid_argument("\"" + name + "\" is not a kind of layer; known are " +
                                kind_names() + ".");
  }
  kind = *found;
}

static void require_layer(const Layer& l) {
  if (const std::string why = why_not(l); !why.empty()) throw std::invalid_argument(why + ".");
}

TILESCOPE_JSON(Layer, NEED(kind, tokens, in, out) MAY(ranks, chunks, gather, overlap),
               require_layer(self))

}  // namespace tilescope::workload

namespace tilescope::worker {

using nlohmann::json;

static void to_json(json& j, const StepChoice& c) {
  j = c.kernel.empty() ? json::object() : json{{"kernel", c.kernel}, {"tile", c.tile}};
}
static void from_json(const json& j, StepChoice& c) {
  c.kernel = j.value("kernel", std::string());
  if (!c.kernel.empty()) c.tile = j.at("tile").get<TileConfig>();
}
TILESCOPE_JSON_HERE(MatrixCheck, NEED(name, verified))
// An array each: there are thousands.
static void to_json(json& j, const LayerBar& b) {
  j = {b.step, b.chunk, b.rank, b.begin_us, b.end_us};
}
static void from_json(const json& j, LayerBar& b) {
  b.step = whole_number<int>(j.at(0), "a bar's step");
  b.chunk = whole_number<int>(j.at(1), "a bar's chunk");
  b.rank = whole_number<int>(j.at(2), "a bar's rank");
  b.begin_us = j.at(3).get<double>(), b.end_us = j.at(4).get<double>();
}
static void to_json(json& j, const StepTime& s) { j = {s.us, s.alone_us}; }
static void from_json(const json& j, StepTime& s) {
  s.us = j.at(0).get<double>(), s.alone_us = j.at(1).get<double>();
}

TILESCOPE_JSON(RankRun,
               NEED(device, checks, alone_us, serial, samples, totals_us) MAY(collective, together))
TILESCOPE_JSON(LayerRequest,
               NEED(layer, choices) MAY(sms, spare_sms, seed, measure, seconds, time_limit),
               require_sms(self.sms))
TILESCOPE_JSON(LayerResult, NEED(checks, bars, steps) MAY(device, collective, whole, forward_us,
                                                          total_us, spread, samples, seconds))

/// Request and result are of the layer's steps.
static void require_fitting(const KeptLayer& k) {
  const workload::Workload w = make_workload(k.request.layer);
  const LayerResult& r = k.result;
  const bool fits = k.request.choices.size() == w.steps.size() &&
                    r.steps.size() == w.steps.size() &&
                    std::ranges::all_of(r.bars, [&](const LayerBar& bar) {
                      return bar.step >= 0 && static_cast<size_t>(bar.step) < w.steps.size() &&
                             bar.rank >= -1 && bar.rank < k.request.layer.ranks && bar.chunk >= 0;
                    });
  if (!fits) throw std::invalid_argument("A kept layer's result is not of its steps.");
}

TILESCOPE_JSON(KeptLayer, NEED(request, card, cards, date, result), require_fitting(self))

void to_json(json& j, const LayerAnswer& a) {
  j = a.whole ? json(*a.whole) : json{{"ranks", a.ranks}};
}
void from_json(const json& j, LayerAnswer& a) {
  a = {};
  if (j.contains("ranks")) {
    take_field(j.at("ranks"), "ranks", a.ranks);
  } else {
    a.whole = j.get<LayerResult>();
  }
}

LayerResult layer_result(const workload::Layer& layer, const LayerAnswer& answer) {
  return answer.whole ? *answer.whole : merge(make_workload(layer), answer.ranks);
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

}  // namespace tilescope::worker
