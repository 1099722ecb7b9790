#include "worker/messages/messages_trace.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

#include "worker/messages/json_fields.h"
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

struct EventRecord {
  uint32_t epoch = 0, index = 0, count = 1;
  int32_t line = 0, ptx_line = 0, k_step = -1, stage = -1;
  uint32_t lanes = 0, elements = 0;
  int32_t first_raw = -1, group = -1, groups_done = 0, loop = -1;
  uint16_t warp = 0;
  uint8_t kind = 0;
  int8_t matrix = -1;
  uint8_t shared = 0;
  uint8_t unused[3] = {};
};
static_assert(sizeof(EventRecord) == 60);

// The parts' types.
constexpr const char* kEvents = "trace.events";
constexpr const char* kLead = "trace.lead";
constexpr const char* kRaw = "trace.raw";

}  // namespace

const char* wire_name(TraceEvent::Kind kind) { return kKinds[static_cast<int>(kind)]; }

TILESCOPE_JSON(TracedLoop, NEED(line, ptx_line, iterations, events))
TILESCOPE_JSON(TraceResult, NEED(cta, item, tile, warps, epochs, recorded_k_steps, k_slices,
                                 k_begin, k_end, revision, buffers, loops, main_loop, truncated))

namespace {

void append(std::vector<std::byte>& out, const void* from, size_t bytes) {
  const auto* first = static_cast<const std::byte*>(from);
  out.insert(out.end(), first, first + bytes);
}

void take(std::span<const std::byte>& bytes, void* to, size_t size) {
  if (bytes.size() < size) {
    throw std::invalid_argument("A trace's binary part ends inside a record.");
  }
  if (size > 0) std::memcpy(to, bytes.data(), size);
  bytes = bytes.subspan(size);
}

std::vector<std::byte> encode_events(std::span<const TraceEvent> events) {
  std::vector<std::byte> out;
  out.reserve(events.size() * sizeof(EventRecord));
  for (const TraceEvent& e : events) {
    EventRecord r;
    r.epoch = e.epoch, r.index = e.index, r.count = e.count;
    r.line = e.line, r.ptx_line = e.ptx_line, r.k_step = e.k_step, r.stage = e.stage;
    r.lanes = e.lanes, r.elements = e.elements;
    r.first_raw = e.first_raw, r.group = e.group, r.groups_done = e.groups_done, r.loop = e.loop;
    r.warp = e.warp, r.kind = static_cast<uint8_t>(e.kind);
    r.matrix = e.matrix, r.shared = e.shared ? 1 : 0;
    append(out, &r, sizeof r);
  }
  return out;
}

std::vector<TraceEvent> decode_events(std::span<const std::byte> bytes) {
  std::vector<TraceEvent> events;
  events.reserve(bytes.size() / sizeof(EventRecord));
  while (!bytes.empty()) {
    EventRecord r;
    take(bytes, &r, sizeof r);
    if (r.kind >= std::size(kKinds)) {
      throw std::invalid_argument(std::to_string(r.kind) + " is not a kind of trace event.");
    }
    TraceEvent e;
    e.epoch = r.epoch, e.index = r.index, e.count = r.count;
    e.line = r.line, e.ptx_line = r.ptx_line, e.k_step = r.k_step, e.stage = r.stage;
    e.lanes = r.lanes, e.elements = r.elements;
    e.first_raw = r.first_raw, e.group = r.group, e.groups_done = r.groups_done, e.loop = r.loop;
    e.warp = r.warp, e.kind = static_cast<TraceEvent::Kind>(r.kind);
    e.matrix = r.matrix, e.shared = r.shared != 0;
    events.push_back(e);
  }
  return events;
}

std::vector<std::byte> encode_raw(std::span<const RawAccess> raw) {
  std::vector<std::byte> out;
  for (const RawAccess& access : raw) {
    RawRecord record;
    record.bytes = access.bytes, record.matrix = access.matrix;
    record.flags = static_cast<uint8_t>((access.shared ? kShared : 0) |
                                        (access.bytes > 0 ? kHasAddresses : 0));
    record.shared_partner = access.shared_partner;
    record.mma_m = access.mma_m, record.mma_n = access.mma_n, record.mma_k = access.mma_k;
    record.step = access.step, record.ptx_line = access.ptx_line;
    record.touched = static_cast<uint16_t>(std::min<size_t>(access.touched.size(), 0xffff));
    append(out, &record, sizeof record);
    if (access.bytes > 0) append(out, access.address.data(), sizeof access.address);
    append(out, access.touched.data(), record.touched * sizeof(TouchedBox));
  }
  return out;
}

std::vector<RawAccess> decode_raw(std::span<const std::byte> bytes) {
  std::vector<RawAccess> raw;
  while (!bytes.empty()) {
    RawRecord record;
    take(bytes, &record, sizeof record);
    RawAccess access;
    access.bytes = record.bytes, access.matrix = record.matrix;
    access.shared = (record.flags & kShared) != 0;
    access.shared_partner = record.shared_partner;
    access.mma_m = record.mma_m, access.mma_n = record.mma_n, access.mma_k = record.mma_k;
    access.step = record.step, access.ptx_line = record.ptx_line;
    if ((record.flags & kHasAddresses) != 0)
      take(bytes, access.address.data(), sizeof access.address);
    access.touched.resize(record.touched);
    take(bytes, access.touched.data(), record.touched * sizeof(TouchedBox));
    raw.push_back(std::move(access));
  }
  return raw;
}

}  // namespace

json send_trace(const TraceResult& trace, const SendPart& send) {
  // A part of no bytes is not sent.
  const auto part = [&send](const char* type, const std::vector<std::byte>& bytes) {
    if (!bytes.empty()) send(type, bytes);
  };
  part(kEvents, encode_events(trace.events));
  part(kLead, encode_events(trace.lead));
  part(kRaw, encode_raw(trace.raw));
  json answer = trace;
  // What the numbers in a record's `kind` mean, for readers in other languages.
  answer["kinds"] = kKinds;
  answer["event_count"] = trace.events.size();
  answer["lead_count"] = trace.lead.size();
  answer["raw_count"] = trace.raw.size();
  return answer;
}

void TraceParts::add(std::string_view type, std::span<const std::byte> bytes) {
  std::vector<std::byte>* part = type == kEvents ? &events_
                                 : type == kLead ? &lead_
                                 : type == kRaw  ? &raw_
                                                 : nullptr;
  if (part) part->insert(part->end(), bytes.begin(), bytes.end());
}

TraceResult TraceParts::whole(const json& answer) const {
  auto trace = answer.get<TraceResult>();
  trace.events = decode_events(events_);
  trace.lead = decode_events(lead_);
  trace.raw = decode_raw(raw_);
  const auto check = [&](const char* name, size_t count) {
    if (answer.at(name) == count) return;
    throw std::invalid_argument("A trace came with " + std::to_string(count) + " records where " +
                                answer.at(name).dump() + " were announced (" + name + ").");
  };
  check("event_count", trace.events.size());
  check("lead_count", trace.lead.size());
  check("raw_count", trace.raw.size());
  return trace;
}

}  // namespace tilescope::worker
