#include "core/sheet/sheet_expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/model/format.h"
#include "core/sheet/check_sheet.h"
#include "core/sheet/guess_parts.h"
#include "core/sheet/guess_sheet.h"
#include "core/sheet/sheet_error.h"
#include "core/sheet/sheet_members.h"

namespace tilescope::sheet {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::vector<int> numbers_of(const json& value, const std::string& field, size_t arguments) {
  if (!value.is_array() || value.size() > kMostArguments) {
    throw SheetError(
        fmt::format("{}: {} is not a list of numbers of arguments.", field, members::said(value)));
  }
  std::vector<int> numbers;
  for (size_t i = 0; i < value.size(); ++i) {
    numbers.push_back(
        members::argument_number(value[i], fmt::format("{}[{}]", field, i), arguments));
  }
  return numbers;
}

OtherKernel other_of(const json& value, size_t arguments) {
  const std::string field = "expect.kernel";
  if (!value.is_object()) {
    throw SheetError(fmt::format("{}: {} is not an object.", field, members::said(value)));
  }
  members::only(value, field, {"file", "entry", "grid", "block", "cluster", "shared", "args"});
  const auto member = [&](const char* name) -> const json* {
    const auto found = value.find(name);
    return found == value.end() || found->is_null() ? nullptr : &*found;
  };
  OtherKernel other;
  if (const json* file = member("file")) other.file = members::text_field(*file, field + ".file");
  if (const json* entry = member("entry"))
    other.entry = members::text_field(*entry, field + ".entry");
  if (other.file.empty() && other.entry.empty()) {
    throw SheetError(field + " names neither a file nor an entry; give the kernel that is right.");
  }
  if (const json* grid = member("grid"))
    other.grid = members::extent_of(*grid, field + ".grid", kMostGrid);
  if (const json* block = member("block")) {
    other.block = members::extent_of(*block, field + ".block", kMostBlock);
    check_block(*other.block);
  }
  if (const json* cluster = member("cluster")) {
    other.cluster = members::extent_of(*cluster, field + ".cluster", kMostGrid);
    check_cluster(*other.cluster);
  }
  if (const json* shared = member("shared")) {
    other.shared =
        static_cast<uint32_t>(members::whole(*shared, field + ".shared", 0, kMostShared));
  }
  if (const json* args = member("args")) other.args = numbers_of(*args, field + ".args", arguments);
  return other;
}

std::vector<Expectation::File> files_of(const json& value, size_t arguments) {
  if (!value.is_object()) {
    throw SheetError(fmt::format("expect.files: {} is not an object, {{\"2\": \"c.npy\"}}.",
                                 members::said(value)));
  }
  std::vector<Expectation::File> files;
  for (const auto& [name, file] : value.items()) {
    const bool number = !name.empty() && name.size() < 5 &&
                        name.find_first_not_of("0123456789") == std::string::npos;
    const std::string field = fmt::format("expect.files[{}]", members::said(json(name)));
    const json index = number ? json(std::stoi(name)) : json(name);
    files.push_back(
        {members::argument_number(index, field, arguments), members::text_field(file, field)});
  }
  return files;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// "naive takes 3 parameters, naive(float const* A, …)".
std::string takes(const Signature& other) {
  return fmt::format("expect.kernel: {} takes {} parameters; it is {}",
                     other.demangled.empty() ? other.entry : other.demangled,
                     other.parameters.size(), text_of(other));
}

/// The values of whole numbers among the arguments, by the names of the other's parameters.
Names names_of(const LaunchSheet& sheet, const std::vector<int>& arguments, const Signature& other,
               const FoundLaunch* launch) {
  Names names;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ArgumentSpec spec = parse_spec(sheet.args.at(static_cast<size_t>(arguments[i])));
    const auto* value = std::get_if<ValueSpec>(&spec);
    if (!value || !value->type || value->type->is_real()) continue;
    int64_t whole = 0;
    std::memcpy(&whole, value->bytes.data(), value->bytes.size());
    names[other.parameters[i].name] = whole;
    if (launch && i < launch->arguments.size()) names[launch->arguments[i]] = whole;
  }
  if (launch) names.insert(launch->values.begin(), launch->values.end());
  if (sheet.gemm) {
    const GemmSheet& g = *sheet.gemm;
    for (const auto& [name, size] : {std::pair("M", g.m), std::pair("N", g.n), std::pair("K", g.k)})
      names.try_emplace(name, size);
  }
  return names;
}

}  // namespace

double usual_tolerance(const ValueType* type) {
  if (!type || !type->is_real()) return 0;
  if (type->bytes == 8) return 1e-10;
  if (type->bytes == 4) return 1e-4;
  return type->name[0] == 'b' ? 5e-2 : 1e-2;
}

ordered_json expectation_document(const Expectation& expect) {
  ordered_json all = ordered_json::object();
  for (const Expectation::File& f : expect.files) all["files"][std::to_string(f.argument)] = f.file;
  if (expect.kernel) {
    const OtherKernel& k = *expect.kernel;
    ordered_json& kernel = all["kernel"];
    if (!k.file.empty()) kernel["file"] = k.file;
    if (!k.entry.empty()) kernel["entry"] = k.entry;
    if (k.grid) kernel["grid"] = {k.grid->x, k.grid->y, k.grid->z};
    if (k.block) kernel["block"] = {k.block->x, k.block->y, k.block->z};
    if (k.cluster) kernel["cluster"] = {k.cluster->x, k.cluster->y, k.cluster->z};
    if (k.shared > 0) kernel["shared"] = k.shared;
    if (!k.args.empty()) kernel["args"] = k.args;
  }
  if (expect.tolerance) all["tolerance"] = *expect.tolerance;
  return all;
}

