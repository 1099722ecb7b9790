// The mistakes that tests plant in kernels: each stands in its kernel's own file, last in it, as
// lines that go (-), come (+) or stay (docs/add_a_kernel.md).
#pragma once
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tilescope {

struct PlantedMistake {
  std::string what;                               // "A missing wait"
  std::vector<std::pair<std::string, int>> tile;  // sliders that it needs: the code is there then
  std::vector<std::string> found;  // as one of these: "wrong result" or the kind of a finding
  std::string right, wrong;        // whole lines

  bool found_as(const std::string& kind) const {
    return std::find(found.begin(), found.end(), kind) != found.end();
  }
};

/// Where a kernel's file lies: that of the tests is in tests/fixtures.
inline std::string kernel_path(const std::string& root, const std::string& file) {
  const std::string path = root + "/kernels/" + file;
  return std::filesystem::exists(path) ? path : root + "/tests/fixtures/kernels/" + file;
}

inline std::string text_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path + " cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// "A missing wait, stages = 4: race or copy_pending"
inline PlantedMistake mistake_of_heading(const std::string& line) {
  static const std::regex heading(R"(([^,:]+(?:, [^=:]+)*?)((?:, \w+ = \d+)*): (.+))");
  static const std::regex field(R"((\w+) = (\d+))"), kind(R"((.+?)(?: or |$))");
  std::smatch parts;
  if (!std::regex_match(line, parts, heading)) {
    throw std::runtime_error("no heading of a mistake: " + line);
  }
  PlantedMistake mistake;
  mistake.what = parts[1];
  const std::string fields = parts[2], kinds = parts[3];
  for (std::sregex_iterator at(fields.begin(), fields.end(), field), end; at != end; ++at) {
    mistake.tile.emplace_back((*at)[1], std::stoi((*at)[2]));
  }
  for (std::sregex_iterator at(kinds.begin(), kinds.end(), kind), end; at != end; ++at) {
    mistake.found.push_back((*at)[1]);
  }
  return mistake;
}

/// Those of a kernel's file.
inline std::vector<PlantedMistake> mistakes_of(const std::string& text) {
  std::vector<PlantedMistake> all;
  size_t at = text.find("\n/* Mistakes that tests plant");
  at = at == text.npos ? at : text.find('\n', at + 1);
  bool within = false;
  while (at != text.npos) {
    const size_t end = text.find('\n', at + 1);
    const std::string line = text.substr(at + 1, end == text.npos ? end : end - at - 1);
    at = end;
    if (line == "*/") break;
    if (line.empty()) {
      within = false;
    } else if (!within) {
      all.push_back(mistake_of_heading(line));
      within = true;
    } else {
      if (line[0] != '+') all.back().right += line.substr(1) + "\n";
      if (line[0] != '-') all.back().wrong += line.substr(1) + "\n";
    }
  }
  return all;
}

/// The file's text with the mistake in it. Its lines must stand there once.
inline std::string planted(const std::string& text, const PlantedMistake& mistake) {
  const size_t at = ("\n" + text).find("\n" + mistake.right);
  if (at == text.npos || text.find("\n" + mistake.right, at) != text.npos) {
    throw std::runtime_error("not once in the kernel's file:\n" + mistake.right);
  }
  return text.substr(0, at) + mistake.wrong + text.substr(at + mistake.right.size());
}

/// A folder for --kernel-dir made of the kernel that programs start with: its result is right here,
/// and a race.
inline std::string racy_kernels(const std::string& root, const std::string& folder) {
  const std::string file = "11_mma_multistage.cuh";
  const std::string text = text_of_file(kernel_path(root, file));
  for (const PlantedMistake& mistake : mistakes_of(text)) {
    if (!mistake.found_as("copy_pending")) continue;
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/" + file, std::ios::binary) << planted(text, mistake);
    return folder;
  }
  throw std::runtime_error(file + " has no mistake that is found as copy_pending");
}

}  // namespace tilescope
