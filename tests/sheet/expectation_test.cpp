// "What is right" of a sheet: another kernel, or files.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "core/sheet/check_sheet.h"
#include "core/sheet/launch_sheet.h"
#include "core/sheet/sheet_error.h"

namespace tilescope::sheet {
namespace {

LaunchSheet filled() {
  LaunchSheet s;
  s.entry = "scale";
  s.grid = Extent{2, 1, 1}, s.block = Extent{64, 1, 1};
  s.args = {"buf:f32:1x128:random:in", "buf:f32:1x128:zeros:out", "f32:2"};
  Expectation& expect = s.expect.emplace();
  expect.files = {{1, "scaled.npy"}};
  expect.kernel = OtherKernel{"other.cu", "twice", Extent{4, 1, 1}, Extent{32, 1, 1}, 128, {0, 1}};
  expect.tolerance = 1e-5;
  return s;
}

Signature kernel_with(const std::vector<std::pair<std::string, std::string>>& parameters) {
  Signature s;
  s.entry = s.demangled = "twice";
  uint32_t at = 0;
  for (const auto& [cpp, name] : parameters) {
    const bool pointer = cpp.back() == '*';
    s.parameters.push_back({name, pointer ? ".u64" : ".f32", at, pointer ? 8u : 4u, cpp,
                            cpp.find("const") != std::string::npos});
    at += 8;
  }
  s.parameter_bytes = at;
  return s;
}

TEST(Expectation, IsReadAsItIsWritten) {
  const LaunchSheet s = filled();
  EXPECT_EQ(sheet_of_text(to_text(s)), s) << to_text(s);
  LaunchSheet little = s;
  little.expect = Expectation{};
  little.expect->kernel = OtherKernel{"", "twice", {}, {}};
  EXPECT_EQ(sheet_of_text(to_text(little)), little) << to_text(little);
  // One that names nothing is none.
  EXPECT_FALSE(sheet_of_text(R"({"entry": "twice", "expect": {}})").expect.has_value());
}

TEST(Expectation, WhatIsWrongIsSaidByItsField) {
  const auto refused = [](const std::string& expect, const std::string& part) {
    const std::string text =
        R"({"entry": "f", "args": ["buf:f32:1x4:zeros:out", "f32:1"], "expect": )" + expect + "}";
    try {
      sheet_of_text(text);
      ADD_FAILURE() << text << " was taken";
    } catch (const SheetError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused("3", "expect: 3 is not an object");
  refused(R"({"file": {}})", "expect has no member \"file\"");
  refused(R"({"files": ["c.npy"]})", "expect.files: [\"c.npy\"] is not an object");
  refused(R"({"files": {"7": "c.npy"}})",
          "expect.files[\"7\"]: 7 is not a whole number from 0 to 1");
  refused(R"({"files": {"C": "c.npy"}})", "expect.files[\"C\"]");
  refused(R"({"files": {"0": 1}})", "is not a text");
  refused(R"({"kernel": {}})", "names neither a file nor an entry");
  refused(R"({"kernel": {"entry": "g", "grid": [0]}})", "expect.kernel.grid[0]");
  refused(R"({"kernel": {"entry": "g", "args": [2]}})", "expect.kernel.args[0]");
  refused(R"({"tolerance": 2})", "expect.tolerance: 2 is not a number from 0 to 1");
  refused(R"({"tolerance": "all"})", "expect.tolerance");
}

TEST(Expectation, MustBeOfWhatTheKernelWrites) {
  const Signature s = kernel_with({{"float const*", "in"}, {"float*", "out"}, {"float", "factor"}});
  LaunchSheet sheet = filled();
  EXPECT_TRUE(faults_of(s, sheet).empty()) << faults_of(s, sheet).front();
  sheet.expect->files = {{0, "in.npy"}};
  ASSERT_EQ(faults_of(s, sheet).size(), 1u);
  EXPECT_NE(faults_of(s, sheet)[0].find("argument 0"), std::string::npos);
  sheet.expect->files = {{7, "in.npy"}};
  ASSERT_EQ(faults_of(s, sheet).size(), 1u);
  sheet.expect->files.clear();
  sheet.args[1] = "buf:f32:1x128:zeros:in";
  ASSERT_EQ(faults_of(s, sheet).size(), 1u);
  EXPECT_NE(faults_of(s, sheet)[0].find("nothing to compare"), std::string::npos);
}

TEST(Expectation, TheOtherKernelsArgumentsByNameOrderOrNumber) {
  const Signature mine =
      kernel_with({{"float const*", "in"}, {"float*", "out"}, {"float", "factor"}});
  LaunchSheet sheet = filled();
  sheet.expect->kernel = OtherKernel{"", "twice", Extent{4, 1, 1}, Extent{32, 1, 1}};
  using Numbers = std::vector<int>;
  const auto arguments = [&](const Signature& other) {
    return other_arguments(sheet, mine, other);
  };
  EXPECT_EQ(arguments(kernel_with({{"float*", "OUT"}, {"float const*", "in"}})), (Numbers{1, 0}));
  EXPECT_EQ(arguments(kernel_with({{"float const*", "x"}, {"float*", "y"}, {"float", "f"}})),
            (Numbers{0, 1, 2}));
  const Signature two = kernel_with({{"float const*", "x"}, {"float*", "y"}});
  EXPECT_THROW(arguments(two), SheetError);
  sheet.expect->kernel->args = {0, 1};
  EXPECT_EQ(arguments(two), (Numbers{0, 1}));
  const LaunchSheet its = other_sheet(sheet, {0, 1}, two, {});
  EXPECT_EQ(its.grid, (Extent{4, 1, 1}));
  EXPECT_EQ(its.args, (std::vector<std::string>{sheet.args[0], sheet.args[1]}));
  // What does not fit, and a grid that nobody tells, end in a sentence.
  EXPECT_THROW(other_sheet(sheet, {0, 2}, two, {}), SheetError);
  sheet.expect->kernel->grid.reset();
  EXPECT_THROW(other_sheet(sheet, {0, 1}, two, {}), SheetError);
}

TEST(Expectation, FilesLieBesideTheSheet) {
  LaunchSheet s = filled();
  s.args[0] = "buf:f32:1x128:in.bin:in";
  name_files_in(s, "/data");
  EXPECT_EQ(s.args[0], "buf:f32:1x128:/data/in.bin:in");
  EXPECT_EQ(s.expect->files[0].file, "/data/scaled.npy");
  EXPECT_EQ(s.expect->kernel->file, "/data/other.cu");
  const LaunchSheet named = s;
  name_files_in(s, "/elsewhere");
  EXPECT_EQ(s, named);
}

TEST(Expectation, NoDocumentEndsTheProgram) {
  std::mt19937 random(5);
  const nlohmann::json whole = nlohmann::json::parse(to_text(filled()));
  for (int i = 0; i < 500; ++i) {
    nlohmann::json changed = whole;
    nlohmann::json* at = &changed["expect"];
    for (int depth = static_cast<int>(random() % 3); depth > 0 && at->is_object() && !at->empty();
         --depth) {
      auto it = at->begin();
      std::advance(it, random() % at->size());
      at = &*it;
    }
    static const nlohmann::json kOthers[] = {
        nullptr, -1, "x", nlohmann::json::array(), nlohmann::json::object(), true};
    *at = kOthers[random() % std::size(kOthers)];
    try {
      const LaunchSheet s = sheet_of(changed);
      EXPECT_EQ(sheet_of_text(to_text(s)).args, s.args);
    } catch (const SheetError& error) {
      EXPECT_NE(std::string(error.what()), "");
    }
  }
}

}  // namespace
}  // namespace tilescope::sheet
