// The JSON forms of calls' requests and answers.
#include "worker/messages/calls.h"

#include <stdexcept>
#include <utility>

#include "worker/messages/calls_json.h"
#include "worker/messages/json_fields.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/messages_open.h"
#include "worker/messages/messages_origin.h"
#include "worker/messages/named_values.h"

using nlohmann::json;

namespace tilescope::worker {

namespace {

constexpr NamedValue<EmulationScope> kScopes[] = {{EmulationScope::automatic, "automatic"},
                                                  {EmulationScope::whole, "whole"},
                                                  {EmulationScope::classes, "classes"}};
constexpr NamedValue<OperandData> kData[] = {{OperandData::random, "random"},
                                             {OperandData::exact, "exact"}};

}  // namespace

static void to_json(json& j, EmulationScope scope) { j = find_name(kScopes, scope); }
static void from_json(const json& j, EmulationScope& scope) {
  scope = find_value(kScopes, j.get<std::string>(), "a scope");
}
static void to_json(json& j, OperandData data) { j = find_name(kData, data); }
static void from_json(const json& j, OperandData& data) {
  data = find_value(kData, j.get<std::string>(), "a kind of data");
}

json write_progress(const Progress& p) {
  json told = p.measured ? json(*p.measured) : json::object();
  if (!p.stage.empty()) told["stage"] = p.stage;
  if (p.done) told["done"] = *p.done;
  if (p.all) told["all"] = *p.all;
  return told;
}

Progress read_progress(const json& told) {
  Progress p;
  if (!told.is_object()) return p;
  try {
    p.stage = told.value("stage", std::string());
    for (const auto& [name, number] : {std::pair("done", &p.done), std::pair("all", &p.all)}) {
      if (const auto found = told.find(name); found != told.end() && found->is_number()) {
        *number = whole_number<uint64_t>(*found, name);
      }
    }
    if (told.contains("samples")) p.measured = told.get<MeasureResult>();
  } catch (const std::exception& error) {  // as in read_answer()
    throw AnswerError(error.what());
  }
  return p;
}

void put_turn(json& params, const Turn& turn) {
  if (!turn.slot.empty()) params["slot"] = turn.slot;
  if (turn.prefetch) params["priority"] = "prefetch";
}

void RunParts::add(std::string_view type, std::span<const std::byte> bytes) {
  std::string& to = type == kRunOutput ? output : document;
  to.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

namespace calls {

TILESCOPE_JSON_HERE(Kernel, PART(request) SPARSE(arch, limits))
TILESCOPE_JSON_HERE(Code, SPARSE(ptx, cubin, compiled))
TILESCOPE_JSON_HERE(Bounds, SPARSE(max_memory, max_lane_instructions, threads))
TILESCOPE_JSON_HERE(Nothing, )

TILESCOPE_JSON_HERE(Compile::Request, PART(of) SPARSE(with_cubin, ptx_is_enough))
TILESCOPE_JSON_HERE(Compile::Answer, PART(result) MAY(compiler, log) SPARSE(cubin))
TILESCOPE_JSON_HERE(Standalone::Request, PART(of))
TILESCOPE_JSON_HERE(Standalone::Answer, NEED(source))
TILESCOPE_JSON_HERE(Tools::Tool, NEED(what, file, version, why_not))
TILESCOPE_JSON_HERE(Tools::Answer, NEED(tools))

TILESCOPE_JSON_HERE(Emulate::Request,
                    PART(of, code, bounds) SPARSE(scope, verify, check, data, seed))
TILESCOPE_JSON_HERE(Emulate::Answer, PART(result) MAY(seed))
TILESCOPE_JSON_HERE(Verify::Request, PART(of) MAY(time_limit))
TILESCOPE_JSON_HERE(Check::Request, PART(of, code, bounds) SPARSE(whole_k, seed))
TILESCOPE_JSON_HERE(VerifyPart::Request, PART(of, code, bounds) NEED(groups) SPARSE(explain, seed))
TILESCOPE_JSON_HERE(VerifyPart::Answer, PART(part) MAY(seed))
TILESCOPE_JSON_HERE(Run::Request, PART(run) SPARSE(max_memory))
TILESCOPE_JSON_HERE(Stores::Request, NEED(launch, argument, cta)
                                         SPARSE(most_ctas, grid_lane_instructions) PART(bounds))
TILESCOPE_JSON_HERE(Provenance::Request, PART(of, code, bounds) SPARSE(cta))
TILESCOPE_JSON_HERE(Layer::Request,
                    PART(layer) SPARSE(arch, limits, max_memory, threads, devices, rank, id))
TILESCOPE_JSON_HERE(LayerId::Answer, NEED(id))

TILESCOPE_JSON_HERE(Measure::Answer, PART(result) MAY(arch, revision, remarks)
                                         SPARSE(not_kept, gemm, expected, printed))
TILESCOPE_JSON_HERE(Counters::Request, PART(of) MAY(time_limit) SPARSE(seconds))

TILESCOPE_JSON_HERE(Recorded::Request, PART(request) MAY(name) SPARSE(whole_name, store))
TILESCOPE_JSON_HERE(Results::Request, NEED(problem, name) SPARSE(store) MAY(sms) SPARSE(recordings))
TILESCOPE_JSON_HERE(Results::Answer, NEED(results) SPARSE(remark))
TILESCOPE_JSON_HERE(Recordings::Request, MAY(store))
TILESCOPE_JSON_HERE(Recordings::Answer, NEED(recordings) SPARSE(remark))
TILESCOPE_JSON_HERE(KeepLayer::Request, PART(layer) NEED(store))
TILESCOPE_JSON_HERE(KeepLayer::Answer, MAY(remark))
TILESCOPE_JSON_HERE(KeptLayers::Request, NEED(store, card))
TILESCOPE_JSON_HERE(KeptLayers::Answer, NEED(layers))
TILESCOPE_JSON_HERE(CheckStore::Request, NEED(store) MAY(repair))
TILESCOPE_JSON_HERE(CheckStore::Answer, NEED(file, there) MAY(damage, remark))
TILESCOPE_JSON_HERE(Proofs::Answer, MAY(proofs))

TILESCOPE_JSON_HERE(SecondOpinion::Request, PART(request) NEED(gpu) SPARSE(count))
TILESCOPE_JSON_HERE(Library::Answer, NEED(file, version, why_not))

TILESCOPE_JSON_HERE(Devices::Request, SPARSE(of))
TILESCOPE_JSON_HERE(Devices::Answer, NEED(devices))
TILESCOPE_JSON_HERE(Restart::Request, SPARSE(kind))
TILESCOPE_JSON_HERE(Restart::Answer, NEED(restarted))

// What is more than its members.

static void to_json(json& j, const Disassemble::Request& r) {
  if (r.of) to_json(j, *r.of);
  const Disassemble::Request usual;
  FieldWriter fields(j);
  fields.sparse("own", r.own, usual.own);
  fields.sparse("entry", r.entry, usual.entry);
}
static void from_json(const json& j, Disassemble::Request& r) {
  const Disassemble::Request usual;
  FieldReader fields(j);
  fields.may("own", r.own, usual.own);
  if (!r.own) r.of = j.get<Kernel>();
  fields.may("entry", r.entry, usual.entry);
}

static void to_json(json& j, const Measure::Request& r) {
  if (r.of) to_json(j, *r.of);
  const Measure::Request usual;
  FieldWriter fields(j);
  fields.sparse("launch", r.launch, usual.launch);
  fields.sparse("other", r.other, usual.other);
  fields.sparse("other_args", r.other_args, usual.other_args);
  fields.part(r.code);
  fields.need("time_limit", r.time_limit);
  fields.sparse("seconds", r.seconds, usual.seconds);
  fields.sparse("rest", r.rest, usual.rest);
  fields.sparse("library", r.library, usual.library);
  fields.sparse("store", r.store, usual.store);
}
static void from_json(const json& j, Measure::Request& r) {
  const Measure::Request usual;
  FieldReader fields(j);
  fields.may("launch", r.launch, usual.launch);
  if (!r.launch) r.of = j.get<Kernel>();
  fields.may("other", r.other, usual.other);
  fields.may("other_args", r.other_args, usual.other_args);
  fields.part(r.code);
  fields.may("time_limit", r.time_limit, usual.time_limit);
  fields.may("seconds", r.seconds, usual.seconds);
  fields.may("rest", r.rest, usual.rest);
  fields.may("library", r.library, usual.library);
  fields.may("store", r.store, usual.store);
}

static void to_json(json& j, const Trace::Request& r) {
  if (r.of) to_json(j, *r.of);
  const Trace::Request usual;
  FieldWriter fields(j);
  fields.sparse("launch", r.launch, usual.launch);
  fields.part(r.code), fields.part(r.bounds);
  fields.need("cta", r.cta);
  fields.sparse("item", r.item, usual.item);
  fields.sparse("k_step", r.k_step, usual.k_step);
  fields.sparse("lanes", r.lanes, usual.lanes);
}
static void from_json(const json& j, Trace::Request& r) {
  const Trace::Request usual;
  FieldReader fields(j);
  fields.may("launch", r.launch, usual.launch);
  if (!r.launch) r.of = j.get<Kernel>();
  fields.part(r.code), fields.part(r.bounds);
  fields.may("cta", r.cta, usual.cta);
  fields.may("item", r.item, usual.item);
  fields.may("k_step", r.k_step, usual.k_step);
  fields.may("lanes", r.lanes, usual.lanes);
}

static void to_json(json& j, const Step::Request& r) {
  if (r.of) to_json(j, *r.of);
  const Step::Request usual;
  FieldWriter fields(j);
  fields.sparse("launch", r.launch, usual.launch);
  fields.sparse("kept", r.kept, usual.kept);
  fields.part(r.code), fields.part(r.bounds);
  fields.sparse("seed", r.seed, usual.seed);
  fields.sparse("cta", r.cta, usual.cta);
  fields.sparse("from", r.from, usual.from);
  fields.need("motions", r.motions);
  fields.need("parts", r.parts);
  fields.sparse("checks", r.checks, usual.checks);
  fields.sparse("source_file", r.source_file, usual.source_file);
}
static void from_json(const json& j, Step::Request& r) {
  const Step::Request usual;
  FieldReader fields(j);
  fields.may("launch", r.launch, usual.launch);
  fields.may("kept", r.kept, usual.kept);
  if (!r.launch && r.kept.empty()) r.of = j.get<Kernel>();
  fields.part(r.code), fields.part(r.bounds);
  fields.may("seed", r.seed, usual.seed);
  fields.may("cta", r.cta, usual.cta);
  fields.may("from", r.from, usual.from);
  fields.may("motions", r.motions, usual.motions);
  fields.may("parts", r.parts, usual.parts);
  fields.may("checks", r.checks, usual.checks);
  fields.may("source_file", r.source_file, usual.source_file);
}

static void to_json(json& j, const Origin::Request& r) {
  if (r.of) to_json(j, *r.of);
  FieldWriter fields(j);
  fields.sparse("launch", r.launch, Origin::Request().launch);
  fields.part(r.code), fields.part(r.bounds), fields.part(r.question);
}
static void from_json(const json& j, Origin::Request& r) {
  FieldReader fields(j);
  fields.may("launch", r.launch, Origin::Request().launch);
  if (!r.launch) r.of = j.get<Kernel>();
  fields.part(r.code), fields.part(r.bounds), fields.part(r.question);
}
static void to_json(json& j, const Accesses::Request& r) {
  if (r.of) to_json(j, *r.of);
  const Accesses::Request usual;
  FieldWriter fields(j);
  fields.sparse("launch", r.launch, usual.launch);
  fields.part(r.code), fields.part(r.bounds);
  fields.need("cta", r.cta);
  fields.sparse("whole_grid", r.whole_grid, usual.whole_grid);
}
static void from_json(const json& j, Accesses::Request& r) {
  const Accesses::Request usual;
  FieldReader fields(j);
  fields.may("launch", r.launch, usual.launch);
  if (!r.launch) r.of = j.get<Kernel>();
  fields.part(r.code), fields.part(r.bounds);
  fields.may("cta", r.cta, usual.cta);
  fields.may("whole_grid", r.whole_grid, usual.whole_grid);
}

static void to_json(json& j, const Provenance::Answer& a) { j = {{"provenance", *a.provenance}}; }
static void from_json(const json& j, Provenance::Answer& a) {
  a.provenance = std::make_shared<const json>(j.at("provenance"));
}

static void to_json(json& j, const ProbeFragment::Request& r) {
  j = json::object();
  if (r.atom) {
    j["atom"] = *r.atom;
  } else {
    j["atoms"] = r.all ? json("all") : json(r.atoms);
  }
}
static void from_json(const json& j, ProbeFragment::Request& r) {
  r = {};
  if (const auto atom = j.find("atom"); atom != j.end()) {
    r.atom = atom->get<std::string>();
  } else if (const json& atoms = j.at("atoms"); atoms.is_array()) {
    r.atoms = atoms.get<std::vector<std::string>>();
  } else {
    r.all = true;
  }
}
static void to_json(json& j, const ProbeFragment::Answer& a) {
  j = a.alone ? json(a.proofs.at(0)) : json{{"proofs", a.proofs}};
}
static void from_json(const json& j, ProbeFragment::Answer& a) {
  a = {};
  a.alone = !j.contains("proofs");
  if (a.alone) {
    a.proofs.push_back(j.get<Proof>());
  } else {
    a.proofs = j.at("proofs").get<std::vector<Proof>>();
  }
}

static void to_json(json& j, const Recorded::Answer& a) {
  j = {{"found", a.result.has_value()}};
  if (!a.remark.empty()) j["remark"] = a.remark;
  if (!a.result) return;
  j["result"] = *a.result;
  j["arch"] = a.arch, j["revision"] = a.revision;
  if (a.counters) j["counters"] = *a.counters;
}
static void from_json(const json& j, Recorded::Answer& a) {
  a = {};
  a.remark = j.value("remark", "");
  if (!j.value("found", false)) return;
  a.result = j.at("result").get<MeasureResult>();
  a.arch = j.value("arch", ""), a.revision = j.value("revision", "");
  if (j.contains("counters")) a.counters = j.at("counters").get<CountersResult>();
}

static void to_json(json& j, const Status::Answer& a) {
  j = {{"pid", a.pid}, {"calls", a.calls}, {"pools", *a.pools}, {"landlock", a.landlock}};
}
static void from_json(const json& j, Status::Answer& a) {
  a.pid = whole_number<int>(j.at("pid"), "pid"),
  a.calls = whole_number<uint64_t>(j.at("calls"), "calls");
  a.pools = std::make_shared<const json>(j.at("pools"));
  a.landlock = j.contains("landlock") ? whole_number<int>(j["landlock"], "landlock") : 0;
}

}  // namespace calls

namespace {

template <class Answer>
json sent(const Answer& answer, const SendPart&) {
  return answer;
}
json sent(const TraceResult& trace, const SendPart& send) {
  return send ? send_trace(trace, send) : json(trace);
}
json sent(const StepAnswer& step, const SendPart& send) { return send_step(step, send); }
json sent(const AccessAnswer& a, const SendPart& send) { return send_accesses(a, send); }
json sent(const calls::Run::Answer& ran, const SendPart& send) {
  if (send) {
    send(kRunDocument, std::as_bytes(std::span(ran.document)));
    if (!ran.output.empty()) send(kRunOutput, std::as_bytes(std::span(ran.output)));
  }
  return ran.answer;
}

template <class Answer>
Answer received(const json& answer, const NoParts&) {
  return answer.get<Answer>();
}
template <class Answer>
TraceResult received(const json& answer, const TraceParts& parts) {
  return parts.whole(answer);
}
template <class Answer>
StepAnswer received(const json& answer, const StepFrames& frames) {
  return frames.whole(answer);
}
template <class Answer>
AccessAnswer received(const json& answer, const AccessFrames& frames) {
  return frames.whole(answer);
}
template <class Answer>
calls::Run::Answer received(const json& answer, const RunParts& parts) {
  return {answer.get<RunAnswer>(), parts.document, parts.output};
}

}  // namespace

template <class C>
json write_request(const typename C::Request& request) {
  return request;
}
template <class C>
typename C::Request read_request(const json& params) {
  return params.get<typename C::Request>();
}
template <class C>
json write_answer(const typename C::Answer& answer, const SendPart& send) {
  return sent(answer, send);
}
template <class C>
typename C::Answer read_answer(const json& answer, const typename PartsOf<C>::type& parts) {
  try {
    return received<typename C::Answer>(answer, parts);
  } catch (const std::exception& error) {  // nlohmann's, or of what is none of the known words
    throw AnswerError(error.what());
  }
}

#define CODEC(C)                                                                  \
  template json write_request<calls::C>(const calls::C::Request&);                \
  template calls::C::Request read_request<calls::C>(const json&);                 \
  template json write_answer<calls::C>(const calls::C::Answer&, const SendPart&); \
  template calls::C::Answer read_answer<calls::C>(const json&, const PartsOf<calls::C>::type&);
TILESCOPE_CALLS(CODEC)
#undef CODEC

}  // namespace tilescope::worker
