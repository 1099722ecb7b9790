#include "app/cli/check_report.h"

#include <fmt/format.h>

#include <set>

#ifndef TILESCOPE_VERSION
#define TILESCOPE_VERSION "unknown"
#endif

namespace tilescope::cli {
namespace {

size_t count_findings(const CheckReport& report, bool errors) {
  size_t count = 0;
  for (const CheckedLine& line : report.lines) {
    for (const CheckedFinding& f : line.findings) count += f.error == errors;
  }
  return count;
}

/// A relative reference of RFC 3986, or one with its scheme.
std::string uri_of(const std::string& file) {
  std::string uri = file.starts_with('/') ? "file://" : "";
  for (const char c : file) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("/._-~").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

/// Text in XML. Control characters are none of its characters.
std::string xml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

std::string place_of(const CheckedLine& line) { return fmt::format("{}:{}", line.file, line.line); }

}  // namespace

size_t CheckReport::errors() const { return count_findings(*this, true); }
size_t CheckReport::remarks() const { return count_findings(*this, false); }

Json sarif(const CheckReport& report) {
  std::set<std::string> kinds;
  Json results = Json::array();
  for (const CheckedLine& line : report.lines) {
    for (const CheckedFinding& f : line.findings) {
      kinds.insert(f.kind);
      const Json place = {{"artifactLocation", {{"uri", uri_of(line.file)}}},
                          {"region", {{"startLine", std::max(line.line, 1)}}}};
      results.push_back({{"ruleId", f.kind},
                         {"level", f.error ? "error" : "note"},
                         {"message", {{"text", f.message}}},
                         {"locations", Json::array({{{"physicalLocation", place}}})},
                         {"properties", {{"count", f.count}, {"ptx_line", f.ptx_line}}}});
    }
  }
  Json rules = Json::array();
  for (const std::string& kind : kinds) rules.push_back({{"id", kind}});
  const Json driver = {{"name", "Tilescope"}, {"version", TILESCOPE_VERSION}, {"rules", rules}};
  const Json run = {{"tool", {{"driver", driver}}}, {"results", results}};
  return {{"$schema",
           "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
           "sarif-schema-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", Json::array({run})}};
}

// A case a line: it fails if there is an error.
std::string junit(const CheckReport& report) {
  const size_t cases = report.lines.empty() ? 1 : report.lines.size();
  size_t failures = 0;
  for (const CheckedLine& line : report.lines) failures += line.has_error();
  const std::string numbers =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\"", cases, failures);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " + numbers + ">\n";
  out += fmt::format("  <testsuite name=\"{}\" {}>\n", xml(report.kernel), numbers);
  if (report.lines.empty()) {
    out += fmt::format("    <testcase classname=\"{}\" name=\"nothing was found\"/>\n",
                       xml(report.file));
  }
  for (const CheckedLine& line : report.lines) {
    std::string words, kinds;
    for (const CheckedFinding& f : line.findings) {
      words += f.kind + ": " + f.message + "\n";
      if (kinds.find(f.kind) == std::string::npos) kinds += (kinds.empty() ? "" : ", ") + f.kind;
    }
    out += fmt::format("    <testcase classname=\"{}\" name=\"{}: {}\">\n", xml(report.file),
                       xml(place_of(line)), xml(kinds));
    const CheckedFinding& first = line.findings.front();
    if (line.has_error()) {
      out += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                         xml(first.kind), xml(first.message), xml(words));
    } else {
      out += fmt::format("      <system-out>{}</system-out>\n", xml(words));
    }
    out += "    </testcase>\n";
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace tilescope::cli
