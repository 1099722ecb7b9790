#include "app/cli/result_table.h"

#include <functional>
#include <map>

namespace tilescope::cli {
namespace {

struct Column {
  const char* title;
  std::function<Json(const Json&)> value;
};

Json at(const Json& j, const char* key) { return j.contains(key) ? j[key] : Json(); }
Column plain(const char* key) {
  return {key, [key](const Json& j) { return at(j, key); }};
}
/// A value of a value: "hot", "tflops". Null where there is no such object.
Column inner(const char* title, const char* outer, const char* key) {
  return {title, [outer, key](const Json& j) {
            const Json object = at(j, outer);
            return object.is_object() ? at(object, key) : Json();
          }};
}
Column extent(const char* title, size_t index) {
  return {title, [index](const Json& j) { return j["size"][index]; }};
}
template <class Names>
std::string joined(const Names& values, const char* between) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += (text.empty() ? "" : between) + name + "=" + value.dump();
  }
  return text;
}

const std::vector<Column>& columns() {
  static const std::vector<Column> list = {
      plain("kernel"),
      extent("m", 0),
      extent("n", 1),
      extent("k", 2),
      plain("layout"),
      {"types",
       [](const Json& j) {
         std::string text;
         for (const Json& type : j["types"]) {
           text += (text.empty() ? "" : " ") + type.get<std::string>();
         }
         return Json(text);
       }},
      {"tile", [](const Json& j) { return Json(joined(j["tile"].items(), " ")); }},
      plain("device"),
      plain("standing"),
      plain("date"),
      inner("right", "verified", "ok"),
      plain("tflops"),
      plain("spread"),
      plain("time_us"),
      plain("samples"),
      inner("library", "library", "name"),
      inner("library_tflops", "library", "tflops"),
      plain("of_library"),
      inner("hot_tflops", "hot", "tflops"),
      inner("hot_library_tflops", "hot", "library_tflops"),
      plain("clock_mhz"),
      plain("tflops_per_ghz"),
      plain("power_w"),
      plain("throttle"),
      plain("registers"),
      plain("spill_bytes"),
  };
  return list;
}

std::string cell(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}
/// Quoted where commas, quotes or lines would be misread (RFC 4180).
std::string csv_cell(const Json& value) {
  const std::string text = cell(value);
  if (text.find_first_of(",\"\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}
std::string markdown_cell(const Json& value) {
  std::string text;
  for (const char c : cell(value)) text += c == '|' ? std::string("\\|") : std::string(1, c);
  return text;
}

}  // namespace

void add_format(CLI::App& app, ResultFormat& format) {
  const std::map<std::string, ResultFormat> names = {{"text", ResultFormat::text},
                                                     {"csv", ResultFormat::csv},
                                                     {"markdown", ResultFormat::markdown}};
  app.add_option("--format", format, "of what is printed (default text); --json has everything")
      ->type_name("text|csv|markdown")
      ->transform(CLI::CheckedTransformer(names));
}

std::string csv_text(const Json& results) {
  std::string text, line;
  for (const Column& c : columns()) line += (line.empty() ? "" : ",") + std::string(c.title);
  text = line + "\n";
  for (const Json& result : results) {
    line.clear();
    for (const Column& c : columns()) {
      if (&c != columns().data()) line += ',';
      line += csv_cell(c.value(result));
    }
    text += line + "\n";
  }
  return text;
}

std::string markdown_text(const Json& results) {
  std::string head = "|", rule = "|", rows;
  for (const Column& c : columns()) {
    head += std::string(" ") + c.title + " |";
    rule += " --- |";
  }
  for (const Json& result : results) {
    rows += "|";
    for (const Column& c : columns()) rows += " " + markdown_cell(c.value(result)) + " |";
    rows += "\n";
  }
  return head + "\n" + rule + "\n" + rows;
}

void print_results(const Json& results, ResultFormat format, const Globals& globals) {
  if (globals.json) return print_json(results);
  if (format == ResultFormat::csv) print_text(csv_text(results));
  if (format == ResultFormat::markdown) print_text(markdown_text(results));
}

}  // namespace tilescope::cli
