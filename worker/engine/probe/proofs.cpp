#include "worker/engine/probe/proofs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "worker/engine/gpu/recording.h"

namespace tilescope::worker {
namespace {

bool is_better(const Proof& a, const Proof& b) {
  const auto rank = [](const Proof& p) {
    return std::tuple(p.device != "emulator", std::string_view(p.date));
  };
  return rank(a) >= rank(b);
}

}  // namespace

std::map<std::string, Proof> read_proofs(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& item : std::filesystem::directory_iterator(folder, error)) {
    if (is_proofs_file(item.path().filename().string())) files.push_back(item.path().string());
  }
  std::sort(files.begin(), files.end());
  std::map<std::string, Proof> best;
  for (const std::string& file : files) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      const nlohmann::json j = nlohmann::json::parse(line, nullptr, false);
      if (!j.is_object()) continue;
      Proof proof;
      try {
        proof = j.get<Proof>();
      } catch (const nlohmann::json::exception&) {
        continue;
      }
      if (proof.compared == 0) continue;
      const auto [found, is_new] = best.try_emplace(proof.atom, proof);
      if (!is_new && is_better(proof, found->second)) found->second = proof;
    }
  }
  return best;
}

}  // namespace tilescope::worker
