#include "worker/messages/provenance_json.h"

#include <nlohmann/json.hpp>

namespace tilescope::worker {
using Json = nlohmann::ordered_json;
namespace {

class ProvenanceWriter {
 public:
  explicit ProvenanceWriter(std::span<const int> argument_of) : argument_of_(argument_of) {}

  Json stored(const emulator::Stored& s) const {
    Json j = place(s.first);
    j["bytes"] = s.bytes;
    if (s.count > 1) {
      j["count"] = s.count;
      j["step"] = s.step;
      j["moves"] = s.moves;
    }
    j["ptx_line"] = s.ptx_line;
    j["value"] = value(s.value);
    return j;
  }

 private:
  // Buffers are allocated argument by argument; the module's own variables have no argument.
  Json place(emulator::Origin o) const {
    if (o.buffer >= emulator::Origin::kModuleBuffers) {
      return {{"variable", o.buffer - emulator::Origin::kModuleBuffers}, {"offset", o.offset}};
    }
    const auto index = static_cast<size_t>(o.buffer);
    Json j = {{"arg", index < argument_of_.size() ? argument_of_[index] : -1},
              {"offset", o.offset}};
    if (o.part) j["part"] = true;
    return j;
  }

  Json factor(emulator::Origin o, int64_t step, const std::vector<int>& way) const {
    Json j = place(o);
    if (step) j["step"] = step;
    j["way"] = way;
    return j;
  }

  Json value(const emulator::Value& v) const {
    using Kind = emulator::Value::Kind;
    Json j = Json::object();
    switch (v.kind) {
      case Kind::none:
        j["kind"] = "none";
        break;
      case Kind::unknown:
        j["kind"] = "unknown";
        break;
      case Kind::element:
        j = place(v.origin);
        j["kind"] = "element";
        break;
      case Kind::sum: {
        j["kind"] = "sum";
        j["ptx_line"] = v.ptx_line;
        Json products = Json::array();
        for (const emulator::Products& p : v.products) {
          Json one = {{"count", p.count}, {"a", factor(p.a, p.a_step, p.a_way)}};
          if (p.b) one["b"] = factor(p.b, p.b_step, p.b_way);
          products.push_back(std::move(one));
        }
        j["products"] = std::move(products);
        break;
      }
      case Kind::expression:
        j["kind"] = "expression";
        j["opcode"] = v.opcode;
        j["ptx_line"] = v.ptx_line;
        break;
    }
    if (!v.parts.empty()) {
      Json parts = Json::array();
      for (const emulator::Value& part : v.parts) parts.push_back(value(part));
      j["parts"] = std::move(parts);
    }
    if (!v.way.empty()) j["way"] = v.way;
    return j;
  }

  std::span<const int> argument_of_;
};

}  // namespace

Json provenance_json(const emulator::Provenance& provenance, std::span<const int> argument_of) {
  const ProvenanceWriter writer(argument_of);
  Json ctas = Json::array(), stores = Json::array();
  for (const emulator::Dim3& c : provenance.ctas()) ctas.push_back({c.x, c.y, c.z});
  for (const emulator::Stored& s : provenance.stored()) stores.push_back(writer.stored(s));
  return {{"ctas", std::move(ctas)}, {"stores", std::move(stores)}};
}

}  // namespace tilescope::worker
