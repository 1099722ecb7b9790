#include "worker/engine/store/recording.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/files/json_file.h"
#include "core/files/whole_file.h"
#include "kernels/registry.h"
#include "worker/engine/compile/source.h"
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

std::optional<Recording> read_recording(std::string_view line) {
  const auto j = files::parse_json(line);
  if (!j || !j->is_object()) return std::nullopt;
  try {
    return recording_of(*j);
  } catch (const json::exception&) {
    return std::nullopt;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::optional<Recording> parse_recording(std::string_view line) {
  auto recording = read_recording(line);
  if (recording && !find_kernel(recording->request.kernel.c_str())) return std::nullopt;
  return recording;
}

std::vector<Recording> read_recording_file(const std::string& file, int* skipped) {
  std::vector<Recording> recordings;
  const auto text = files::read_file(file);
  if (!text) return recordings;
  for (const std::string_view line : files::lines_of(*text)) {
    if (line.empty()) continue;
    if (auto recording = parse_recording(line)) {
      recordings.push_back(std::move(*recording));
    } else if (skipped) {
      ++*skipped;
    }
  }
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
  return launch_of(plan_of(a, kernel)) == launch_of(plan_of(b, kernel));
}

}  // namespace tilescope::worker