Expectation expectation_of(const json& document, size_t arguments) {
  if (!document.is_object()) {
    throw SheetError("expect: " + members::said(document) + " is not an object.");
  }
  members::only(document, "expect", {"files", "kernel", "tolerance"});
  Expectation expect;
  if (const auto files = document.find("files"); files != document.end()) {
    expect.files = files_of(*files, arguments);
  }
  if (const auto kernel = document.find("kernel"); kernel != document.end()) {
    expect.kernel = other_of(*kernel, arguments);
  }
  if (const auto tolerance = document.find("tolerance");
      tolerance != document.end() && !tolerance->is_null()) {
    const bool fits = tolerance->is_number() && tolerance->get<double>() >= 0 &&
                      tolerance->get<double>() <= kMostTolerance;
    if (!fits) {
      throw SheetError(fmt::format("expect.tolerance: {} is not a number from 0 to {}.",
                                   members::said(*tolerance), kMostTolerance));
    }
    expect.tolerance = tolerance->get<double>();
  }
  return expect;
}

void check_expectation(const LaunchSheet& sheet,
                       std::span<const std::optional<ArgumentSpec>> arguments,
                       std::vector<std::string>& faults) {
  const Expectation& expect = sheet.expect.value();
  const auto written = [&](size_t i) {
    const auto* buffer = arguments[i] ? std::get_if<BufferSpec>(&*arguments[i]) : nullptr;
    return buffer && buffer->direction != Direction::in;
  };
  for (const Expectation::File& f : expect.files) {
    const auto i = static_cast<size_t>(f.argument);
    if (f.argument < 0 || i >= arguments.size()) {
      faults.push_back(fmt::format("expect.files: argument {} is not there; there are {}.",
                                   f.argument, arguments.size()));
    } else if (arguments[i] && !written(i)) {
      faults.push_back(fmt::format(
          "expect.files: argument {} ({}) is no buffer that the kernel writes; name one that is "
          "out: or inout:.",
          f.argument, sheet.args[i]));
    }
  }
  if (!expect.kernel) return;
  bool any = false, all_read = true;
  for (size_t i = 0; i < arguments.size(); ++i) {
    any = any || written(i);
    all_read = all_read && arguments[i].has_value();
  }
  if (!any && all_read) {
    faults.emplace_back(
        "expect.kernel: no argument is a buffer that the kernel writes, so there is nothing to "
        "compare; make one of them out: or inout:.");
  }
}

std::vector<int> other_arguments(const LaunchSheet& sheet, const Signature& mine,
                                 const Signature& other) {
  const std::vector<int>& given = sheet.expect.value().kernel.value().args;
  const size_t count = other.parameters.size();
  if (!given.empty()) {
    if (given.size() == count) return given;
    throw SheetError(
        fmt::format("{}, and {} of expect.kernel.args are given.", takes(other), given.size()));
  }
  // By names, where each has one that the launch's kernel has, too.
  std::vector<int> by_name;
  for (const Parameter& p : other.parameters) {
    const auto same = std::ranges::find_if(mine.parameters, [&](const Parameter& m) {
      return !p.name.empty() && lower(m.name) == lower(p.name);
    });
    if (same == mine.parameters.end()) break;
    by_name.push_back(static_cast<int>(same - mine.parameters.begin()));
  }
  if (by_name.size() == count) return by_name;
  if (count != mine.parameters.size()) {
    throw SheetError(takes(other) +
                     ", and which arguments they are is not told by their names; write "
                     "expect.kernel.args, a number of an argument for each.");
  }
  std::vector<int> in_order(count);
  for (size_t i = 0; i < count; ++i) in_order[i] = static_cast<int>(i);
  return in_order;
}

LaunchSheet other_sheet(const LaunchSheet& sheet, const std::vector<int>& arguments,
                        const Signature& other, std::span<const FoundLaunch> found) {
  const OtherKernel& k = sheet.expect.value().kernel.value();
  const FoundLaunch* launch = launch_of(other, found);
  LaunchSheet its;
  fill_launch(other, launch, names_of(sheet, arguments, other, launch), its);
  if (k.shared > 0) its.shared = k.shared;
  its.cluster = k.cluster;
  for (const auto& [name, extent, to] :
       {std::tuple("grid", &k.grid, &its.grid), std::tuple("block", &k.block, &its.block)}) {
    if (*extent) {
      *to = *extent;
    } else if (std::ranges::find(its.guesses, name) != its.guesses.end()) {
      throw SheetError(
          fmt::format("expect.kernel: the {} of {} is not told by a launch in its "
                      "file; write expect.kernel.{}.",
                      name, other.demangled.empty() ? other.entry : other.demangled, name));
    }
  }
  its.guesses.clear();
  for (const int argument : arguments) {
    its.args.push_back(sheet.args.at(static_cast<size_t>(argument)));
  }
  const std::vector<std::string> faults = faults_of(other, its);
  if (!faults.empty()) throw SheetError("expect.kernel: " + faults.front());
  return its;
}

}  // namespace tilescope::sheet
