#include "worker/messages/messages_step.h"

#include <cstring>
#include <stdexcept>

#include "worker/messages/json_fields.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/named_values.h"

using nlohmann::json;

namespace tilescope::emulator {

using worker::NamedValue;

static constexpr NamedValue<StopCondition::Kind> kStopKinds[] = {
    {StopCondition::Kind::instruction, "instruction"},
    {StopCondition::Kind::new_line, "new_line"},
    {StopCondition::Kind::ptx_line, "ptx_line"},
    {StopCondition::Kind::source_line, "source_line"},
    {StopCondition::Kind::event, "event"},
    {StopCondition::Kind::k_step, "k_step"},
    {StopCondition::Kind::moment, "moment"},
    {StopCondition::Kind::cta_end, "cta_end"},
    {StopCondition::Kind::writes_register, "writes_register"},
    {StopCondition::Kind::access, "access"}};
static constexpr NamedValue<EventKind> kStepEvents[] = {{EventKind::copy, "copy"},
                                                        {EventKind::wait, "wait"},
                                                        {EventKind::barrier, "barrier"},
                                                        {EventKind::load_global, "load_global"},
                                                        {EventKind::load_shared, "load_shared"},
                                                        {EventKind::store_shared, "store_shared"},
                                                        {EventKind::store_global, "store_global"},
                                                        {EventKind::fma, "fma"},
                                                        {EventKind::mma, "mma"},
                                                        {EventKind::other, "atomic"}};
static constexpr NamedValue<StepSplit::Status> kStatuses[] = {
    {StepSplit::Status::next, "next"},
    {StepSplit::Status::ready, "ready"},
    {StepSplit::Status::at_barrier, "at_barrier"},
    {StepSplit::Status::waits_for_lanes, "waits_for_lanes"},
    {StepSplit::Status::waits_for_memory, "waits_for_memory"},
    {StepSplit::Status::waits_for_warpgroup, "waits_for_warpgroup"},
    {StepSplit::Status::waits_for_cluster, "waits_for_cluster"}};

static void to_json(json& j, StopCondition::Kind kind) { j = worker::find_name(kStopKinds, kind); }
static void from_json(const json& j, StopCondition::Kind& kind) {
  kind = worker::find_value(kStopKinds, j.get<std::string>(), "a kind of stop");
}
static void to_json(json& j, EventKind kind) { j = worker::find_name(kStepEvents, kind); }
static void from_json(const json& j, EventKind& kind) {
  kind = worker::find_value(kStepEvents, j.get<std::string>(), "a kind of event");
}
static void to_json(json& j, StepSplit::Status s) { j = worker::find_name(kStatuses, s); }
static void from_json(const json& j, StepSplit::Status& s) {
  s = worker::find_value(kStatuses, j.get<std::string>(), "a state of a warp");
}
// Faults are told by number: nobody writes them by hand.
static void to_json(json& j, Fault::Kind kind) { j = static_cast<int>(kind); }
static void from_json(const json& j, Fault::Kind& kind) {
  kind = static_cast<Fault::Kind>(worker::whole_number<uint8_t>(j, "kind"));
}

TILESCOPE_JSON_HERE(Dim3, NEED(x, y) MAY(z))
TILESCOPE_JSON_HERE(SourceLine, NEED(file, line))
TILESCOPE_JSON_HERE(Fault, NEED(kind, cta, warp, lane, address, ptx_line, source, message))
TILESCOPE_JSON_HERE(StopCondition,
                    MAY(kind) SPARSE(cta, warp, line, file, event, iteration, step, name, lane,
                                     shared, address, bytes, reads, writes))
TILESCOPE_JSON(StepParts, SPARSE(cta, warps, all_warps, live_only, shared, writers, local, output,
                                 global, written_pages, accesses))
TILESCOPE_JSON_HERE(StepPlace, NEED(tick, cta, warp, step, active, ptx_line, source, opcode, epoch,
                                    loop, iteration, ended) SPARSE(fault))
TILESCOPE_JSON_HERE(StepSplit, NEED(status, lanes, ptx_line, source, barrier))
TILESCOPE_JSON_HERE(StepPoll, NEED(lane, bytes, ptx_line, address, value))
TILESCOPE_JSON_HERE(StepCopies, NEED(committed, copies, bytes, ptx_line, source, step))
TILESCOPE_JSON_HERE(StepWarp, NEED(alive, splits, polls, steps, epoch, loop, iteration,
                                   pending_groups, copies, ran_ptx_line, ran_lanes, ran_step))
TILESCOPE_JSON_HERE(StepBarrier, NEED(id, expected, arrived))
TILESCOPE_JSON_HERE(StepRegister, NEED(name, function, bits, first, changed, is_live))
TILESCOPE_JSON_HERE(StepAccess, NEED(shared, reads, writes, lanes, bytes, addresses))
TILESCOPE_JSON_HERE(StepState::Resident, NEED(cta, waits))
TILESCOPE_JSON_HERE(StepWriters::Line, NEED(ptx_line, source))

// What the binary frame has of it is told by its size alone.
void to_json(json& j, const StepState& s);
void to_json(json& j, const StepState& s) {
  j = {{"place", s.place},           {"residents", s.residents},
       {"ctas_ended", s.ctas_ended}, {"cta", s.cta},
       {"warps", s.warps},           {"barriers", s.barriers},
       {"output", s.output},         {"shared", s.shared.size()},
       {"local", s.local.size()},    {"registers", json::array()},
       {"global", json::array()},    {"accesses", s.accesses}};
  j["writers"] = {{"grain", s.writers.grain},
                  {"entries", s.writers.entries.size()},
                  {"lines", s.writers.lines}};
  for (const StepRegisters& r : s.registers) {
    j["registers"].push_back(
        {{"warp", r.warp}, {"registers", r.registers}, {"words", r.words.size()}});
  }
  for (const StepBytes& b : s.global) {
    j["global"].push_back({{"address", b.address}, {"bytes", b.bytes.size()}});
  }
}

}  // namespace tilescope::emulator

