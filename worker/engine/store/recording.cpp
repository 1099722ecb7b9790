#include "worker/engine/store/recording.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "core/files/json_file.h"
#include "kernels/registry.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/store/left_out.h"
#include "worker/engine/store/plannable.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/recorded_result.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

Recording recording_of(const json& j) {
  Recording r;
  r.request = read_recorded_request(j);
  r.arch = j.value("arch", "");
  r.revision = j.value("revision", "");
  r.source = j.value("source", "");
  r.result = read_recorded(j);
  const MeasureResult& m = r.result;
  if (const auto values = j.find("counters"); values != j.end() && values->is_object()) {
    r.counters =
        json{{"device", m.device},     {"device_name", m.device_name},       {"date", m.date},
             {"standing", "recorded"}, {"tool", j.value("counters_by", "")}, {"counters", *values}}
            .get<CountersResult>();
  }
  return r;
}

}  // namespace

std::optional<Recording> read_recording(std::string_view line, std::string* why_not) {
  const auto no = [why_not](std::string why) {
    if (why_not) *why_not = std::move(why);
    return std::nullopt;
  };
  if (std::string why = why_too_long(line, kMostLineBytes); !why.empty()) return no(std::move(why));
  const auto j = files::parse_json(line);
  if (!j || !j->is_object()) return no("it is no recording");
  try {
    Recording recording = recording_of(*j);
    const KernelEntry* kernel = find_kernel(recording.request.kernel.c_str());
    std::string why = kernel ? why_no_plan(recording.request, *kernel) : std::string();
    if (!why.empty()) return no(recording.request.kernel + ": " + std::move(why));
    return recording;
  } catch (const json::exception&) {
    return no("it lacks a field of a recording, or one is of a wrong type");
  } catch (const std::invalid_argument& wrong) {
    return no(wrong.what());
  }
}

std::optional<Recording> parse_recording(std::string_view line) {
  auto recording = read_recording(line);
  if (recording && !find_kernel(recording->request.kernel.c_str())) return std::nullopt;
  return recording;
}

std::vector<Recording> read_recording_file(const std::string& file, int* skipped) {
  std::vector<Recording> recordings;
  std::string unread;
  const auto text = text_of_lines(file, &unread);
  if (!text) return recordings;
  LeftOut left_out;
  each_line(
      *text, kMostLineBytes,
      [&](std::string_view line) -> std::string {
        auto recording = parse_recording(line);
        if (!recording) return "it is no recording of a known kernel";
        recordings.push_back(std::move(*recording));
        return {};
      },
      left_out);
  if (skipped) *skipped += left_out.count();
  return recordings;
}

std::string recording_line(const KernelRequest& request, const MeasureResult& m,
                           const std::string& arch, const std::string& revision,
                           const std::string& source) {
  nlohmann::ordered_json line =
      recorded_request(request, find_kernel(request.kernel.c_str())->sliders);
  line["sms"] = request.sms;
  put_recorded(line, m);
  line["arch"] = arch, line["revision"] = revision, line["source"] = source;
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

bool same_launch(const KernelRequest& a, const KernelRequest& b) {
  if (a.sms == b.sms) return true;
  const KernelEntry& kernel = *find_kernel(a.kernel.c_str());
  if (!has_plan(a, kernel) || !has_plan(b, kernel)) return false;
  return launch_of(plan_of(a, kernel)) == launch_of(plan_of(b, kernel));
}

}  // namespace tilescope::worker
