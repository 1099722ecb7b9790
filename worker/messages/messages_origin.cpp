#include "worker/messages/messages_origin.h"

#include "worker/messages/messages_json.h"

namespace tilescope::worker {

using nlohmann::json;

void to_json(json& j, const OriginQuestion& q) {
  j = {{"cta", q.cta},         {"what", q.what},   {"warp", q.warp},
       {"step", q.step},       {"times", q.times}, {"ptx_line", q.ptx_line},
       {"operand", q.operand}, {"index", q.index}, {"k", q.k},
       {"name", q.name},       {"lane", q.lane},   {"half", q.half},
       {"offset", q.offset},   {"bytes", q.bytes}, {"element", {q.element.row, q.element.col}}};
}

void from_json(const json& j, OriginQuestion& q) {
  q = {};
  q.cta = j.value("cta", q.cta);
  q.what = j.value("what", q.what);
  q.warp = j.value("warp", q.warp);
  q.step = j.value("step", q.step);
  q.times = j.value("times", q.times);
  q.ptx_line = j.value("ptx_line", q.ptx_line);
  q.operand = j.value("operand", q.operand);
  q.index = j.value("index", q.index);
  q.k = j.value("k", q.k);
  q.name = j.value("name", q.name);
  q.lane = j.value("lane", q.lane);
  q.half = j.value("half", q.half);
  q.offset = j.value("offset", q.offset);
  q.bytes = j.value("bytes", q.bytes);
  if (const auto at = j.find("element"); at != j.end()) {
    q.element = {at->at(0).get<int>(), at->at(1).get<int>()};
  }
}

void to_json(json& j, const OriginResult& r) {
  json boxes = json::array(), ways = json::array();
  for (const TouchedBox& b : r.boxes) boxes.push_back({b.matrix, b.row, b.col, b.rows, b.cols});
  for (const OriginResult::Way& way : r.ways) {
    json steps = json::array();
    for (const OriginResult::Step& s : way.steps) {
      steps.push_back({{"ptx_line", s.ptx_line}, {"line", s.line}, {"opcode", s.opcode}});
    }
    ways.push_back({{"of", way.of}, {"steps", std::move(steps)}});
  }
  j = {{"of", r.of},
       {"kind", r.kind},
       {"text", r.text},
       {"wrong", r.wrong.empty() ? json() : json(r.wrong)},
       {"wrong_line", r.wrong_line},
       {"wrong_ptx_line", r.wrong_ptx_line},
       {"followed_k", r.followed_k > 0 ? json(r.followed_k) : json()},
       {"terms", r.terms},
       {"boxes", std::move(boxes)},
       {"ways", std::move(ways)}};
}

void from_json(const json& j, OriginResult& r) {
  r = {};
  j.at("of").get_to(r.of);
  j.at("kind").get_to(r.kind);
  j.at("text").get_to(r.text);
  if (j.at("wrong").is_string()) j.at("wrong").get_to(r.wrong);
  r.wrong_line = j.value("wrong_line", 0);
  r.wrong_ptx_line = j.value("wrong_ptx_line", 0);
  if (const auto k = j.find("followed_k"); k != j.end() && k->is_number()) k->get_to(r.followed_k);
  j.at("terms").get_to(r.terms);
  for (const json& b : j.at("boxes")) {
    r.boxes.push_back({b.at(0).get<int>(), b.at(1).get<int>(), b.at(2).get<int>(),
                       b.at(3).get<int>(), b.at(4).get<int>()});
  }
  for (const json& w : j.at("ways")) {
    OriginResult::Way way;
    w.at("of").get_to(way.of);
    for (const json& s : w.at("steps")) {
      way.steps.push_back({s.at("ptx_line").get<int>(), s.at("line").get<int>(),
                           s.at("opcode").get<std::string>()});
    }
    r.ways.push_back(std::move(way));
  }
}

}  // namespace tilescope::worker
