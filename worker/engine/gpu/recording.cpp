#include "worker/engine/gpu/recording.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "kernels/registry.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/gpu/gpu_problem.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

template <class T>
std::optional<T> optional_of(const json& j, const char* name) {
  const auto it = j.find(name);
  if (it == j.end() || it->is_null()) return std::nullopt;
  return it->get<T>();
}

int layout_named(const std::string& letters) {
  constexpr std::pair<const char*, int> kLayouts[] = {
      {"NN", kNN}, {"NT", kNT}, {"TN", kTN}, {"TT", kTT}};
  for (const auto& [name, bit] : kLayouts) {
    if (letters == name) return bit;
  }
  throw std::invalid_argument("no layout " + letters);
}

Recording read(const json& j) {
  Recording r;
  r.request.kernel = j.at("kernel").get<std::string>();
  if (!find_kernel(r.request.kernel.c_str())) throw std::invalid_argument("unknown kernel");
  r.request.sms = j.value("sms", r.request.sms);
  r.request.tile = j.at("tile").get<TileConfig>();
  Problem& p = r.request.problem;
  const json &size = j.at("size"), &types = j.at("types");
  p.m = size.at(0).get<int>(), p.n = size.at(1).get<int>(), p.k = size.at(2).get<int>();
  p.type_a = element_type_of(types.at(0).get<std::string>());
  p.type_b = element_type_of(types.at(1).get<std::string>());
  p.type_c = element_type_of(types.at(2).get<std::string>());
  set_layout(p, layout_named(j.at("layout").get<std::string>()));
  p.alpha = j.value("alpha", 1.0f), p.beta = j.value("beta", 0.0f);
  if (j.contains("order_c")) p.order_c = order_of(j.at("order_c").get<std::string>());
  p.lda = j.value("lda", 0LL), p.ldb = j.value("ldb", 0LL), p.ldc = j.value("ldc", 0LL);
  r.arch = j.value("arch", "");
  r.revision = j.value("revision", "");
  r.source = j.value("source", "");

  MeasureResult& m = r.result;
  m.standing = "recorded";
  m.device_name = j.at("device").get<std::string>();
  m.device = "recorded:" + m.device_name;
  m.date = j.at("date").get<std::string>();
  m.driver = optional_of<std::string>(j, "driver").value_or("");
  m.tflops = optional_of<double>(j, "tflops");
  m.spread = optional_of<double>(j, "spread");
  m.time_us = optional_of<double>(j, "time_us");
  m.samples = m.samples_planned = optional_of<int>(j, "samples").value_or(0);
  if (const auto library = j.find("library"); library != j.end() && library->is_object()) {
    m.library = optional_of<std::string>(*library, "name");
    m.library_tflops = optional_of<double>(*library, "tflops");
  }
  m.clock_mhz = optional_of<double>(j, "clock_mhz");
  m.registers = optional_of<int>(j, "registers");
  m.spill_bytes = optional_of<int>(j, "spill_bytes");
  m.compile_ms = optional_of<double>(j, "compile_ms");
  m.cold = j.value("cold", true);
  if (const auto v = j.find("verified"); v != j.end() && v->is_object()) {
    Verification verified;
    verified.norm = v->at("norm").get<double>();
    verified.tolerance = v->at("tolerance").get<double>();
    verified.ok = v->at("ok").get<bool>();
    m.verified = verified;
  }
  m.final = true;
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
