// Typed calls on top of those that travel.
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "worker/client/client.h"
#include "worker/messages/calls_json.h"
#include "worker/messages/messages_json.h"
#include "worker/protocol/protocol.h"
#include "worker/service.h"

namespace tilescope::worker {

using nlohmann::json;

namespace {

CallError call_error(const RpcError& error) try {
  CallError told{.exit_code = error.exit_code, .message = error.message};
  told.cancelled = error.code == kCancelled;
  if (!error.data.is_object()) return told;
  const json& data = error.data;
  if (const auto log = data.find("log"); log != data.end() && log->is_string()) {
    told.log = log->get<std::string>();
  }
  if (const auto found = data.find("findings"); found != data.end()) {
    told.findings = found->get<std::vector<CodeFinding>>();
  }
  if (const auto other = data.find("instead"); other != data.end()) {
    told.instead = other->get<KernelRequest>();
  }
  told.fault = data.contains("fault");
  told.needs_reset = data.contains("needs_reset");
  told.lost = data.value("lost", false);
  return told;
} catch (const std::exception& strange) {  // of a type, or of a value that cannot be
  throw AnswerError(strange.what());
}

}  // namespace

template <class C>
uint64_t Client::call(std::string_view device, const typename C::Request& request, Told<C> told,
                      const Turn& turn) {
  json params = write_request<C>(request);
  put_turn(params, turn);
  auto parts = std::make_shared<typename PartsOf<C>::type>();
  Callbacks callbacks;
  callbacks.binary = [parts](std::string_view type, std::span<const std::byte> bytes) {
    parts->add(type, bytes);
  };
  callbacks.done = [parts, done = std::move(told.done)](const json& answer) {
    if (done) done(read_answer<C>(answer, *parts));
  };
  if (told.failed) {
    callbacks.failed = [failed = std::move(told.failed)](const RpcError& error) {
      failed(call_error(error));
    };
  }
  if (told.progress) {
    callbacks.progress = [progress = std::move(told.progress)](const json& value) {
      progress(read_progress(value));
    };
  }
  return this->request(device, C::name, std::move(params), std::move(callbacks));
}

#define INSTANTIATE(C)                                                                 \
  template uint64_t Client::call<calls::C>(std::string_view, const calls::C::Request&, \
                                           Told<calls::C>, const Turn&);
TILESCOPE_CALLS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace tilescope::worker
