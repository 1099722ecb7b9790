// What a launch must come to, where a sheet says so by another kernel or by files.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/sheet/argument_spec.h"
#include "core/sheet/signature.h"

namespace tilescope::sheet {

struct LaunchSheet;

/// Another kernel that is right: it is given what the launch is given, and what both write is
/// compared.
struct OtherKernel {
  std::string file = {};              // lies beside the sheet; empty: the launch's own file
  std::string entry;                  // as LaunchSheet::entry
  std::optional<Extent> grid, block;  // left out: of a launch in its file, else the sheet's own
  uint32_t shared = 0;
  /// Of each of its parameters the launch's argument, from 0; empty: told by names, or by order.
  std::vector<int> args = {};
  std::optional<Extent> cluster = {};  // left out: as it says itself
  bool operator==(const OtherKernel&) const = default;
};

/// What buffers must hold after the run, where it is no GEMM.
struct Expectation {
  struct File {
    int argument = 0;
    std::string file;  // raw or .npy, lies beside the sheet
    bool operator==(const File&) const = default;
  };
  std::vector<File> files;
  std::optional<OtherKernel> kernel = {};
  /// What |found − expected| may be of |expected| plus the root of its mean square; left out: as
  /// the type allows (usual_tolerance()). Integers and bytes must be equal.
  std::optional<double> tolerance = {};
  bool empty() const { return files.empty() && !kernel; }
  bool operator==(const Expectation&) const = default;
};
inline constexpr double kMostTolerance = 1;
/// "f32": 1e-4. 0 for types that must be equal.
double usual_tolerance(const ValueType* type);

/// {"files":{"2":"c.npy"},"kernel":{"file","entry","grid","block","cluster","shared","args":[0,…]},
/// "tolerance"}.
nlohmann::ordered_json expectation_document(const Expectation& expect);
/// Throws SheetError with the field, its value and the limit. `arguments`: how many the sheet has.
Expectation expectation_of(const nlohmann::json& document, size_t arguments);

/// What is wrong with a sheet's expectation, a sentence each: an argument that is no buffer, or one
/// that the launch does not write. `arguments`: the sheet's SPECs; nothing: one cannot be read.
void check_expectation(const LaunchSheet& sheet,
                       std::span<const std::optional<ArgumentSpec>> arguments,
                       std::vector<std::string>& faults);

/// Of each parameter of the kernel that `sheet` expects to write the same the argument of `sheet`
/// that it is given, by names or by order; and its own sheet, with `found`, the launches in its
/// file. Both throw SheetError where that cannot be told, or does not fit.
std::vector<int> other_arguments(const LaunchSheet& sheet, const Signature& mine,
                                 const Signature& other);
LaunchSheet other_sheet(const LaunchSheet& sheet, const std::vector<int>& arguments,
                        const Signature& other, std::span<const FoundLaunch> found);

}  // namespace tilescope::sheet
