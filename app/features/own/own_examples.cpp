#include "app/features/own/own_examples.h"

#include <filesystem>

#include "app/state/edit.h"
#include "core/files/whole_file.h"
#include "examples_text.h"  // generated: kSgemmRace and its sheet

namespace tilescope {
namespace fs = std::filesystem;

std::span<const OwnExample> own_examples() {
  static constexpr OwnExample kExamples[] = {
      {"sgemm_race", "SGEMM with a race and a bank conflict", kSgemmRace, kSgemmRaceSheet}};
  return kExamples;
}

std::string open_example(AppState& state, const OwnExample& example) {
  if (state.store.empty()) {
    return "The program has no data folder to put the example into; start it without --store ''.";
  }
  const fs::path folder = fs::path(state.store) / "examples";
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path file = folder / (std::string(example.id) + ".cu");
  const fs::path sheet = folder / (std::string(example.id) + ".sheet.json");
  // What a person has changed of it stays.
  for (const auto& [path, text] :
       {std::pair(file, example.text), std::pair(sheet, example.sheet)}) {
    if (fs::exists(path, error)) continue;
    const std::string why_not = files::replace_file(path.string(), text);
    if (!why_not.empty()) return why_not;
  }
  open_own_kernel(state, {file.string(), ""});
  return {};
}

}  // namespace tilescope
