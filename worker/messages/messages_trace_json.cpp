// The trace's JSON and binary forms: tens of thousands of events, so arrays instead of objects, and
// lane addresses as bytes.
#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "worker/messages/messages_json.h"

using nlohmann::json;

namespace tilescope::worker {
namespace {

static_assert(std::endian::native == std::endian::little,
              "frames are written as they lie in memory");

constexpr const char* kKinds[] = {"copy", "wait", "barrier", "load", "mma", "fma", "store"};

/// A record's fixed part; 32 addresses of 8 bytes follow if `flags` has kHasAddresses, then
/// `touched` boxes of five 32-bit numbers.
struct RawRecord {
  uint8_t bytes = 0;
  int8_t matrix = -1;
  uint8_t flags = 0;
  uint8_t unused = 0;
  int32_t shared_partner = -1;
  int16_t mma_m = -1, mma_n = -1, mma_k = -1;
  uint16_t touched = 0;
  uint64_t step = 0;
  int32_t ptx_line = 0;
  int32_t unused2 = 0;
};
static_assert(sizeof(RawRecord) == 32);
static_assert(sizeof(TouchedBox) == 20);
constexpr uint8_t kShared = 1, kHasAddresses = 2;

json rows_of(const std::vector<TraceEvent>& events) {
  json rows = json::array();
  for (const TraceEvent& e : events) {
    rows.push_back({e.epoch, e.index, e.warp, wire_name(e.kind), e.count, e.line, e.ptx_line,
                    e.k_step, e.stage, e.lanes, e.matrix, e.shared, e.elements, e.first_raw,
                    e.group, e.groups_done, e.loop});
  }
  return rows;
}

void events_from(const json& rows, std::vector<TraceEvent>& events) {
  for (const json& row : rows) {
    TraceEvent e;
    int i = 0;
    const auto next = [&](auto& value) { row.at(static_cast<size_t>(i++)).get_to(value); };
    next(e.epoch), next(e.index), next(e.warp);
    e.kind = event_kind_of(row.at(static_cast<size_t>(i++)).get<std::string>());
    next(e.count), next(e.line), next(e.ptx_line), next(e.k_step), next(e.stage), next(e.lanes);
    next(e.matrix), next(e.shared), next(e.elements), next(e.first_raw);
    next(e.group), next(e.groups_done), next(e.loop);
    events.push_back(e);
  }
}

}  // namespace

const char* wire_name(TraceEvent::Kind kind) { return kKinds[static_cast<int>(kind)]; }
TraceEvent::Kind event_kind_of(const std::string& name) {
  for (int i = 0; i < static_cast<int>(std::size(kKinds)); ++i) {
    if (name == kKinds[i]) return static_cast<TraceEvent::Kind>(i);
  }
  throw std::invalid_argument("\"" + name + "\" is not a kind of trace event.");
}

void to_json(json& j, const TracedLoop& l) {
  j = {{"line", l.line},
       {"ptx_line", l.ptx_line},
       {"iterations", l.iterations},
       {"events", l.events}};
}
void from_json(const json& j, TracedLoop& l) {
  j.at("line").get_to(l.line);
  j.at("ptx_line").get_to(l.ptx_line);
  j.at("iterations").get_to(l.iterations);
  j.at("events").get_to(l.events);
}

void to_json(json& j, const TraceResult& t) {
  j = {{"cta", t.cta},
       {"item", t.item},
       {"tile", {t.tile.row, t.tile.col}},
       {"warps", t.warps},
       {"epochs", t.epochs},
       {"columns",
        {"epoch", "index", "warp", "kind", "count", "line", "ptx_line", "k_step", "stage", "lanes",
         "matrix", "shared", "elements", "first_raw", "group", "groups_done", "loop"}},
       {"events", rows_of(t.events)},
       {"lead", rows_of(t.lead)},
       {"raw_count", t.raw.size()},
       {"recorded_k_steps", t.recorded_k_steps},
       {"k_slices", t.k_slices},
       {"k_begin", t.k_begin},
       {"k_end", t.k_end},
       {"revision", t.revision},
       {"buffers", t.buffers},
       {"loops", t.loops},
       {"main_loop", t.main_loop},
       {"truncated", t.truncated}};
}

void from_json(const json& j, TraceResult& t) {
  t = {};
  j.at("cta").get_to(t.cta);
  j.at("item").get_to(t.item);
  t.tile = {j.at("tile").at(0).get<int>(), j.at("tile").at(1).get<int>()};
  j.at("warps").get_to(t.warps);
  j.at("epochs").get_to(t.epochs);
  events_from(j.at("events"), t.events);
  events_from(j.at("lead"), t.lead);
  j.at("recorded_k_steps").get_to(t.recorded_k_steps);
  j.at("k_slices").get_to(t.k_slices);
  j.at("k_begin").get_to(t.k_begin);
  j.at("k_end").get_to(t.k_end);
  j.at("revision").get_to(t.revision);
  j.at("buffers").get_to(t.buffers);
  j.at("loops").get_to(t.loops);
  j.at("main_loop").get_to(t.main_loop);
  j.at("truncated").get_to(t.truncated);
}

std::vector<std::byte> encode_raw(std::span<const RawAccess> raw) {
  std::vector<std::byte> out;
  const auto append = [&out](const void* from, size_t bytes) {
    const auto* first = static_cast<const std::byte*>(from);
    out.insert(out.end(), first, first + bytes);
  };
  for (const RawAccess& access : raw) {
    RawRecord record;
    record.bytes = access.bytes, record.matrix = access.matrix;
    record.flags = static_cast<uint8_t>((access.shared ? kShared : 0) |
                                        (access.bytes > 0 ? kHasAddresses : 0));
    record.shared_partner = access.shared_partner;
    record.mma_m = access.mma_m, record.mma_n = access.mma_n, record.mma_k = access.mma_k;
    record.step = access.step, record.ptx_line = access.ptx_line;
    record.touched = static_cast<uint16_t>(std::min<size_t>(access.touched.size(), 0xffff));
    append(&record, sizeof record);
    if (access.bytes > 0) append(access.address.data(), sizeof access.address);
    append(access.touched.data(), record.touched * sizeof(TouchedBox));
  }
  return out;
}

std::vector<RawAccess> decode_raw(std::span<const std::byte> bytes) {
  std::vector<RawAccess> raw;
  const auto take = [&bytes](void* to, size_t size) {
    if (bytes.size() < size) {
      throw std::invalid_argument("A trace's binary part ends inside a record.");
    }
    if (size > 0) std::memcpy(to, bytes.data(), size);
    bytes = bytes.subspan(size);
  };
  while (!bytes.empty()) {
    RawRecord record;
    take(&record, sizeof record);
    RawAccess access;
    access.bytes = record.bytes, access.matrix = record.matrix;
    access.shared = (record.flags & kShared) != 0;
    access.shared_partner = record.shared_partner;
    access.mma_m = record.mma_m, access.mma_n = record.mma_n, access.mma_k = record.mma_k;
    access.step = record.step, access.ptx_line = record.ptx_line;
    if ((record.flags & kHasAddresses) != 0) take(access.address.data(), sizeof access.address);
    access.touched.resize(record.touched);
    take(access.touched.data(), record.touched * sizeof(TouchedBox));
    raw.push_back(std::move(access));
  }
  return raw;
}

}  // namespace tilescope::worker
