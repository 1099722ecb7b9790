// Calls as they travel: params, answers and progress as JSON, and the binary frames beside them.
#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "worker/messages/calls.h"
#include "worker/messages/messages_trace.h"

namespace tilescope::worker {

/// Of every call of the list; what is wrong with params is thrown by nlohmann or as
/// std::invalid_argument.
template <class C>
nlohmann::json write_request(const typename C::Request& request);
template <class C>
typename C::Request read_request(const nlohmann::json& params);
/// Sends what the answer has of binary frames, and returns what goes behind them.
template <class C>
nlohmann::json write_answer(const typename C::Answer& answer, const SendPart& send);

/// Binary frames of most calls: none.
struct NoParts {
  void add(std::string_view, std::span<const std::byte>) {}
};
/// Those of a run of any PTX.
struct RunParts {
  std::string document, output;
  void add(std::string_view type, std::span<const std::byte> bytes);
};
template <class C>
struct PartsOf {
  using type = NoParts;
};
template <>
struct PartsOf<calls::Trace> {
  using type = TraceParts;
};
template <>
struct PartsOf<calls::Step> {
  using type = StepFrames;
};
template <>
struct PartsOf<calls::Accesses> {
  using type = AccessFrames;
};
template <>
struct PartsOf<calls::Run> {
  using type = RunParts;
};

/// Throws AnswerError.
template <class C>
typename C::Answer read_answer(const nlohmann::json& answer,
                               const typename PartsOf<C>::type& parts = {});

nlohmann::json write_progress(const Progress& progress);
/// Of whatever a child tells: what is not known of it is left out. Throws AnswerError if it is not
/// what it says.
Progress read_progress(const nlohmann::json& told);
/// Into params.
void put_turn(nlohmann::json& params, const Turn& turn);

}  // namespace tilescope::worker
