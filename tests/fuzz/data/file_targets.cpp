// Files that lie beside a kernel, or are one; and what NVIDIA's tools print.
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "app/features/lessons/lesson.h"
#include "core/sheet/check_sheet.h"
#include "core/sheet/expression.h"
#include "core/sheet/guess_sheet.h"
#include "core/sheet/launch_sheet.h"
#include "core/sheet/npy_file.h"
#include "core/sheet/sheet_error.h"
#include "data_target.h"
#include "worker/engine/counters/ncu_report.h"
#include "worker/engine/own/cu_tokens.h"
#include "worker/engine/own/found_launches.h"
#include "worker/engine/own/host_code.h"
#include "worker/engine/sass/disassemble.h"

namespace tilescope::fuzz {
namespace {

/// As of `f(int n, const float* a, float* c, CUtensorMap map)`.
sheet::Signature any_signature() {
  sheet::Signature s;
  s.entry = s.demangled = "f";
  s.parameters = {{"n", ".u32", 0, 4, "int"},
                  {"a", ".u64", 8, 8, "float const*", true},
                  {"c", ".u64", 16, 8, "float*"},
                  {"map", ".b8", 64, 128, "CUtensorMap_st"}};
  s.parameter_bytes = 192;
  return s;
}

void fits_or_not(const sheet::LaunchSheet& sheet) {
  try {
    (void)sheet::arguments_of(any_signature(), sheet);
  } catch (const sheet::SheetError&) {  // it may be another kernel's
  }
}

bool read_one_sheet(std::string_view bytes) {
  try {
    sheet::LaunchSheet read = sheet::sheet_of_text(bytes);
    const sheet::LaunchSheet again = sheet::sheet_of_text(sheet::to_text(read));
    if (!(again == read)) throw Found("another sheet when it is written: " + sheet::to_text(read));
    (void)sheet::faults_of(any_signature(), read);
    sheet::name_files_in(read, "/a/b");
    (void)sheet::leave_out_files(read, [](const std::string&) { return false; });
    fits_or_not(read);
    return true;
  } catch (const sheet::SheetError&) {
    return false;
  }
}

bool read_one_spec(std::string_view bytes) {
  const std::string text(bytes);
  bool taken = false;
  try {
    (void)sheet::parse_spec(text);
    taken = true;
  } catch (const sheet::SheetError&) {
  }
  if (sheet::evaluate(text, {{"M", 4096}, {"N", -3}, {"K", INT64_MAX}})) taken = true;
  if (sheet::demangled(text).name != text) taken = true;
  (void)sheet::split_list(text);
  return taken;
}

bool read_npy(std::string_view bytes) {
  try {
    (void)sheet::npy_header(bytes).elements();
    return true;
  } catch (const sheet::SheetError&) {
    return false;
  }
}

bool read_lesson(std::string_view bytes) {
  std::vector<LessonFault> faults;
  const std::vector<Lesson> all{parse_lesson("99_any", bytes, &faults)};
  // Which asks the model of all that it begins with: of one in sixteen.
  if (std::hash<std::string_view>()(bytes) % 16 == 0) (void)find_faults(all);
  return faults.empty();
}

bool read_source(std::string_view bytes) {
  const std::vector<worker::CuToken> tokens = worker::tokens_of(bytes);
  worker::DeviceWords words;
  words.learn(tokens);
  const worker::DeviceCode device = worker::device_code(bytes, tokens, words);
  const auto lines = [](std::string_view text) { return std::ranges::count(text, '\n'); };
  if (lines(device.text) != lines(bytes)) throw Found("lines have moved");
  const std::vector<sheet::FoundLaunch> launches = worker::found_launches(tokens);
  for (const sheet::FoundLaunch& launch : launches) (void)worker::is_instance(launch);
  const sheet::Signature signature = any_signature();
  (void)sheet::guess_sheet(signature, launches);
  try {
    (void)sheet::gemm_sheet(signature, launches, {.m = 64, .n = 64, .k = 64});
  } catch (const sheet::SheetError&) {
  }
  return !tokens.empty();
}

bool read_sass(std::string_view bytes) {
  return !worker::parse_sass(std::string(bytes), "01_naive.cuh").lines.empty();
}

bool read_counts(std::string_view bytes) {
  const std::string text(bytes);
  const bool has_values = !worker::parse_ncu_csv(text).empty();
  const bool has_unknown = !worker::unknown_metrics(text, {"dram__bytes.sum"}).empty();
  const bool failed = !worker::ncu_failure(text, "ncu").empty();
  const std::string version = worker::ncu_version(text);
  (void)worker::is_too_old(version);
  return has_values || has_unknown || failed || !version.empty();
}

}  // namespace

std::vector<DataTarget> file_targets() {
  return {
      {"sheets", 8000, read_one_sheet, sheet_seeds},
      {"specs", 300, read_one_spec, spec_seeds},
      {"npy", 2000, read_npy, npy_seeds},
      {"lessons", 20000, read_lesson, lesson_seeds},
      {"sources", 20000, read_source, source_seeds},
      {"sass", 20000, read_sass, sass_seeds},
      {"counts", 8000, read_counts, count_seeds},
  };
}

}  // namespace tilescope::fuzz
