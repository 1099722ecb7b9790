#include "worker/engine/gpu/recording.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "kernels/registry.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/gpu/gpu_problem.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/recorded_result.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

Recording read(const json& j) {
  Recording r;
  r.request = read_recorded_request(j);
  if (!find_kernel(r.request.kernel.c_str())) throw std::invalid_argument("unknown kernel");
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

bool is_proofs_file(const std::string& file_name) {
  return file_name.starts_with("proofs-") && file_name.ends_with(".json");
}

std::optional<Recording> parse_recording(const std::string& line) {
  const json j = json::parse(line, nullptr, false);
  if (!j.is_object()) return std::nullopt;
  try {
    return read(j);
  } catch (const json::exception&) {
    return std::nullopt;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::vector<Recording> read_recording_file(const std::string& file, int* skipped) {
  std::vector<Recording> recordings;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    if (auto recording = parse_recording(line)) {
      recordings.push_back(std::move(*recording));
    } else if (skipped) {
      ++*skipped;
    }
  }
  return recordings;
}

std::vector<Recording> read_recordings(const std::string& folder, int* skipped) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& item : std::filesystem::directory_iterator(folder, error)) {
    if (item.path().extension() == ".json" && !is_proofs_file(item.path().filename().string())) {
      files.push_back(item.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Recording> recordings;
  for (const std::string& file : files) {
    for (Recording& r : read_recording_file(file, skipped)) recordings.push_back(std::move(r));
  }
  return recordings;
}

bool same_launch(const KernelRequest& a, const KernelRequest& b) {
  if (a.sms == b.sms) return true;
  const KernelEntry& kernel = *find_kernel(a.kernel.c_str());
  return launch_of(plan_of(a, kernel)) == launch_of(plan_of(b, kernel));
}

const Recording* find_recording(std::span<const Recording> recordings, const KernelRequest& request,
                                const std::string& device) {
  const Recording* best = nullptr;
  for (const Recording& r : recordings) {
    if (r.request.kernel != request.kernel || r.request.tile != request.tile ||
        r.request.problem != request.problem ||
        r.result.device_name.find(device) == std::string::npos ||
        !same_launch(r.request, request)) {
      continue;
    }
    if (!best || r.result.date > best->result.date) best = &r;
  }
  return best;
}

std::vector<std::string> recording_folders() {
  namespace fs = std::filesystem;
  std::vector<std::string> folders;
  if (const char* named = std::getenv("TILESCOPE_RECORDINGS")) folders.push_back(named);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  folders.push_back((program / "../share/tilescope/recordings").string());
  for (fs::path up = program; up.has_relative_path(); up = up.parent_path()) {
    folders.push_back((up / "assets/recordings").string());
  }
  return folders;
}

}  // namespace tilescope::worker