namespace tilescope::worker {

using emulator::StepBytes;
using emulator::StepRegisters;
using emulator::StepState;

TILESCOPE_JSON_HERE(StepStop, NEED(condition) SPARSE(buffer, element, here))
TILESCOPE_JSON(StepMotion, MAY(stops) SPARSE(back, times))
TILESCOPE_JSON_HERE(StepBuffer, NEED(name, address, bytes))

TILESCOPE_JSON_HERE(StepFinding, NEED(finding, seen_warp, seen_step))
TILESCOPE_JSON_HERE(StepChecks, NEED(found, later, cut_short))

void to_json(json& j, const StepAnswer& a) {
  j = {{"state", a.state},
       {"found", a.found},
       {"moves", a.moves},
       {"buffers", a.buffers},
       {"checkpoints", a.checkpoints},
       {"checkpoint_bytes", a.checkpoint_bytes},
       {"kept", a.kept}};
  if (a.checks) j["checks"] = *a.checks;
}

json send_step(const StepAnswer& answer, const SendPart& send) {
  if (send) {
    const auto put = [&](const auto& values) {
      if (!values.empty()) send(kStepBytes, std::as_bytes(std::span(values)));
    };
    for (const StepRegisters& r : answer.state.registers) put(r.words);
    put(answer.state.shared);
    put(answer.state.writers.entries);
    put(answer.state.local);
    for (const StepBytes& b : answer.state.global) put(b.bytes);
  }
  return answer;
}

StepAnswer StepFrames::whole(const json& told) const {
  StepAnswer a;
  const json& from = told.at("state");
  StepState& s = a.state;
  size_t at = 0;
  const auto take = [&](auto& values, const json& count) {
    using Value = typename std::remove_cvref_t<decltype(values)>::value_type;
    const auto n = worker::whole_number<size_t>(count, "a count");
    if (n > (bytes.size() - at) / sizeof(Value)) {
      throw std::invalid_argument("A step's binary part ends before what its answer names.");
    }
    values.resize(n);
    if (n > 0) std::memcpy(values.data(), bytes.data() + at, n * sizeof(Value));
    at += n * sizeof(Value);
  };
  worker::take_field(from.at("place"), "place", s.place);
  worker::take_field(from.at("residents"), "residents", s.residents);
  worker::take_field(from.at("ctas_ended"), "ctas_ended", s.ctas_ended);
  worker::take_field(from.at("cta"), "cta", s.cta);
  worker::take_field(from.at("warps"), "warps", s.warps);
  worker::take_field(from.at("barriers"), "barriers", s.barriers);
  worker::take_field(from.at("output"), "output", s.output);
  worker::take_field(from.at("accesses"), "accesses", s.accesses);
  for (const json& r : from.at("registers")) {
    StepRegisters& to = s.registers.emplace_back();
    worker::take_field(r.at("warp"), "warp", to.warp);
    worker::take_field(r.at("registers"), "registers", to.registers);
    take(to.words, r.at("words"));
  }
  take(s.shared, from.at("shared"));
  const json& writers = from.at("writers");
  worker::take_field(writers.at("grain"), "grain", s.writers.grain);
  worker::take_field(writers.at("lines"), "lines", s.writers.lines);
  take(s.writers.entries, writers.at("entries"));
  take(s.local, from.at("local"));
  for (const json& b : from.at("global")) {
    StepBytes& to = s.global.emplace_back();
    worker::take_field(b.at("address"), "address", to.address);
    take(to.bytes, b.at("bytes"));
  }
  worker::take_field(told.at("found"), "found", a.found);
  worker::take_field(told.at("moves"), "moves", a.moves);
  worker::take_field(told.at("buffers"), "buffers", a.buffers);
  worker::take_field(told.at("checkpoints"), "checkpoints", a.checkpoints);
  worker::take_field(told.at("checkpoint_bytes"), "checkpoint_bytes", a.checkpoint_bytes);
  worker::take_field(told.at("kept"), "kept", a.kept);
  if (const auto checks = told.find("checks"); checks != told.end()) {
    a.checks = checks->get<StepChecks>();
  }
  return a;
}

}  // namespace tilescope::worker
