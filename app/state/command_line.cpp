#include "app/state/command_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/state/device.h"
#include "core/model/names.h"

namespace tilescope {
namespace {

/// Exactly the number, as short as it can be.
std::string number(float value) { return fmt::format("{}", value); }

std::string device_words(const AppState& state) {
  if (is_card(state.device)) return " --device " + state.device;
  if (is_recording(state.device) && !is_own_recording(state.device)) {
    return " --device " + shell_word(state.device);
  }
  return {};
}

std::string problem_words(const Problem& p) {
  std::string words = fmt::format(" --size {}x{}x{} --layout {} --types {},{},{}", p.m, p.n, p.k,
                                  model::layout_letters(p), model::name_of(p.type_a),
                                  model::name_of(p.type_b), model::name_of(p.type_c));
  if (p.order_c == Order::column_major) words += " --c col";
  if (p.alpha != 1) words += " --alpha " + number(p.alpha);
  if (p.beta != 0) words += " --beta " + number(p.beta);
  if (p.bias) words += " --bias";
  const auto leading = [&](const char* flag, long long value) {
    if (value > 0) words += fmt::format(" {} {}", flag, value);
  };
  leading("--lda", p.lda), leading("--ldb", p.ldb), leading("--ldc", p.ldc);
  return words;
}

}  // namespace

std::string shell_word(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./=,:@%+").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string quoted = "'";
  for (const char c : word) c == '\'' ? quoted += "'\\''" : quoted += c;
  return quoted + "'";
}

std::string command_line_of(const AppState& state) {
  const Edit& e = state.edit;
  if (const OwnKernel* own = e.own()) {
    const bool ptx = own->file.ends_with(".ptx");
    return fmt::format("tilescope-cli bench --{} {}", ptx ? "ptx" : "cu", shell_word(own->file)) +
           (is_card(state.device) ? " --device " + state.device : "");
  }
  std::string line = "tilescope-cli bench --kernel " + e.rung().kernel + problem_words(e.problem);
  if (const KernelEntry* kernel = find_kernel(e.rung().kernel.c_str())) {
    line += " --tile " + model::tile_text(e.rung().tile, kernel->sliders);
  }
  return line + device_words(state);
}

}  // namespace tilescope
