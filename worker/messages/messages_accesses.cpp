#include "worker/messages/messages_accesses.h"

#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "worker/messages/json_fields.h"
#include "worker/messages/messages_json.h"

using nlohmann::json;

namespace tilescope::worker {

static_assert(sizeof(AccessRecord) == 40 && std::is_trivially_copyable_v<AccessRecord>);
static_assert(sizeof(AccessPattern) == 264 && std::is_trivially_copyable_v<AccessPattern>);

TILESCOPE_JSON_HERE(AccessBuffer, NEED(name, address, bytes, element_bytes, rows, cols, line)
                                      SPARSE(type, first, by_columns, shaped, matrix))
TILESCOPE_JSON_HERE(AccessInstruction, NEED(ptx_line, line, opcode))
TILESCOPE_JSON_HERE(AccessAnswer, NEED(cta, grid, warps, shared_bytes, moments, buffers,
                                       instructions) SPARSE(whole_grid, stopped))

json send_accesses(const AccessAnswer& answer, const SendPart& send) {
  if (send) {
    const auto put = [&](const char* type, const auto& values) {
      if (!values.empty()) send(type, std::as_bytes(std::span(values)));
    };
    put(kAccessPatterns, answer.patterns);
    put(kAccessRecords, answer.records);
  }
  return answer;
}

void AccessFrames::add(std::string_view type, std::span<const std::byte> more) {
  std::string& to = type == kAccessPatterns ? patterns : records;
  to.append(reinterpret_cast<const char*>(more.data()), more.size());
}

AccessAnswer AccessFrames::whole(const json& told) const {
  AccessAnswer a = told.get<AccessAnswer>();
  const auto take = [](const std::string& from, auto& to) {
    using Value = typename std::remove_cvref_t<decltype(to)>::value_type;
    if (from.size() % sizeof(Value) != 0) {
      throw std::invalid_argument("A list of accesses ends inside of one of them.");
    }
    to.resize(from.size() / sizeof(Value));
    if (!to.empty()) std::memcpy(to.data(), from.data(), from.size());
  };
  take(patterns, a.patterns);
  take(records, a.records);
  for (const AccessRecord& r : a.records) {
    if (r.pattern >= a.patterns.size() || r.instruction >= a.instructions.size()) {
      throw std::invalid_argument("An access names a pattern or an instruction that is not there.");
    }
  }
  for (const AccessBuffer& b : a.buffers) {
    if (b.element_bytes == 0 || b.line == 0) {
      throw std::invalid_argument(
          "A buffer has elements without bytes, or lines without elements.");
    }
  }
  return a;
}

}  // namespace tilescope::worker
