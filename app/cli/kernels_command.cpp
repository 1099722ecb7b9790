// kernels: the ladder.
#include <fmt/format.h>

#include <vector>

#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "core/model/names.h"
#include "kernels/registry.h"

namespace tilescope::cli {
namespace {

struct OperandLayout {
  int bit;
  const char* name;
};
constexpr OperandLayout kOperandLayouts[] = {{kNN, "NN"}, {kNT, "NT"}, {kTN, "TN"}, {kTT, "TT"}};

/// Default problems of each of a kernel's types, those it starts with first.
std::vector<Problem> problems_by_type(const KernelInfo& info) {
  std::vector<Problem> all{default_problem(info)};
  for (int i = 0; i < kTypeSets; ++i) {
    if ((info.types >> i & 1) == 0 || 1 << i == info.default_types) continue;
    all.push_back(all[0]);
    set_types(all.back(), types_of_bit(1 << i));
  }
  return all;
}
std::string layouts_text(const KernelInfo& info) {
  std::string text;
  for (const OperandLayout& layout : kOperandLayouts) {
    if (info.layouts & layout.bit) text += (text.empty() ? "" : ", ") + std::string(layout.name);
  }
  return text;
}

Json kernel_json(const KernelEntry& kernel) {
  Json layouts = Json::array(), sliders = Json::array();
  for (const OperandLayout& layout : kOperandLayouts) {
    if (kernel.info.layouts & layout.bit) layouts.push_back(layout.name);
  }
  Json types = Json::array();
  for (const Problem& p : problems_by_type(kernel.info)) types.push_back(types_json(p));
  for (int i = 0; i < kernel.sliders.count; ++i) {
    const Slider& s = kernel.sliders.slider[i];
    Json values = Json::array();
    for (int j = 0; j < s.count; ++j) values.push_back(s.values[j]);
    sliders.push_back(
        {{"name", model::name_of(s.field)}, {"values", values}, {"default", s.start}});
  }
  return {{"id", kernel.info.id},
          {"title", kernel.info.title},
          {"idea", kernel.info.idea},
          {"types", types},
          {"layouts", layouts},
          {"min_sm", kernel.info.min_sm},
          {"only_sm", kernel.info.only_sm != 0 ? Json(kernel.info.only_sm) : Json()},
          {"sliders", sliders}};
}

std::string values_text(const Slider& s) {
  std::string text;
  for (int i = 0; i < s.count; ++i) {
    const std::string value = std::to_string(s.values[i]);
    text += (i ? " " : "") + (s.values[i] == s.start ? "[" + value + "]" : value);
  }
  return text;
}

int run_kernels(const Globals& globals) {
  if (globals.json) {
    Json all = Json::array();
    for (const KernelEntry& kernel : kernel_table()) all.push_back(kernel_json(kernel));
    print_json(all);
    return kOk;
  }
  for (const KernelEntry& kernel : kernel_table()) {
    std::string types;
    for (const Problem& p : problems_by_type(kernel.info)) {
      types += (types.empty() ? "" : ", ") + types_text(p);
    }
    print(fmt::format("{:2}  {}  ({})", kernel.info.number, kernel.info.title, kernel.info.id));
    print(fmt::format("    {}", kernel.info.idea));
    print(fmt::format("    {}; {} ({}); compute capability {}.{} {}", types,
                      layouts_text(kernel.info),
                      model::layout_letters(default_problem(kernel.info)), kernel.info.min_sm / 10,
                      kernel.info.min_sm % 10,
                      kernel.info.only_sm != 0 ? "alone, emulated anywhere" : "or newer"));
    for (int i = 0; i < kernel.sliders.count; ++i) {
      const Slider& s = kernel.sliders.slider[i];
      print(fmt::format("      {:9} {}", model::name_of(s.field), values_text(s)));
    }
  }
  return kOk;
}

}  // namespace

Run make_kernels(CLI::App&, const Globals& globals) {
  return [&globals] { return run_kernels(globals); };
}

}  // namespace tilescope::cli
