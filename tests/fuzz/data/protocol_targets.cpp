// The worker's protocol: a stream of frames, and what each call carries.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/files/json_file.h"
#include "data_target.h"
#include "digits.h"
#include "worker/messages/calls_json.h"
#include "worker/protocol/frames.h"
#include "worker/protocol/protocol.h"

namespace tilescope::fuzz {
namespace {

using nlohmann::json;

bool read_body(const worker::Frame& frame) {
  try {
    const worker::Message message = worker::read_message(worker::parse_message(frame.body));
    (void)worker::call_of(message.value);
    (void)worker::version_mismatch(message.value, "worker");
    (void)worker::other_kernels(message.value, "0123", "worker");
    return true;
  } catch (const worker::FrameError&) {
  } catch (const worker::RpcError&) {
  }
  return false;
}

/// Written, read and written again it is the same.
template <class Read, class Write>
void there_and_back(const char* call, const json& value, const Read& read, const Write& write) {
  const std::string first = write(read(value)).dump();
  const std::string second = write(read(json::parse(first))).dump();
  if (first != second) throw Found(std::string(call) + ":\n" + first + "\n" + second);
}

template <class C>
bool read_request_of(const json& value) {
  try {
    there_and_back(C::name, value, worker::read_request<C>, worker::write_request<C>);
    return true;
  } catch (const json::exception&) {
  } catch (const std::invalid_argument&) {
  }
  return false;
}

/// [["trace.raw", "00ff…"], …]: the binary frames that came before an answer.
template <class Parts>
Parts parts_of(const json& input) {
  Parts parts;
  const auto all = input.find("parts");
  if (all == input.end() || !all->is_array()) return parts;
  for (const json& part : *all) {
    if (!part.is_array() || part.size() != 2 || !part[0].is_string() || !part[1].is_string())
      continue;
    const auto bytes = bytes_of_digits(part[1].get_ref<const std::string&>());
    parts.add(part[0].get_ref<const std::string&>(), bytes);
  }
  return parts;
}

template <class C>
bool read_answer_of(const json& input) {
  try {
    (void)worker::read_answer<C>(input["value"],
                                 parts_of<typename worker::PartsOf<C>::type>(input));
    return true;
  } catch (const worker::AnswerError&) {
    return false;
  }
}

/// The first two bytes: whether a magic line comes first, and in which pieces the rest is read.
bool read_frames(std::string_view bytes) {
  if (bytes.size() < 2) return false;
  const size_t piece = 1 + static_cast<unsigned char>(bytes[1]);
  worker::FrameReader reader(bytes[0] == 'm');
  bytes.remove_prefix(2);
  bool all_taken = true;
  try {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
      reader.feed(bytes.substr(0, piece));
      while (const auto frame = reader.next()) {
        if (!frame->binary && !read_body(*frame)) all_taken = false;
      }
    }
  } catch (const worker::FrameError&) {
    if (reader.inside_frame()) throw Found("a stream that ended is inside of a frame");
    return false;
  }
  (void)reader.junk();
  return all_taken && !reader.inside_frame();
}

/// {"call": NAME, "of": "request", "answer" or "progress", "value": …, "parts": …}
bool read_call(std::string_view bytes) {
  const auto input = files::parse_json(bytes, worker::kMaxJsonDepth);
  if (!input || !input->is_object() || !input->contains("value")) return false;
  const auto text = [&](const char* key) {
    const auto at = input->find(key);
    return at != input->end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  const json& value = (*input)["value"];
  if (text("of") == "progress") {
    try {
      (void)worker::read_progress(value);
      return true;
    } catch (const worker::AnswerError&) {
      return false;
    }
  }
  bool taken = false;
  worker::for_each_call([&]<class C>() {
    if (text("call") != C::name) return;
    if (text("of") == "request") taken = read_request_of<C>(value);
    if (text("of") == "answer") taken = read_answer_of<C>(*input);
  });
  return taken;
}

}  // namespace

std::vector<DataTarget> protocol_targets() {
  return {
      {"frames", 20000, read_frames, frame_seeds},
      {"messages", 20000, read_call, call_seeds},
  };
}

}  // namespace tilescope::fuzz
