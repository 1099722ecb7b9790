// The JSON forms of messages.h and of the core types in it. Field names are the C++ names.
//
// Reading checks what it reads: an unknown enumerator, tile field or kind throws
// std::invalid_argument with a sentence; a missing or mistyped field throws nlohmann's exception.
// NaN and infinity, which JSON lacks, travel as null.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "worker/messages/messages.h"

namespace tilescope {

const char* wire_name(ElementType type);
const char* wire_name(Order order);
ElementType element_type_of(const std::string& name);
Order order_of(const std::string& name);

void to_json(nlohmann::json& j, const TileConfig& tile);
void from_json(const nlohmann::json& j, TileConfig& tile);
void to_json(nlohmann::json& j, const Problem& problem);
void from_json(const nlohmann::json& j, Problem& problem);
void to_json(nlohmann::json& j, const DeviceLimits& limits);
void from_json(const nlohmann::json& j, DeviceLimits& limits);
void to_json(nlohmann::json& j, const BlockIndex& index);
void from_json(const nlohmann::json& j, BlockIndex& index);  // z may be left out
void to_json(nlohmann::json& j, const Coord& coord);
void from_json(const nlohmann::json& j, Coord& coord);

}  // namespace tilescope

namespace tilescope::worker {

/// Throws std::invalid_argument, a sentence, unless it is 1 to kMostSms (bounds.h).
void require_sms(int sms);

void to_json(nlohmann::json& j, const KernelRequest& r);
void from_json(const nlohmann::json& j, KernelRequest& r);
void to_json(nlohmann::json& j, const DeviceInfo& d);
void from_json(const nlohmann::json& j, DeviceInfo& d);
void to_json(nlohmann::json& j, const CompileResult& c);
void from_json(const nlohmann::json& j, CompileResult& c);
void to_json(nlohmann::json& j, const CountedTraffic& c);
void from_json(const nlohmann::json& j, CountedTraffic& c);
void to_json(nlohmann::json& j, const NoNumbers& n);
void from_json(const nlohmann::json& j, NoNumbers& n);
void to_json(nlohmann::json& j, const Verification& v);
void from_json(const nlohmann::json& j, Verification& v);
void to_json(nlohmann::json& j, const ComparedSums& s);
void from_json(const nlohmann::json& j, ComparedSums& s);
void to_json(nlohmann::json& j, const VerifiedPart& p);
void from_json(const nlohmann::json& j, VerifiedPart& p);
void to_json(nlohmann::json& j, const CodeFinding& f);
void from_json(const nlohmann::json& j, CodeFinding& f);
void to_json(nlohmann::json& j, const CheckResult& c);
void from_json(const nlohmann::json& j, CheckResult& c);
void to_json(nlohmann::json& j, const EmulateResult& e);
void from_json(const nlohmann::json& j, EmulateResult& e);
void to_json(nlohmann::json& j, const MeasureResult& m);
void from_json(const nlohmann::json& j, MeasureResult& m);

const char* wire_name(TraceEvent::Kind kind);  // "copy", "wait", … as in `trace --json`

void to_json(nlohmann::json& j, const TracedLoop& l);
void from_json(const nlohmann::json& j, TracedLoop& l);
/// Without events, lead and raw accesses, which come in binary frames: see messages_trace.h.
void to_json(nlohmann::json& j, const TraceResult& t);
void from_json(const nlohmann::json& j, TraceResult& t);

}  // namespace tilescope::worker
